// SPDX-License-Identifier: Apache-2.0
// The outlines of the regions of a label image, as polygons.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "skerry/engine.hpp"
#include "skerry/image.hpp"
#include "skerry/regions.hpp"

namespace skerry {

/// A corner of a pixel: pixel (row y, column x) has the corners (x, y), (x + 1, y), (x + 1, y + 1) and (x, y + 1). In
/// outlines through centres, (x, y) is the pixel of column x and row y.
struct corner {
  std::int32_t x = 0, y = 0;  // column and row, counted in corners, or in pixels
  friend bool operator==(const corner&, const corner&) = default;
};

/// What a call is asked to outline.
struct outline_request {
  image_view labels;  // of rank 2, integers of 8 to 64 bits, or boolean
  /// Which pixels of a region are one polygon, 4 or 8. No default: say what you mean.
  int connectivity = 0;
  skerry::background background = {};  // labels that are background
  /// Keeps every corner of a pixel along the outline; otherwise vertices are only where the outline turns.
  bool keep_collinear = false;
  /// Fewer vertices: what is left out is at most so many pixels from the line that takes its place. 0 keeps all.
  double simplify = 0;
  /// Follows the pixels along each outline from centre to centre, as cv2.findContours does, instead of their edges.
  bool through_centres = false;
  /// Tells of each ring which one is around it, in outline_table::nesting.
  bool nesting = false;
};

/// Where a ring lies among the others.
struct ring_nesting {
  /// The ring around it, or -1: around a hole that is the outer ring of its polygon, and around an outer ring the
  /// hole that the polygon lies in, of whatever region.
  std::int64_t parent = -1;
  /// Where the ring begins along the edges of pixels. Of an outer ring this is the upper left corner of the first pixel
  /// of the polygon, of a hole that of the first pixel in the hole, both in raster order.
  corner first;
  friend bool operator==(const ring_nesting&, const ring_nesting&) = default;
};

/// Regions, the polygons of each, the rings of each, and the vertices of each: the nested lists of Arrow and GeoArrow.
///
/// Regions come in ascending order of labels. Polygons of a region, and holes of a polygon, come in the raster order of
/// their first vertices: by y, then by x. A ring begins at its first vertex in raster order, and the last vertex is
/// joined to the first, which is not repeated. The first ring of a polygon is its outer one, whose direction is from
/// the x axis to the y axis: its signed area ½ Σ (x_i · y_i+1 − x_i+1 · y_i) is positive. Its other rings are holes,
/// whose areas are negative. So the areas of the rings of a region add up to its pixels. (outline() says what differs
/// through centres.)
struct outline_table {
  bool signed_labels = false;                    // labels are the bits of std::int64_t
  std::vector<label_bits> labels;                // of each region
  std::vector<std::int64_t> region_offsets{0};   // region i has polygons [region_offsets[i], region_offsets[i + 1])
  std::vector<std::int64_t> polygon_offsets{0};  // polygon i has rings [polygon_offsets[i], polygon_offsets[i + 1])
  std::vector<std::int64_t> ring_offsets{0};     // ring i has vertices [ring_offsets[i], ring_offsets[i + 1])
  std::vector<corner> vertices;                  // ring after ring
  std::vector<ring_nesting> nesting;             // of each ring, if asked

  /// Number of regions.
  [[nodiscard]] std::size_t regions() const noexcept { return labels.size(); }
  /// Number of polygons of all regions.
  [[nodiscard]] std::size_t polygons() const noexcept { return polygon_offsets.size() - 1; }
  /// Number of rings of all polygons.
  [[nodiscard]] std::size_t rings() const noexcept { return ring_offsets.size() - 1; }
  /// Vertices of ring i.
  [[nodiscard]] std::span<const corner> ring(std::size_t i) const;
  /// The same as formats of OGC want a ring: the first vertex once more at the end, and at least four of them, for which
  /// a ring of one or two vertices repeats its last one.
  [[nodiscard]] std::vector<corner> closed_ring(std::size_t i) const;
  /// Twice the signed area of a ring: of a hole it is negative.
  [[nodiscard]] std::int64_t twice_area(std::size_t ring) const;

