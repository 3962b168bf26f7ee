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
#include "max_tree/cpu/measure_scratch.hpp"
#include "max_tree/cpu/tile_scratch.hpp"
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

inline constexpr int words_of_line = 16;  // of 4 bytes; how far ahead is fetched what a processor would not foresee

// Minimum pixels worth waking a thread: two strips' worth, 64 Ki unless a test lowers it.
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
  // The place of a pixel: above the lowest `cell_bits` its tile, in them its cell there. That of a row and that of a column
  // of the image add up to it.
  [[nodiscard]] int cell_bits() const { return shifts_[0] + shifts_[1] + shifts_[2]; }
  [[nodiscard]] u32 place_of_row(i64 row) const {
    const i64 z = row / sides_[1], y = row % sides_[1];
    return static_cast<u32>((z >> shifts_[0]) * counts_[1] + (y >> shifts_[1])) * static_cast<u32>(counts_[2])
               << cell_bits() |
           within(z, 0) << (shifts_[1] + shifts_[2]) | within(y, 1) << shifts_[2];
  }
  [[nodiscard]] u32 place_of_column(i64 x) const {
    return static_cast<u32>(x >> shifts_[2]) << cell_bits() | within(x, 2);
  }
  [[nodiscard]] u32 place_of(u32 pixel) const {
    return place_of_row(pixel / sides_[2]) + place_of_column(pixel % sides_[2]);
  }

 private:
  void count_tiles();
  [[nodiscard]] u32 within(i64 coordinate, std::size_t axis) const {
    return static_cast<u32>(coordinate) & ((1u << shifts_[axis]) - 1);
  }

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

// ---- 1 encode: pixels to keys. After this stage the pixel type and the kind of tree are gone -------------------------

// Writes the keys of some rows. Returns the raster index of the first pixel that has no level, or -1.
i64 encode(const image_view& image, tree_kind kind, row_range rows, void* keys);

// The value of each key, for stage 4, the only other stage that needs the pixel type.
double level_of(u64 key, dtype type, tree_kind kind);
void levels_of(std::span<const u64> keys, dtype type, tree_kind kind, double* levels);

// ---- 2 local -----------------------------------------------------------------------------------------------------------

// In the link of a pixel: it is the first of its node, as far as tiles have been joined. Others link to one that is or was,
// of the same node.
inline constexpr u32 first_bit = u32{1} << 31;

// What is known of the pixels of an image of 8-bit keys between stages 2 and 4.
struct pixel_links {
  u32* link;
  u64* former_first;  // a bit for each: it was the first of its node in its tile, and no longer is
};

// 8-bit keys: links the pixels of one tile as if there were no others.
void local(const key_image<u8>& image, const tiling& tiles, std::size_t number, tile_scratch& scratch, u32* link);

// Wider keys, after those of 64 bits have become 32: the place of a pixel in the order of all is its rank. Tiles are solved
// by the ranks of their pixels, which also say what pairs of pixels at their borders are worth: the pixels of a pair that is
// looked at are *gates*.
struct joint {
  u32 rank, one, other;  // two gates are connected from this rank down
};
struct gates {
  buffer<u32> first_pair;  // of each tile, and one more
  buffer<u32> first_gate;  // the same
  buffer<u32> pixels;      // of each pair two
  buffer<u32> gate_of;     // of each pair two; gates are numbered tile by tile
  buffer<u16> cells;       // of gates
  buffer<u32> ranks;       // of gates
  buffer<joint> joints;    // as many within tiles as gates, then the pairs
  buffer<u64> order;       // of joints, and room to sort
  buffer<u64> lines;       // the same
  buffer<u32> places;      // of its digits
  [[nodiscard]] std::size_t bytes() const {
    return first_pair.bytes() + first_gate.bytes() + pixels.bytes() + gate_of.bytes() + cells.bytes() + ranks.bytes() +
           joints.bytes() + order.bytes() + lines.bytes() + places.bytes();
  }
};

// Memory to solve one tile by ranks.
struct ranked_tile_scratch {
  struct set {
    u16 last, maxima, gate,
        next;  // the lowest rank so far, how many maxima there are in it, a gate in it, if any; in a
               // ring, another of these maxima
  };
  buffer<u16> ranks;    // of cells, within the tile
  buffer<u16> up;       // of cells: the maximum whose basin it is, then the number of its set
  buffer<u16> gate;     // of cells that are gates
  buffer<u16> link;     // of ranks
  buffer<u16> reached;  // of ranks: a gate in the component that its pixel completes, if any
  buffer<u32> meeting;  // of cells: neighbours in other basins, a bit each, and a bit for gates
  buffer<u16> set_of;   // of maxima
  buffer<set> sets;     // of maxima
  void reserve(std::size_t pixels) {
    for (buffer<u16>* each : {&ranks, &up, &gate, &link, &reached}) each->reserve(pixels);
    meeting.reserve(pixels);
    set_of.reserve(pixels / 2 + 2);
    sets.reserve(pixels / 2 + 2);
  }
  [[nodiscard]] std::size_t bytes() const {
    return ranks.bytes() + up.bytes() + gate.bytes() + link.bytes() + reached.bytes() + meeting.bytes() +
           set_of.bytes() + sets.bytes();
  }
};

