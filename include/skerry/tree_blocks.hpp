// SPDX-License-Identifier: Apache-2.0
// Area openings and closings of 8-bit images of any size, from max-trees of blocks that are built alone, anywhere and in any order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "skerry/blocks.hpp"
#include "skerry/max_tree.hpp"

namespace skerry {

struct tree_state;

/// The border tree of one block, or of blocks that were joined: of its max-tree the nodes with pixels at the block's faces, and
/// their ancestors. What lies above them is counted in their areas.
/// Memory: 32 bytes for each of these nodes, and 16 for each pixel at a face that is open.
class tree_piece : public block_piece<tree_state> {
 public:
  /// Nodes of the blocks' trees that it keeps.
  [[nodiscard]] std::uint64_t nodes() const;
};

/// The piece that to_bytes() wrote.
/// Throws invalid_argument when the bytes are not all there, were changed, or are of another version.
[[nodiscard]] tree_piece tree_piece_from_bytes(std::span<const std::byte> bytes);

/// Builds the tree of one block and keeps what joins.
///
///   on       engine, as in build()
///   block    pixels of the block, u8 or i8; at least one
///   options  as in build()
///   place    where the block lies
///
/// Throws as build(); also invalid_argument for another type, or when the block is not within the whole image.
/// Scratch and cost: as build(), and 8 bytes per node.
[[nodiscard]] tree_piece build_block(engine& on, const image_view& block, const tree_options& options,
                                     const block_place& place);

/// Joins the trees of two pieces of one image, of blocks that do not overlap, in any order and grouping: with the same result to
/// the last bit. Branches that meet at a face are merged, from the top down.
///
/// Throws invalid_argument when they are of different images, types or options, or overlap.
/// Cost: O(nodes + pixels at open faces · 256).
[[nodiscard]] tree_piece join(const tree_piece& a, const tree_piece& b);

/// What blocks have to know of the whole tree, for one block or for all. Ascending in `first_pixel`.
struct border_nodes {
  std::vector<std::uint64_t> first_pixel;  // of each kept node of each block, as raster index in the whole image
  std::vector<std::uint64_t> area;         // of the component of the whole image that the node is part of
  std::vector<std::int16_t>
      level;  // of the nearest node, from it to the root, whose area is large enough; else the root's
};

/// Resolves the tree of the whole image for an area filter.
///
///   pieces      together all blocks of one image, joined or not, in any order
///   least_area  components of fewer pixels are dropped
///
/// Throws invalid_argument when blocks are missing or overlap, or pieces are of different images or options.
/// Cost: of joining, and O(nodes).
[[nodiscard]] border_nodes resolve_areas(std::span<const tree_piece> pieces, std::uint64_t least_area);

/// The part of the nodes that filter_block() needs for one block of this size.
/// Throws invalid_argument when it is not within the image.
[[nodiscard]] border_nodes nodes_of_block(const border_nodes& of, const block_place& place, const extent& size);

/// Writes one block of the filtered image: what area_filter() writes for the whole image.
///
///   on, block, options, place  the same as for build_block()
///   given       nodes_of_block() of this block
///   least_area  the same as for resolve_areas()
///   output      of the block's size and type, any strides with distinct pixels; it may be the block itself
///
/// Throws as build_block(); also invalid_argument when `given` is of another block. Scratch and cost: as build_block().
void filter_block(engine& on, const image_view& block, const tree_options& options, const block_place& place,
                  const border_nodes& given, std::uint64_t least_area, const mutable_image& output);

}  // namespace skerry