  friend bool operator==(const outline_table&, const outline_table&) = default;
};

/// Follows the outlines of the regions of a label image along the edges of pixels.
///
///   on     engine
///   asked  label image of rank 2: sides below 2^31, at most 2^40 pixels, possibly 0; connectivity; what is background. On
///          CUDA it may be in device memory: complete all work that writes it before the call. There it has fewer than 2^31
///          pixels, counting rows as rounded up to 128
///   table  out, replaced; its memory is used again where that is possible
///
/// A polygon is a part of a region that is connected by 4 or by 8 neighbours. With 4, pixels that meet in a corner are
/// joined only by way of others, and a polygon is simple: no ring touches itself, and rings of one polygon touch in
/// single points at most, as the simple features of OGC ask. With 8, a ring passes through the corner, and so touches
/// itself there. With either, filling the rings of a region by the even-odd rule gives its pixels.
///
/// Simplified outlines cut each outline at its junctions, corners in which more than two sides of pixels are parts of
/// outlines; they stay. The line between two junctions is simplified once, so that neighbours still share it. Lines
/// touch only in junctions, and every ring keeps its place among the others: where leaving corners out would change
/// that, some come back. No vertex that is left out is farther than `simplify` from the line between the two that
/// are kept around it. Rings keep their order, and begin at the first vertex that is left; areas are no longer
/// numbers of pixels.
///
/// An outline through centres visits the pixels of the polygon that lie along a ring, each as often as the ring comes
/// back to it: consecutive vertices are neighbours by a side or by a corner. Vertices are where the way turns, or all
/// with keep_collinear; a ring of one pixel has one vertex. Rings through centres run the other way round than along
/// edges, and begin at the pixel at nesting's `first` (of a hole at the pixel left of it), or at the first turn behind.
/// With 8 neighbours these are the points of cv2.findContours, by CHAIN_APPROX_SIMPLE or CHAIN_APPROX_NONE, in its order.
///
/// The hole that a polygon lies in is found to the left of the polygon's first pixel: the nearest pixel of a region is
/// along a hole, which is the one, or along the outer ring of another polygon, which lies in the same.
///
/// Returns the number of polygons. All vertices are exact, and the same on every engine and for every number of
/// threads.
/// Throws invalid_argument naming the argument, as for a dtype that has no labels, a volume, or an outline through centres
/// that is to be simplified; out_of_memory; device_error.
/// Scratch, given back at the end of the call: 40 bytes for each stretch of equal labels in a row, where rows that
/// repeat the one above have none, and the vertices once more. On CUDA the engine keeps device memory: for a pixel
/// about 12 bytes (7 of them for label() by value, with rows rounded up to 128; more where rows are shorter than 128), and a copy of
/// labels in host memory; 12 for each upright edge of a pixel along an outline; 52 for a node, which is each such edge in
/// every 16th row, and one for each turn from up to down; 48 for a ring; and the table. Tables also take pinned memory, up to
/// twice their bytes and at most 64 MiB. What the host follows there takes the same host memory as on the CPU.
/// Cost: one read of `labels`, and steps for each such stretch. Rings are followed by one thread. Simplifying n
/// vertices takes n log n steps, and n² for lines that wind like a spiral. On CUDA the host follows outlines that are simplified,
/// run through centres or have nesting, along stretches that the device finds; the device does all others.
/// Method: the left and the right side of every stretch of a row are joined, row by row, to the side that follows along
/// the outline; a union-find over stretches tells polygons; rings are the cycles. On CUDA, sides of a pixel are ranked along
/// their rings by [Wyllie1979]. Parents are found as by [Suzuki1985]. Lines are simplified by [Douglas1973] with exact
/// distances; a grid finds lines and vertices nearby.
std::uint64_t outline(engine& on, const outline_request& asked, outline_table& table);

/// Appends the polygons of a region as well-known binary of OGC, the lowest byte first: a Polygon, or a MultiPolygon of
/// several. Rings are closed.
///
///   table   outlines
///   region  below table.regions()
///   to      out, appended: 9 bytes for each polygon (and 9 before several), 4 for each ring, 16 for each vertex of its
///           closed ring
///
/// Throws invalid_argument when a ring has 2^32 - 1 vertices or more.
void append_wkb(const outline_table& table, std::size_t region, std::vector<std::byte>& to);

}  // namespace skerry