struct ranked_scratch {
  struct branch {
    u32 above, end;  // the branch that it is a part of from a rank down; one more than that rank
  };
  struct branch_part {
    u32 now, first, last;  // the branch that pixels of a gate are in now; its highest and lowest rank so far
  };
  buffer<u64> pairs;      // of each rank: key, then the place of its pixel
  buffer<u64> room;       // while sorting; then ranks and cells, tile by tile
  buffer<u32> ways;       // of these: a lower rank, or `by_gate` and a gate; at last nodes
  buffer<u32> places;     // of the sort's digits, or of tiles, for each part of the ranks
  buffer<u64> lines;      // of each digit, words on their way to its place
  std::size_t parts = 1;  // that the ranks were dealt in
  gates at_borders;
  buffer<branch> branches;    // of gates
  buffer<u32> sets, weights;  // of gates
  buffer<branch_part> branch_parts;
  std::vector<ranked_tile_scratch> tiles;  // one per thread
  void reserve(std::size_t pixels) {
    pairs.reserve(pixels);
    room.reserve(pixels);
    ways.reserve(pixels);
  }
  [[nodiscard]] std::size_t bytes() const;
};
inline constexpr u32 by_gate = u32{1} << 31;

// The pixels of pairs at tile borders that are worth looking at.
template <class Key>
void find_gates(engine::state& on, const key_image<Key>& image, const tiling& tiles, gates& found);

// Sorts the places of pixels by key and raster index.
template <class Key>
void sort(engine::state& on, const key_image<Key>& image, const tiling& tiles, ranked_scratch& scratch);
// The same for keys of 64 bits; writes `keys`, of 32 bits in the same order, which all later stages see.
void sort_wide(engine::state& on, const u64* wide, const extent& size, const tiling& tiles, ranked_scratch& scratch,
               u32* keys);
// Sorts by the lowest `bits` of the upper half of each word. Returns which of the two rooms has the result.
u64* sort_by_upper_half(engine::state& on, u64* words, u64* room, i64 count, int bits, buffer<u32>& places,
                        buffer<u64>& lines);
// Deals the pixels to their tiles, in the order of ranks.
void deal(engine::state& on, const tiling& tiles, i64 pixels, ranked_scratch& scratch);

// Links the ranks of one tile, and joins its gates.
void local_by_rank(const extent& size, int connectivity, const tiling& tiles, std::size_t number,
                   ranked_tile_scratch& own, ranked_scratch& scratch);

// ---- 3 merge: joins the trees of tiles. After it connectivity is gone ----------------------------------------------------

// Joins the two halves of a box, which meet at `middle` along an axis.
void merge(const key_image<u8>& image, const box& joined, std::size_t axis, i64 middle, const pixel_links& links);

// The same for tiles solved by ranks, all at once. The link of each rank is a lower one.
void merge_ranks(engine::state& on, const tiling& tiles, i64 pixels, ranked_scratch& scratch, u32* link);

// ---- 4 resolve: links to nodes ------------------------------------------------------------------------------------------

// Scratch of the numbering of 8-bit keys.
struct number_scratch {
  buffer<u64> first_of_node;  // a bit per pixel, for ranks two: of 32 in a word, with the count of those before
  buffer<u64> former_first;   // a bit per pixel
  buffer<u32> counts;         // of nodes, per block and level; not for ranks
  buffer<u32> corners;        // the first pixels of tiles, for ranks only
  [[nodiscard]] std::size_t bytes() const {
    return first_of_node.bytes() + former_first.bytes() + counts.bytes() + corners.bytes();
  }
};

// Links become one hop within a level, nodes are numbered and written to the tree.
void resolve(engine::state& on, const key_image<u8>& image, const tiling& tiles, u32* link, number_scratch& scratch,
             tree_parts& tree);
// The same for links of ranks.
// `wide` are the keys of 64 bits, if the image has them.
void resolve_ranks(engine::state& on, const tiling& tiles, u32* link, const u64* wide, ranked_scratch& ranked,
                   number_scratch& scratch, tree_parts& tree);

// ---- 5 measure: attributes of nodes -------------------------------------------------------------------------------------

void measure(engine::state& on, const max_tree& tree, const attribute_options& wanted, measure_scratch& scratch,
             attribute_table& table);

// ---- 6 emit: an image of the tree's type ----------------------------------------------------------------------------------

// What is decided about each node by itself: one of three.
struct decision {
  const u8* keep = nullptr;  // not 0
  const double* attribute = nullptr;
  double least = 0;
  const u32* area = nullptr;
  u64 least_area = 0;
};

// Scratch of a filter, an element per node; each only where it is needed.
struct filter_scratch {
  buffer<u8> kept;        // of the rules min and max
  buffer<u32> staying;    // the nearest node below that stays, or the node itself
  buffer<double> levels;  // after filtering, where steps add up
  buffer<u64> values;     // the same as pixels, of any type
  strip_scratch strips;   // where steps add up
  [[nodiscard]] std::size_t bytes() const {
    return kept.bytes() + staying.bytes() + levels.bytes() + values.bytes() + strips.bytes();
  }
};

// Writes what is left by a rule, or how far that is from the image.
void emit_filtered(engine::state& on, const max_tree& tree, const decision& about, const filter_options& options,
                   filter_scratch& scratch, const mutable_image& out);
// The same after `h` is cut off the extrema.
void emit_cut(engine::state& on, const max_tree& tree, double h, bool top_hat, filter_scratch& scratch,
              const mutable_image& out);

}  // namespace skerry::tree_stages
