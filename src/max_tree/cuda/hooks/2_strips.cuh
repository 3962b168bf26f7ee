// SPDX-License-Identifier: Apache-2.0
// Stage 2, CUDA, 8 neighbours: what a thread of a tile links alone, and which pairs with others it keeps.
//
//   thread  a piece of a strip: 8 rows of 2 pixels
//   warp    pieces beside each other
//
// Reads   keys of the tile
// Writes  links within each piece; a bit for each row whose pair with the strip beside it is kept
// Method  pixels of a row and the next are four that all touch. So the higher pixels of rows are a run, with the run itself
//         as the stack, and the lower ones are put in their places on the way down from the higher ones. Between two strips,
//         of two rows that follow each other, one pair is enough, at the level at which both strips have a pixel there. Such
//         pairs form a line: two of them are one where every row between them connects both strips' pixels at a level that is
//         not below the lower of the two pairs, which is then left out.
#pragma once
#include "max_tree/cuda/hooks/2_runs.cuh"

namespace skerry::tree_stages::on_device {

class strip_runs {
 public:
  static constexpr int rank = 2, rows = 8;
  using grid_type = tree_grid<rank>;
  static constexpr int most_listed = 2304;  // 31 · 63 pairs of strips, 32 · 7 of pieces

  __device__ strip_runs(const u8* keys, tile_links<u32> links, const tile_box& inside)
      : keys_(keys), links_(links), width_(inside.width), height_(inside.height),
        x_(static_cast<int>(threadIdx.x) % 32 * 2), y_(static_cast<int>(threadIdx.x) / 32 * rows) {}

  // Links always lead to the first pixel of a level of this piece. Threads of a warp go from row to row together.
  __device__ void link() const {
    const int filled = x_ < width_ ? min(rows, height_ - y_) : 0;
    u32 top = 0;  // the first pixel of the level of the higher pixel of the row before
    for (int i = 0; i < rows; ++i) {
      const two_keys here = row<0>(i);
      const u32 at = place(i), right_is_higher = here.right > here.left;
      top = insert(word_at(at + right_is_higher), top, i < filled);
      insert(word_at(at + 1 - right_is_higher), top, i < filled && here.right >= 0);
    }
  }

  // The piece has a pair with the one above it, bit 0 in the list.
  __device__ u32 follows() const { return u32{0 < y_ && y_ < height_ && x_ < width_}; }
  // A bit from 1 on for each row that with the next one is connected to the strip on the right.
  //
  // From row to row, one pair is in hand: the highest of those that are one with it so far, of equal ones the first. The pair
  // above the piece is looked at, too, and the first below it. A pair is left out only for a higher one, or an earlier one of
  // the same level; so never are all left out that are one.
  template <int Dx, int Dy, int Dz>
  __device__ u32 kept() const {
    if (x_ + 2 >= width_) return 0;
    if (height_ == 1) return y_ == 0 ? 2 : 0;
    const int last = min(height_ - 1 - y_, rows + 1);  // rows that have a next one, and that of the piece below
    u32 kept = 0, in_hand = 0;                         // the bit of the pair in hand
    int level_in_hand = -1, between = -1;              // and the lowest row between it and this one
    two_keys left = row<0>(-1), right = row<1>(-1), left_next = row<0>(0), right_next = row<1>(0);
    if (y_ > 0) level_in_hand = level_of_four(left, left_next, right, right_next), between = 255;
#pragma unroll
    for (int i = 0; i <= rows; ++i) {
      left = left_next, right = right_next;
      left_next = row<0>(i + 1), right_next = row<1>(i + 1);
      if (i >= last) continue;
      const int level = level_of_four(left, left_next, right, right_next);
      between = min(between, min(left.higher(), right.higher()));
      const bool are_one = between >= min(level, level_in_hand);
      if (are_one && level <= level_in_hand) continue;
      if (!are_one) kept |= in_hand;
      in_hand = 1u << i;
      level_in_hand = level;
      between = 255;
    }
    return ((kept | in_hand) & ((1u << rows) - 1)) << 1;
  }
  template <int Dx>
  __device__ bool late() const {
    return x_ / 2 % 2 != 0;
  }

  // The place of the row, and which pixel of the four of each strip is the lowest that is not below the level; upward, of the two
  // of each row.
  __device__ u16 listed(int bit) const {
    const int i = max(bit - 1, 0);
    const two_keys left = row<0>(i);
    if (bit == 0) {
      const two_keys above = row<0>(-1);
      const int level = min(left.higher(), above.higher());
      return static_cast<u16>(place(0) | 1 | lowest(left, {-1, -1}, level) << 12 |
                              lowest(above, {-1, -1}, level) << 14);
    }
    const two_keys left_next = row<0>(i + 1), right = row<1>(i), right_next = row<1>(i + 1);
    const int level = level_of_four(left, left_next, right, right_next);
    return static_cast<u16>(place(i) | lowest(left, left_next, level) << 12 | lowest(right, right_next, level) << 14);
  }
  template <int Dx, int Dy, int Dz>
  __device__ static place_pair pair_of(u32 listed) {
    constexpr u32 side = grid_type::side;
    const u32 at = listed % tile_pixels & ~u32{1}, a = listed >> 12, b = listed >> 14;
    return {at + (a & 1) + (a & 2) * (side / 2),
            ((listed & 1) != 0 ? at - side : at + 2) + (b & 1) + (b & 2) * (side / 2)};
  }

 private:
  // A row of a strip; -1 where there is no pixel.
  struct two_keys {
    int left, right;
    __device__ int higher() const { return max(left, right); }
  };

  __device__ u32 place(int i) const { return static_cast<u32>(grid_type::place(x_, y_ + i, 0)); }
  __device__ u32 word_at(u32 place) const { return word_of<u32>(keys_[place] + 1u, place); }
  template <int Strip>
  __device__ two_keys row(int i) const {
    if (y_ + i < 0 || y_ + i >= height_) return {-1, -1};
    const u32 both = *reinterpret_cast<const u16*>(keys_ + place(i) + 2 * Strip);
    return {static_cast<int>(both & 0xff), x_ + 2 * Strip + 1 < width_ ? static_cast<int>(both >> 8) : -1};
  }

  __device__ u32 insert(u32 here, u32 top, bool exists) const {
    u32 above = 0, below = top;
    if (exists)
      while (key_in(below) > key_in(here)) {
        above = below;
        below = links_.load(place_in(below));
      }
    __syncwarp();
    const bool begins = key_in(below) != key_in(here);
    if (exists) {
      if (above != 0 && begins) links_.store(place_in(above), here);
      links_.store(place_in(here), below);
    }
    return begins ? here : below;
  }

  __device__ static int level_of_four(const two_keys& left, const two_keys& left_next, const two_keys& right,
                                      const two_keys& right_next) {
    return min(max(left.right, left_next.right), max(right.left, right_next.left));
  }
  // A bit for the column, one for the row.
  __device__ static u32 lowest(const two_keys& upper, const two_keys& lower, int level) {
    const auto rated = [&](int key, int pixel) { return key >= level ? key * 4 + pixel : 1024; };
    return static_cast<u32>(min(min(rated(upper.left, 0), rated(upper.right, 1)),
                                min(rated(lower.left, 2), rated(lower.right, 3)))) &
           3;
  }

  const u8* keys_;
  tile_links<u32> links_;
  int width_, height_;  // of the tile
  int x_, y_;           // of the piece, in the tile
};

}  // namespace skerry::tree_stages::on_device
