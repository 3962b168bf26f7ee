// SPDX-License-Identifier: Apache-2.0
// Sides of components, and which follows which along the outlines.
//
//   thread  four pixels, or a side
//   warp    128 pixels of a row
//   block   a row
//
// Reads   components: a dense image of their numbers, 0 for background
// Writes  bits where rows have sides; of each side, in raster order, its place and the side that follows
// Method  A *side* is an upright edge of one pixel between a component and something else. An outline has its component on the
//         right hand: it goes up left sides and down right sides. Where a side ends it turns left if its component lies there, else
//         it goes straight on if it can, else it turns right (regions/outline_sides.cpp). It then goes along the line between two rows
//         until the component lies ahead on the left, or no longer on the right; bits tell where that may be
#pragma once
#include "engine/cuda/warp.cuh"
#include "regions/cuda/numbers.cuh"

namespace skerry::regions::on_device {

struct component_image {
  const u32* pixels;
  i64 height, width;

  [[nodiscard]] __device__ u32 at(i64 y, i64 x) const {
    return y >= 0 && y < height && x >= 0 && x < width ? __ldg(pixels + y * width + x) : 0;
  }
};

struct side_place {
  i32 row;
  u32 column;  // 2 x of the right side of pixel x - 1, 2 x + 1 of the left side of pixel x

  [[nodiscard]] SKERRY_BOTH bool goes_up() const { return column % 2 != 0; }
  [[nodiscard]] SKERRY_BOTH i64 x() const { return column / 2; }
  // The line at which it ends: line y is above row y.
  [[nodiscard]] SKERRY_BOTH i64 line() const { return i64{row} + (goes_up() ? 0 : 1); }
};

// A bit for each column of each row that has a side.
struct side_bits {
  dense_numbers numbers;
  u64 of_row;  // a multiple of 64

  static constexpr u32 right_sides = 0x55555555, left_sides = 0xaaaaaaaa, no_column = ~u32{0};

  [[nodiscard]] static side_bits of(const extent& size) {
    side_bits bits{};
    bits.of_row = (static_cast<u64>(size.width) + 1 + 31) / 32 * 64;
    bits.numbers = numbers_of_places(bits.of_row * static_cast<u64>(size.height));
    return bits;
  }
  [[nodiscard]] __device__ u32 number_of(const side_place& side) const {
    return numbers.row_of(static_cast<u64>(side.row) * of_row + side.column);
  }
  // The first of these sides in columns [from, end) of a row, or `end`.
  [[nodiscard]] __device__ u32 first_of(u32 sides, i64 row, u32 from, u32 end) const {
    const u32* const words = words_of(row);
    for (u32 word = from / 32; word * 32 < end; ++word) {
      const u32 left = __ldg(words + word) & sides & (word == from / 32 ? ~u32{0} << from % 32 : ~u32{0});
      if (left != 0) return min(end, word * 32 + static_cast<u32>(__ffs(static_cast<int>(left))) - 1);
    }
    return end;
  }
  // The last of these sides in columns [least, end) of a row, or no_column.
  [[nodiscard]] __device__ u32 last_of(u32 sides, i64 row, u32 least, u32 end) const {
    if (end <= least) return no_column;
    const u32* const words = words_of(row);
    const u32 top = (end - 1) / 32;
    for (u32 word = top;; --word) {
      const u32 left = __ldg(words + word) & sides & (word == top ? ~u32{0} >> (31 - (end - 1) % 32) : ~u32{0});
      if (left != 0) {
        const u32 column = word * 32 + 31 - static_cast<u32>(__clz(static_cast<int>(left)));
        return column >= least ? column : no_column;
      }
      if (word <= least / 32) return no_column;
    }
  }

