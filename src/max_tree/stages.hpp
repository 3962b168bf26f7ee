// SPDX-License-Identifier: Apache-2.0
// The journey of a grey value, in order. Stage N lives in N_*.cpp; stages meet only here, and max_tree.cpp calls them.
//
// Pixels are ordered by (key, raster index): `higher` means farther from the root. The link of a pixel is a lower pixel;
// within one level links go to smaller indices, so that the root of a level is the first pixel of its node.
#pragma once
#include <array>
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
  friend bool operator==(const row_range&, const row_range&) = default;
};

// Cuts rows into ranges of about `pixels` pixels, at least one row each.
std::vector<row_range> cut(const extent& size, i64 pixels);

// The rows that hold neighbours of a row, in raster order; `reach` pixels to both sides.
class neighbourhood_rows {
 public:
  struct row {
    i64 dz = 0, dy = 0, offset = 0;  // pixels to the same place in that row
    int reach = 0;
  };
  neighbourhood_rows(const extent& size, int connectivity);
  [[nodiscard]] const row* begin() const { return rows_.data(); }
  [[nodiscard]] const row* end() const { return rows_.data() + count_; }
  // The row number of a neighbour row, or -1 outside the image.
  [[nodiscard]] i64 row_number(i64 from, const row& to) const;

 private:
  extent size_;
  std::array<row, 9> rows_;
  std::size_t count_ = 0;
};

// An image of keys, dense.
template <class Key>
struct key_image {
  const Key* keys = nullptr;
  extent size;
  int connectivity = 0;
};

// Memory to solve one strip. Pixels are counted from the first of the strip.
struct strip_scratch {
  buffer<u32> up;                 // the maximum whose basin a pixel is in; for maxima their set
  buffer<u32> last;               // of each set: the lowest pixel so far
  buffer<u32> meeting;            // the neighbours of a pixel in other basins, a bit each
  buffer<u32> order;              // all pixels, from the lowest to the highest
  buffer<u64> pairs, more_pairs;  // key and pixel, while keys of more than 8 bits are sorted
  [[nodiscard]] std::size_t bytes() const {
    return up.bytes() + last.bytes() + meeting.bytes() + order.bytes() + pairs.bytes() + more_pairs.bytes();
  }
};

// ---- 1 encode: pixels to keys. After this stage the pixel type and the kind of tree are gone -------------------------

// Writes the keys of some rows. Returns the raster index of the first NaN, or -1.
i64 encode(const image_view& image, tree_kind kind, row_range rows, void* keys);

// The value of each key, for stage 4: the only others who need the pixel type.
double level_of(u32 key, dtype type, tree_kind kind);

// ---- 2 local: the tree of one strip -----------------------------------------------------------------------------------

// Links the pixels of some rows as if there were no others. `on` may be used for parts of the strip; null: this thread.
template <class Key>
void local(engine::state* on, const key_image<Key>& image, row_range rows, strip_scratch& scratch, u32* link);

// Sorts `pixels` keys, stable: scratch.order.
template <class Key>
void sort(engine::state* on, const Key* keys, i64 pixels, strip_scratch& scratch);

// ---- 3 merge: joins trees along a border. After it connectivity is gone ----------------------------------------------

// Joins the tree of rows [middle, end) with that of [begin, middle).
void merge(const key_image<u8>& image, i64 begin, i64 middle, i64 end, u32* link);

// ---- 4 resolve: links to nodes ------------------------------------------------------------------------------------------

// Scratch of the numbering.
struct number_scratch {
  buffer<u64> first_of_node;  // a bit per pixel
  std::vector<u64> counts;    // per block: nodes, of each level for 8-bit keys
};

// Links become one hop within a level, nodes are numbered and written to the tree. `order` is that of the whole image,
// or null for 8-bit keys, which are counted.
template <class Key>
void resolve(engine::state& on, const key_image<Key>& image, u32* link, const u32* order, number_scratch& scratch,
             max_tree& tree);

// ---- 5 measure: attributes of nodes -------------------------------------------------------------------------------------

void measure(const max_tree& tree, const attribute_options& wanted, attribute_table& table);

// ---- 6 emit: an image of the tree's type ----------------------------------------------------------------------------------

// The level that each node has after filtering.
void filtered_levels(const max_tree& tree, std::span<const std::uint8_t> keep, filter_rule rule,
                     std::vector<double>& levels);
// The same after `h` is cut off the extrema.
void cut_levels(const max_tree& tree, double h, std::vector<double>& levels);

// Writes the levels, or how far they are from those of the tree.
void emit(engine::state& on, const max_tree& tree, const std::vector<double>& levels, bool top_hat,
          const mutable_image& out);

}  // namespace skerry::tree_stages
