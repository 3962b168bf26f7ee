// SPDX-License-Identifier: Apache-2.0
// The journey of a grey value, in order. Stage N lives in N_*.cpp; stages meet only here, and max_tree.cpp calls them.
//
// Pixels are ordered by (key, raster index): `higher` means farther from the root. The link of a pixel is a lower pixel;
// within one level links go to smaller indices, so that the root of a level is the first pixel of its node.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "core/portable.hpp"
#include "engine/cpu/buffer.hpp"
#include "engine/engine_state.hpp"
#include "skerry/max_tree.hpp"

namespace skerry::tree_stages {

// ---- what the stages share ------------------------------------------------------------------------------------------

// Rows z · height + y.
struct row_range {
  i64 begin = 0, end = 0;
};

// Cuts rows into blocks of about `pixels` pixels, at least one row each.
class row_blocks {
 public:
  row_blocks(const extent& size, i64 pixels);
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>((rows_ + each_ - 1) / each_); }
  [[nodiscard]] row_range operator[](std::size_t number) const {
    const i64 begin = static_cast<i64>(number) * each_;
    return {begin, begin + each_ < rows_ ? begin + each_ : rows_};
  }

 private:
  i64 rows_, each_;
};

// Pixels for which a thread is sent for: two strips' worth, 64 Ki unless a test lowers it.
inline i64 block_pixels(const engine::state& on) { return 2 * on.least_pixels_per_strip; }

// Pixels [begin, end) along z, y and x.
struct box {
  std::array<i64, 3> begin{}, end{};
  [[nodiscard]] int side(std::size_t axis) const { return static_cast<int>(end[axis] - begin[axis]); }
  // The raster index of the first pixel of a row, counted from the corner of the box.
  [[nodiscard]] i64 pixel(const extent& size, i64 z, i64 y) const {
    return ((begin[0] + z) * size.height + begin[1] + y) * size.width + begin[2];
  }
};

// Cuts an image into tiles whose sides are powers of two, at the far borders cut off.
class tiling {
 public:
  tiling(const extent& size, i64 pixels);
  [[nodiscard]] std::size_t tiles() const { return static_cast<std::size_t>(counts_[0] * counts_[1] * counts_[2]); }
  [[nodiscard]] i64 tiles_along(std::size_t axis) const { return counts_[axis]; }
  [[nodiscard]] int shift(std::size_t axis) const { return shifts_[axis]; }
  [[nodiscard]] std::size_t pixels_of_tile() const { return std::size_t{1} << (shifts_[0] + shifts_[1] + shifts_[2]); }
  [[nodiscard]] box tile(std::size_t number) const;
  // Some tiles together.
  [[nodiscard]] box tiles(const std::array<i64, 3>& first, const std::array<i64, 3>& count) const;

 private:
  std::array<i64, 3> sides_, counts_{};
  std::array<int, 3> shifts_{};
};

// A row that holds neighbours of a pixel: `reach` pixels to both sides of the same place there.
struct neighbour_row {
  int dz, dy, reach;
};
// In raster order, the row of the pixel itself among them.
std::span<const neighbour_row> neighbourhood_rows(int rank, int connectivity);

// An image of keys, dense.
template <class Key>
struct key_image {
  const Key* keys = nullptr;
  extent size;
  int connectivity = 0;
};

// Memory to solve one tile.
struct tile_scratch {
  buffer<u8> keys;
  buffer<u16> up;       // the maximum whose basin a pixel is in; for maxima their set
  buffer<u16> last;     // of each set: the lowest pixel so far
  buffer<u16> maxima;   // of each set: how many there are in it
  buffer<u16> order;    // all pixels, from the lowest to the highest
  buffer<u16> link;     // as the result, within the tile
  buffer<u32> meeting;  // the neighbours of a pixel in other basins, a bit each
  void reserve(std::size_t pixels, std::size_t mask_bytes) {
    keys.reserve(pixels);
    for (buffer<u16>* each : {&up, &last, &maxima, &order, &link}) each->reserve(pixels + 1);
    meeting.reserve(pixels * mask_bytes / sizeof(u32) + 1);
  }
  [[nodiscard]] std::size_t bytes() const {
    return keys.bytes() + up.bytes() + last.bytes() + maxima.bytes() + order.bytes() + link.bytes() + meeting.bytes();
  }
};