 private:
  [[nodiscard]] __device__ const u32* words_of(i64 row) const {
    return numbers.bits + static_cast<u64>(row) * of_row / 32;
  }
};

// ---- sides ----------------------------------------------------------------------------------------------------------

// A lane has four pixels side by side; `in_fours`: each four are aligned for one load. By whole warps.
__global__ inline void find_sides_kernel(const component_image image, const side_bits sides, const bool in_fours) {
  const u32 lane = lane_of_thread(), words_of_row = static_cast<u32>(sides.of_row / 32);
  for (i64 y = blockIdx.x; y < image.height; y += gridDim.x) {
    const u32* const row = image.pixels + y * image.width;
    u32* const words = sides.numbers.bits + static_cast<u64>(y) * words_of_row;
    for (u32 first = threadIdx.x / 32 * 8; first < words_of_row; first += blockDim.x / 4) {
      const i64 x = i64{first} * 16 + lane * 4;
      u32 pixels[4] = {};
      if (in_fours && x + 4 <= image.width) {
        load_four(reinterpret_cast<const char*>(row + x), pixels);
      } else {
#pragma unroll
        for (u32 k = 0; k < 4; ++k)
          if (x + k < image.width) pixels[k] = row[x + k];
      }
      u32 before = __shfl_up_sync(~0u, pixels[3], 1);
      if (lane == 0) before = x > 0 && x <= image.width ? row[x - 1] : 0;
      u32 bits = 0;
#pragma unroll
      for (u32 k = 0; k < 4; ++k) {
        if (pixels[k] != before) bits |= (before != 0 ? 1u : 0u) << 2 * k | (pixels[k] != 0 ? 2u : 0u) << 2 * k;
        before = pixels[k];
      }
      bits <<= lane % 4 * 8;
      bits |= __shfl_xor_sync(~0u, bits, 1);
      bits |= __shfl_xor_sync(~0u, bits, 2);
      if (lane % 4 == 0 && first + lane / 4 < words_of_row) words[first + lane / 4] = bits;
    }
  }
}

__global__ inline void list_sides_kernel(const side_bits sides, const u64 words, side_place* places) {
  for (u64 word = u64{blockIdx.x} * blockDim.x + threadIdx.x; word < words; word += u64{gridDim.x} * blockDim.x) {
    const u32 bits = sides.numbers.bits[word];
    if (bits == 0) continue;
    const u64 row = word * 32 / sides.of_row;
    const u32 column = static_cast<u32>(word * 32 - row * sides.of_row);
    u32 number = sides.numbers.before[word];
    each_bit(bits, [&](int bit) { places[number++] = {static_cast<i32>(row), column + static_cast<u32>(bit)}; });
  }
}

// ---- what follows ---------------------------------------------------------------------------------------------------

// Finds the side that follows the end of a side.
class outline_way {
 public:
  __device__ outline_way(const component_image& image, const side_bits& sides) : image_(image), sides_(sides) {}

  struct step {
    side_place to;
    bool turned_left;
  };
  [[nodiscard]] __device__ step from(const side_place& side) const {
    const bool up = side.goes_up();
    const i64 x = side.x(), ahead = up ? i64{side.row} - 1 : i64{side.row} + 1;
    const i64 on_right = up ? x : x - 1, on_left = up ? x - 1 : x;
    const u32 own = image_.at(side.row, on_right);
    const bool left = image_.at(ahead, on_left) == own;
    if (!left && image_.at(ahead, on_right) == own) return {{static_cast<i32>(ahead), side.column}, false};
    return {left == up ? go_left(side.line(), x, own) : go_right(side.line(), x, own), left};
  }

 private:
  // A step searches both rows of a line in pieces that double in width, so its cost is proportional to its length even where only one
  // row has sides. Pieces begin and end at even columns, or end with the row, so the two sides at a corner lie in one piece. No number
  // overflows: outline_on_cuda() refuses rows of more than 2^31 - 128 pixels.
  static constexpr u32 first_piece = 64;

  // Goes right from a corner, with the component below the line; returns the side at which it begins above the line or ends below it.
  [[nodiscard]] __device__ side_place go_right(i64 line, i64 x, u32 own) const {
    const u32 most = static_cast<u32>(2 * image_.width + 1);
    u32 from = static_cast<u32>(2 * x + 2);
    for (u32 piece = first_piece;; piece *= 2) {
      const u32 stop = most - from > piece ? from + piece : most;
      const u32 end = sides_.first_of(side_bits::right_sides, line, from, stop);
      const u32 last = end < stop ? end + 2 : stop;
      for (u32 column = from; line > 0; ++column) {
        column = sides_.first_of(side_bits::left_sides, line - 1, column, last);
        if (column == last) break;
        if (image_.at(line - 1, column / 2) == own) return {static_cast<i32>(line - 1), column};
      }
      if (end < stop) return {static_cast<i32>(line), end};
      from = stop;
    }
  }
  // Goes left from a corner, with the component above the line; returns the side at which it begins below the line or ends above it.
  [[nodiscard]] __device__ side_place go_left(i64 line, i64 x, u32 own) const {
    u32 from = static_cast<u32>(2 * x);
    for (u32 piece = first_piece;; piece *= 2) {
      const u32 stop = from > piece ? from - piece : 0;
      const u32 end = sides_.last_of(side_bits::left_sides, line - 1, stop, from);
      const bool ends = end != side_bits::no_column;
      for (u32 column = from; line < image_.height;) {
        column = sides_.last_of(side_bits::right_sides, line, ends ? end - 1 : stop, column);
        if (column == side_bits::no_column) break;
        if (image_.at(line, i64{column} / 2 - 1) == own) return {static_cast<i32>(line), column};
      }
      if (ends) return {static_cast<i32>(line - 1), end};
      from = stop;
    }
  }

  const component_image& image_;
  const side_bits& sides_;
};

}  // namespace skerry::regions::on_device
