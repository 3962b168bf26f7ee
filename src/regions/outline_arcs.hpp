// SPDX-License-Identifier: Apache-2.0
// Outlines cut into arcs: the lines that two neighbours share, from junction to junction.
//
// A junction is a corner in which three or four sides of pixels are parts of outlines. In every other corner of an outline two
// are, with the same region (or background) on either side: an arc has one region on its left and one on its right.
#pragma once
#include <vector>

#include "engine/engine_state.hpp"
#include "regions/outline_rings.hpp"

namespace skerry::regions {

/// In raster order.
[[nodiscard]] std::vector<corner> find_junctions(const outline_runs& image);

// An arc as a ring passes it. Neighbours pass it the other way round.
struct passed_arc {
  u64 arc;
  bool reversed;
};

// Arc i has the points [offsets[i], offsets[i + 1]): a junction, corners where it turns, a junction. A ring without junctions is an
// arc that begins and ends with the ring's first corner.
struct outline_arcs {
  std::vector<corner> points;
  std::vector<u64> offsets{0};
  std::vector<passed_arc> passed;    // ring after ring
  std::vector<u64> ring_offsets{0};  // ring i has passed [ring_offsets[i], ring_offsets[i + 1])

  [[nodiscard]] std::size_t size() const { return offsets.size() - 1; }
};

/// Cuts rings, whose vertices are where they turn.
[[nodiscard]] outline_arcs cut_arcs(const outline_rings& rings, const std::vector<corner>& junctions);

/// Puts the kept points in the place of the vertices of `rings`. Of a ring that meets its first vertex in raster order twice, that
/// place is the first whose next vertex is earlier in raster order.
void join_arcs(const outline_arcs& arcs, const std::vector<u8>& kept, outline_rings& rings);

[[nodiscard]] constexpr bool raster_before(const corner& a, const corner& b) {
  return a.y != b.y ? a.y < b.y : a.x < b.x;
}

}  // namespace skerry::regions