// ---- 1 encode: pixels to keys. After this stage the pixel type and the kind of tree are gone -------------------------

// Writes the keys of some rows. Returns the raster index of the first NaN, or -1.
i64 encode(const image_view& image, tree_kind kind, row_range rows, void* keys);

// The value of each key, for stage 4: the only others who need the pixel type.
double level_of(u32 key, dtype type, tree_kind kind);

// ---- 2 local -----------------------------------------------------------------------------------------------------------

// In the link of a pixel: it is the first of its node, in stages 2 and 3 within its tile at least. Others link to such.
inline constexpr u32 first_bit = u32{1} << 31;

// 8-bit keys: links the pixels of one tile as if there were no others.
void local(const key_image<u8>& image, const tiling& tiles, std::size_t number, tile_scratch& scratch, u32* link);

// Wider keys: the whole image is solved at once, in the order of its pixels, whose places in it are their ranks.
struct ranked_scratch {
  struct set {
    u32 parent, last;  // the set that it is a part of, if of any; the lowest rank so far
  };
  buffer<u32> up;     // of each pixel: a higher neighbour, then the maximum whose basin it is in
  buffer<u8> meets;   // of each pixel: whether higher neighbours are in other basins
  buffer<u64> pairs;  // of each rank: key, then pixel; the pixel's top bit is `meets`
  buffer<u64> more_pairs;
  buffer<u32> link;    // of each rank: a lower one
  buffer<set> sets;    // of maxima
  buffer<u32> places;  // of the sort's digits
  [[nodiscard]] std::size_t bytes() const {
    return up.bytes() + meets.bytes() + pairs.bytes() + more_pairs.bytes() + link.bytes() + sets.bytes() +
           places.bytes();
  }
};
inline constexpr u32 meets_bit = u32{1} << 31;

template <class Key>
void local_by_rank(engine::state& on, const key_image<Key>& image, ranked_scratch& scratch);

// Sorts keys with their pixels by (key, index).
template <class Key>
void sort(engine::state& on, const Key* keys, i64 pixels, ranked_scratch& scratch);

// ---- 3 merge: joins the trees of tiles, 8-bit keys only. After it connectivity is gone ---------------------------------

// Joins the two halves of a box, which meet at `middle` along an axis.
void merge(const key_image<u8>& image, const box& joined, std::size_t axis, i64 middle, u32* link);

// ---- 4 resolve: links to nodes ------------------------------------------------------------------------------------------

// Scratch of the numbering of 8-bit keys.
struct number_scratch {
  buffer<u64> first_of_node;  // a bit per pixel
  buffer<u32> counts;         // of nodes, per block and level
};

// Links become one hop within a level, nodes are numbered and written to the tree.
void resolve(engine::state& on, const key_image<u8>& image, const tiling& tiles, u32* link, number_scratch& scratch,
             max_tree& tree);
// The same for links of ranks.
void resolve_ranks(engine::state& on, i64 pixels, ranked_scratch& scratch, max_tree& tree);

// ---- 5 measure: attributes of nodes -------------------------------------------------------------------------------------

// `own` is scratch.
void measure(const max_tree& tree, const attribute_options& wanted, buffer<u32>& own, attribute_table& table);

// ---- 6 emit: an image of the tree's type ----------------------------------------------------------------------------------

// Scratch of a filter, an element per node.
struct filter_scratch {
  buffer<u8> kept;
  buffer<double> levels;  // after filtering
  buffer<u64> values;     // the same as pixels, of any type
  void reserve(std::size_t nodes) {
    kept.reserve(nodes);
    levels.reserve(nodes);
    values.reserve(nodes);
  }
  [[nodiscard]] std::size_t bytes() const { return kept.bytes() + levels.bytes() + values.bytes(); }
};

// The level that each node has when only those are left that are `kept`, which is used up.
void filtered_levels(const max_tree& tree, filter_rule rule, filter_scratch& scratch);
// The same after `h` is cut off the extrema.
void cut_levels(const max_tree& tree, double h, filter_scratch& scratch);

// Writes the levels, or how far they are from those of the tree.
void emit(engine::state& on, const max_tree& tree, bool top_hat, filter_scratch& scratch, const mutable_image& out);

}  // namespace skerry::tree_stages
