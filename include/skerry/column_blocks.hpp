// SPDX-License-Identifier: Apache-2.0
// All columns of the regions of a label image of any size, from blocks that are measured alone, anywhere and in any order.
//
// A block is given with a halo where columns need the neighbours of its pixels. Sums of powers (moments, weighted centroids)
// are about the corner of a region's box, so blocks are told the table of the whole label image (region_blocks.hpp) first.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "skerry/columns.hpp"
#include "skerry/region_blocks.hpp"

namespace skerry {

/// What columns need of blocks.
struct column_needs {
  std::int64_t halo =
      0;               // pixels around a block on every side on which the image goes on: 0, 1 (volumes) or 2 (planes)
  bool known = false;  // column_block::known
  bool intensities = false;  // the table that is `known` has those of the image
};

/// What these columns need.
///
///   rank         of the image: 2 or 3
///   columns      as in column_request
///   spacing      the same
///   intensities  type of the intensity image, or null
///   channels     instead of it: types of several
///
/// Throws invalid_argument for an unknown or unavailable name.
[[nodiscard]] column_needs needs_of_columns(int rank, const std::vector<std::string>& columns,
                                            const pixel_spacing& spacing, const dtype* intensities,
                                            std::span<const dtype> channels = {});

/// A block of a label image, and what is asked of it.
struct column_block {
  /// Labels of the block and of its halo: `halo` pixels on each side of every axis, fewer where the image ends before.
  image_view labels;
  block_place place;  // where the block itself lies, without its halo
  extent size;        // of the block itself
  /// As in measure_columns(); `intensity` and `channels` are of the block itself; without `index`.
  column_request asked;
  /// Of all blocks of the label image, measured with the same background, or a part_of() them; only where column_needs::known.
  const region_piece* known = nullptr;
};

struct column_state;

/// What is known of the regions of one block, or of blocks that were joined, for their columns.
/// Memory: a row of region_piece and, by group of columns, for each region 72 bytes (patterns), 400 in a plane and 1552 in a
/// volume (power_sums; the same for weighted_sums, twice that of floats and 64-bit integers); 24 bytes for each row of a region
/// (hull), for each of its runs (filled), and for each value of its intensities (intensity_median).
class column_piece : public block_piece<column_state> {
 public:
  /// The rows of the same blocks.
  [[nodiscard]] const region_piece& regions() const;
};

/// The piece that to_bytes() wrote.
/// Throws invalid_argument when the bytes are not all there, were changed, or are of another version.
[[nodiscard]] column_piece column_piece_from_bytes(std::span<const std::byte> bytes);

/// Measures one block for its columns.
///
///   on     engine: the CPU, or engine::automatic(); images in host memory
///   block  what is measured; it has at least one pixel
///
/// Throws as measure_columns(); also invalid_argument when the labels do not have the size of the block and its halo, when `known`
/// is missing or lacks a region of the block, or when sums over the whole image could overflow.
/// Scratch and cost: as measure_columns(), without the hulls and holes, which are found when all blocks are joined.
[[nodiscard]] column_piece measure_block(engine& on, const column_block& block);

/// Joins the regions of two pieces of one image, of blocks that do not overlap, in any order and grouping: with the same result
/// to the last bit.
///
/// Throws invalid_argument when they are of different images or questions, overlap, or knew different tables.
/// Cost: O(what the pieces know).
[[nodiscard]] column_piece join(const column_piece& a, const column_piece& b);

/// The columns of a whole label image.
///
///   on       engine: the CPU, or engine::automatic()
///   pieces   together all blocks of one image, joined or not, in any order
///   columns  as in column_request; of groups that the pieces were measured for
///   spacing  the same
///
/// Returns the columns of one call of measure_columns() on the CPU for the whole image, bit for bit.
/// Throws invalid_argument when blocks are missing or overlap, pieces are of different images or questions, or lack what a column
/// needs.
/// Cost: of joining, and O(regions); with hulls and holes O(their rows and runs).
[[nodiscard]] column_table columns_of(engine& on, std::span<const column_piece> pieces,
                                      const std::vector<std::string>& columns, const pixel_spacing& spacing = {});

}  // namespace skerry
