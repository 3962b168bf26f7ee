// SPDX-License-Identifier: Apache-2.0
// The outlines of the regions of a label image of any size, from blocks that are followed alone, anywhere and in any order:
// an outline that leaves a block is an open chain of vertices, and chains are joined where they meet.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "skerry/block_piece.hpp"
#include "skerry/blocks.hpp"
#include "skerry/outline.hpp"

namespace skerry {

struct outline_state;

/// What is known of the outlines in one block, or in blocks that were joined.
/// Memory: what a piece takes for the components of the labels (blocks.hpp), 40 bytes for each chain, 8 for each vertex, and with 4
/// neighbours 16 for each pixel that meets another of its region in a corner alone.
class outline_piece : public block_piece<outline_state> {
 public:
  /// Parts of outlines that leave the blocks; none when all blocks are joined.
  [[nodiscard]] std::uint64_t open_chains() const;
  /// Whole outlines; with 4 neighbours also parts of some between two corners in which pixels of a region meet, where only the whole
  /// image tells how the outline goes on.
  [[nodiscard]] std::uint64_t closed_chains() const;

  /// Takes out the closed chains, and the components that are final, so that what is joined further is as small as its faces:
  /// a piece of no block that holds them alone, for outline_of().
  [[nodiscard]] outline_piece take_closed();
};

/// The piece that to_bytes() wrote.
/// Throws invalid_argument when the bytes are not all there, were changed, or are of another version.
[[nodiscard]] outline_piece outline_piece_from_bytes(std::span<const std::byte> bytes);

/// Pixels around a block on every side on which the image goes on.
inline constexpr std::int64_t outline_halo = 1;

/// Follows the outlines in one block of a label image along the edges of pixels.
///
///   on     engine, as for outline()
///   asked  as in outline(); labels of the block and of a halo of one pixel on each side, fewer where the image ends before. Not
///          with simplify, through_centres or nesting, which need whole outlines
///   place  where the block itself lies, without its halo
///   size   of the block itself; it has at least one pixel
///
/// Returns what the block tells of its outlines, with coordinates of the whole image.
/// Throws as outline(); also invalid_argument when the block is not within the whole image, or the labels do not have the size of
/// the block and its halo.
/// Scratch: as label_block(), 4 bytes for each pixel (booleans 5), and at most 120 for each corner of a pixel along outlines.
/// Cost: as label_block() and label(), one read of `labels`.
[[nodiscard]] outline_piece outline_block(engine& on, const outline_request& asked, const block_place& place,
                                          const extent& size);

/// Joins the outlines of two pieces of one image, of blocks that do not overlap, in any order and grouping: with the same result to
/// the last bit.
///
/// Throws invalid_argument when they are of different images or questions, or overlap.
/// Cost: of joining components, and O(vertices + chains · log(chains)).
[[nodiscard]] outline_piece join(const outline_piece& a, const outline_piece& b);

/// The outlines of a whole label image.
///
///   pieces  together all blocks of one image, joined or not, and what was taken out of them; in any order
///
/// Returns the table of one call of outline() for the whole image: the same vertices in the same order.
/// Throws invalid_argument when blocks are missing or overlap, or pieces are of different images or questions.
/// Cost: of joining, and O(vertices + rings · log(components)).
[[nodiscard]] outline_table outline_of(std::span<const outline_piece> pieces);

}  // namespace skerry
