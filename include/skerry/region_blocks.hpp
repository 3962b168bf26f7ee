// SPDX-License-Identifier: Apache-2.0
// Given label images in blocks: the table of an image of any size, from blocks that are measured alone, anywhere and in any
// order. Rows join by their labels, so no block knows its neighbours.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "skerry/blocks.hpp"
#include "skerry/engine.hpp"
#include "skerry/image.hpp"
#include "skerry/regions.hpp"

namespace skerry {

struct region_state;

/// What is known of the regions of one block of a label image, or of blocks that were joined; the pixels are not kept.
/// A region may have pixels in any block, connected or not, so no row is final before all blocks are joined.
/// Memory: 8 bytes and a row for each region, of each channel a row of its own; 48 bytes for each block.
class region_piece : public block_piece<region_state> {
 public:
  /// Regions with pixels in those blocks.
  [[nodiscard]] std::uint64_t regions() const;
};

/// The piece that to_bytes() wrote.
/// Throws invalid_argument when the bytes are not all there, were changed, or are of another version.
[[nodiscard]] region_piece region_piece_from_bytes(std::span<const std::byte> bytes);

/// Measures the regions of one block of a label image.
///
///   on     engine, as in measure_regions()
///   block  as in measure_regions(), for the labels of the block, without an index; intensity images have the block's size
///   place  where the block lies; it has at least one pixel
///
/// Returns what the block tells of its regions, with coordinates of the whole image.
/// Throws as measure_regions(); also invalid_argument when the block is not within the whole image, or sums over the whole image
/// could overflow. Scratch and cost: as measure_regions().
[[nodiscard]] region_piece measure_block(engine& on, const region_request& block, const block_place& place);

/// Joins the regions of two pieces of one image, of blocks that do not overlap, in any order and grouping: with the same result
/// to the last bit.
///
/// Throws invalid_argument when they are of different images or questions (background, features, signed labels) or overlap.
/// Cost: O(regions + blocks).
[[nodiscard]] region_piece join(const region_piece& a, const region_piece& b);

/// The rows of a whole label image for the regions of one block: what a worker has to know of the others (column_blocks.hpp).
///
///   all    of all blocks
///   block  one of them, of the same image and background
///
/// Returns a complete piece with those rows of `all`.
/// Throws invalid_argument when blocks are missing, pieces are of different images, or `all` lacks a region. Cost: O(regions of
/// both).
[[nodiscard]] region_piece part_of(const region_piece& all, const region_piece& block);

/// The table of a whole label image.
///
///   pieces  together all blocks of one image, joined or not, in any order
///
/// Returns the rows of one call of measure_regions() for the whole image, bit for bit.
/// Throws invalid_argument when blocks are missing or overlap, or pieces are of different images or questions.
/// Cost: O(regions · log(pieces)).
[[nodiscard]] region_table table_of(std::span<const region_piece> pieces);

}  // namespace skerry
