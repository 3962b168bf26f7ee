// SPDX-License-Identifier: Apache-2.0
// Images in blocks: the labels and the table of an image of any size, from blocks that are labelled alone, anywhere and in any
// order. Nothing here reads or writes files, or knows who works.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "skerry/block_piece.hpp"
#include "skerry/columns.hpp"
#include "skerry/engine.hpp"
#include "skerry/image.hpp"
#include "skerry/label.hpp"
#include "skerry/measure.hpp"

namespace skerry {

/// Where a block lies in the whole image.
struct block_place {
  extent whole;  // size of the whole image: of the block's rank, sides below 2^31, at most 2^40 pixels
  std::int64_t z = 0, y = 0, x = 0;  // the block's first pixel in it
};

struct piece_state;

/// What is known of the components of one block, or of blocks that were joined; the pixels are not kept.
///
/// A component is open while one of its pixels has a neighbour in a block that is not part of the piece. Its row and the runs
/// of pixels that can still join are kept. All other components are closed: their rows are final.
/// Memory: 64 bytes and a row per component, 48 bytes per run at a face that is open, or per pixel with joining::within().
class piece : public block_piece<piece_state> {
 public:
  /// Components that may still grow.
  [[nodiscard]] std::uint64_t open_components() const;
  /// Components that are final.
  [[nodiscard]] std::uint64_t closed_components() const;

  /// Takes the closed components out, so that what is joined further is as small as its faces: a piece of no block that holds
  /// them alone, for number().
  [[nodiscard]] piece take_closed();
};

/// The piece that to_bytes() wrote.
/// Throws invalid_argument when the bytes are not all there, were changed, or are of another version.
[[nodiscard]] piece piece_from_bytes(std::span<const std::byte> bytes);

/// Counts the runs of an image that label() would list: of foreground pixels side by side in a row, of one value where
/// neighbours join by value. The memory that label_block() and emit_block() take grows with them, so that a caller with little
/// of it can choose blocks: label_block() takes at most 250 bytes for each besides the image, emit_block() 40.
///
///   image    in host memory, as in label()
///   options  foreground and joining
///
/// Returns the number of runs; where neighbours join by value possibly more.
/// Throws invalid_argument as label(). Scratch: a row of pixels. Cost: one read of `image`, by the calling thread.
[[nodiscard]] std::uint64_t count_runs(const image_view& image, const label_options& options);

/// Labels one block of an image, for itself.
///
///   on      engine; scratch is taken from it
///   block   as in label(), for the pixels of the block; an intensity image has the block's size. Periodic axes are those of the
///           whole image. Not with a selection, which number() takes, nor with order as_stored
///   place   where the block lies; it has at least one pixel
///
/// Returns what the block tells of its components, with coordinates of the whole image.
/// Throws as label(); also invalid_argument when the block is not within the whole image, or sums over the whole image could
/// overflow. Scratch: as label_runs(), and 24 bytes per run. Cost: as label_runs() and measure().
[[nodiscard]] piece label_block(engine& on, const label_request& block, const block_place& place);

/// Joins the components of two pieces of one image, of blocks that do not overlap. Blocks need not be neighbours, nor the pieces
/// boxes: pieces join in any order and grouping, with the same result to the last bit.
///
/// Throws invalid_argument when they are of different images or questions (connectivity, foreground, features, …) or overlap.
/// Cost: O(components + runs at open faces + blocks).
[[nodiscard]] piece join(const piece& a, const piece& b);

/// Labels of components by their first pixels, for one block or for all: component i has its first pixel, within its block, at
/// raster index first[i] of the whole image. Ascending in `first`.
struct block_labels {
  std::vector<std::uint64_t> first;  // raster index (z · height + y) · width + x in the whole image
  std::vector<std::uint64_t> label;  // 1…count, or 0 for a component that the selection dropped
  std::uint64_t count = 0;           // labels of the whole image
};

/// The components of a whole image.
struct numbering {
  extent whole;         // size of the image
  feature_table table;  // row i belongs to label i + 1, as in measure() of the whole image
  block_labels labels;  // of all components of all blocks
};

/// Numbers the components of a whole image.
///
///   pieces  together all blocks of one image, joined or not, and what was taken out of them; in any order
///   keep    which components stay, decided on the whole image; not fill_holes
///
/// Returns labels 1..n in raster order and rows with the bits of one call of measure() for the whole image.
/// Throws invalid_argument when blocks are missing or overlap, or pieces are of different images or questions.
/// Cost: O(components · log(pieces)).
[[nodiscard]] numbering number(std::span<const piece> pieces, const selection& keep = {});

/// Keeps the components whose columns are all within bounds, of those that number() kept, and numbers them 1..n again.
///
///   of       the components of a whole image; labels and table change. It is as it was after an error
///   bounds   of one column of the table each, as feature_table::column() has it: area, bbox-0, extent, …, of pieces that were
///            measured so also eccentricity or intensity_mean. Without any all components are kept
///   spacing  size of a pixel, for columns in units; or null
///
/// Throws invalid_argument for a column that the table does not have, and for bounds that hold nothing. Cost: O(components)
/// for each column.
void keep_components(numbering& of, const std::vector<column_bounds>& bounds, const pixel_spacing* spacing = nullptr);

/// The part of the labels that emit_block() needs for one block of this size.
/// Throws invalid_argument when it is not within the image.
[[nodiscard]] block_labels labels_of_block(const numbering& of, const block_place& place, const extent& size);

/// Writes the labels of one block: those that label() writes for the whole image.
///
///   on, block, place  the same as for label_block(); the intensity image is not looked at
///   given             labels_of_block() of this block
///   labels            out, of the block's size, any label type and strides as in label()
///
/// Throws as label(): label_overflow when the count of the whole image does not fit the type, before anything is written; also
/// invalid_argument when `given` is of another block.
/// Scratch and cost: as label_runs(), one write of `labels`.
void emit_block(engine& on, const label_request& block, const block_place& place, const block_labels& given,
                const mutable_image& labels);

/// Labels the background of one block by the dual connectivity, to find the holes of the whole image: number() of the pieces of
/// all blocks with selection::clear_border keeps just these.
///
///   on, block, place  as in label_block(), with joining::foreground() and without periodic axes; features are not looked at
///
/// Returns what the block tells of the components of its background, with rows without features but the geometry.
/// Throws and cost as label_block(). Scratch: the same, and 1 byte per pixel.
[[nodiscard]] piece label_background(engine& on, const label_request& block, const block_place& place);

/// The foreground of one block with the holes of the whole image filled: as the pixels of an image of booleans, labelled by
/// label_block() and emit_block() with foreground::nonzero(), blocks give what selection::fill_holes gives for the whole image.
///
///   on, block, place  the same as for label_background()
///   holes             labels_of_block() of this block, of the pieces that label_background() made
///
/// Returns 1 for each pixel of the foreground or of a hole, 0 for all others, in row-major order.
/// Throws as label_background(); also invalid_argument when `holes` is of another block. Scratch and cost: as label_runs().
[[nodiscard]] std::vector<std::uint8_t> fill_block(engine& on, const label_request& block, const block_place& place,
                                                   const block_labels& holes);

}  // namespace skerry
