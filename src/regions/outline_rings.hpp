// SPDX-License-Identifier: Apache-2.0
// Sides that follow each other as rings of vertices.
#pragma once
#include <vector>

#include "regions/outline_sides.hpp"

namespace skerry::regions {

inline constexpr u64 no_ring = ~u64{0};

struct outline_ring {
  u64 order;               // of its label
  u64 component;           // of its polygon
  std::size_t begin, end;  // its vertices
  u64 found;               // how many rings were found before
  u64 parent;              // the ring around it, by when that was found, or no_ring
  corner first;            // where it begins along the edges of pixels
};

// Rings in the raster order of their first vertices. The first ring of a component is the outer one.
struct outline_rings {
  std::vector<outline_ring> rings;
  std::vector<corner> vertices;
};

// Replaces `found`, whose memory is used again; `sides` is used up.
void follow_sides(const outline_runs& image, outline_sides& sides, const outline_request& asked, outline_rings& found);

}  // namespace skerry::regions
