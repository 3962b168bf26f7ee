// SPDX-License-Identifier: Apache-2.0
// Which regions of a label image touch which, and how far.
#pragma once
#include <cstdint>
#include <vector>

#include "skerry/engine.hpp"
#include "skerry/image.hpp"
#include "skerry/measure.hpp"
#include "skerry/regions.hpp"

namespace skerry {

/// Numbers of faces between pixels, by the axis along which the two pixels follow each other. In an image of rank 2 a
/// face is a side of a pixel, and z is 0.
struct face_counts {
  std::uint64_t z = 0, y = 0, x = 0;  // faces along that axis
  friend bool operator==(const face_counts&, const face_counts&) = default;
};

/// The area of faces in units of `spacing`: of an image of rank 2 their length. A spacing of 1 counts faces.
/// Throws invalid_argument for a spacing that is not finite and above 0.
[[nodiscard]] double area_of(const face_counts& faces, int rank, const pixel_spacing& spacing = {});

/// Two regions that touch. The counts are of pairs of neighbouring pixels, one of each region.
struct contact {
  label_bits first = 0, second = 0;  // first < second, as labels of the image's type
  face_counts faces;                 // pairs that differ on one axis
  std::uint64_t edges = 0;    // pairs that differ on two axes: of rank 2 they meet in a point, of rank 3 in an edge
  std::uint64_t corners = 0;  // pairs that differ on three axes
  friend bool operator==(const contact&, const contact&) = default;
};

/// The faces of a region, by what lies behind them.
struct region_surface {
  label_bits label = 0;                               // of the region
  face_counts to_regions, to_background, to_outside;  // outside: beyond the image
  friend bool operator==(const region_surface&, const region_surface&) = default;

  /// All faces, whatever is behind them.
  [[nodiscard]] face_counts all() const;
};

/// What is asked about a label image.
struct contact_request {
  image_view labels;  // integers of 8 to 64 bits, or boolean
  /// Which pixels touch: 4 or 8 for rank 2; 6, 18 or 26 for rank 3. No default: say what you mean.
  int connectivity = 0;
  skerry::background background = {};  // labels that are background
  /// Also the surface of each region.
  bool surfaces = false;
};

/// Contacts by first, then by second label; surfaces by label. All ascending, as labels of the image's type.
struct contact_table {
  bool signed_labels = false;            // labels are the bits of std::int64_t
  std::vector<contact> contacts;         // of each two regions that touch
  std::vector<region_surface> surfaces;  // of each region, if asked for
};

/// Finds the regions of a label image that touch, and counts their common faces, edges and corners.
///
///   on     engine: the reference, the CPU, or engine::automatic()
///   asked  label image: sides below 2^31, at most 2^40 pixels, possibly 0; connectivity; what is background
///   table  out, replaced
///
/// Returns the number of contacts. All counts are exact, and the same on every engine and for every number of threads.
/// The pairs are those of cc3d.region_graph() and cc3d.contacts() with the same connectivity; its surface area is that
/// of the faces.
/// Throws invalid_argument naming the argument, as for a dtype that has no labels or for a cuda engine; out_of_memory.
/// Scratch, given back at the end of the call: about 100 bytes for each contact and thread.
/// Cost: one read of `labels`, a comparison of each row with its earlier neighbours, and a step for each stretch of a
/// border between the same two regions.
/// Method: rows are compared with shifted neighbours; what differs is counted by stretches, in a hash table for each
/// thread; the sorted tables are joined.
std::uint64_t contacts(engine& on, const contact_request& asked, contact_table& table);

}  // namespace skerry
