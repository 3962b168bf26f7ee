// SPDX-License-Identifier: Apache-2.0
// What a tile has of a node, in words of 32 bits, so that parts join by atomics in shared memory: places are counted from the corner of the
// tile, and its 4096 pixels have keys of 8 bits.
#pragma once
#include "max_tree/cuda/nodes/node_rows.cuh"
#include "max_tree/cuda/nodes/tile_runs.cuh"

namespace skerry::tree_stages::on_device {

// Σ k and Σ k² of [0, end).
__device__ inline u32 sum_below(u32 end) { return end * (end - 1) / 2; }
__device__ inline u32 squares_below(u32 end) { return end * (end - 1) * (2 * end - 1) / 6; }

template <class Word>
__device__ Word bits_of(i32 begin, i32 end) {
  constexpr auto all = static_cast<Word>(~Word{0});
  return static_cast<Word>(static_cast<Word>(all >> (8 * sizeof(Word) - static_cast<u32>(end - begin))) << begin);
}

// Everything that rows are made of: first words that add up, then sets of columns, rows and slices, then the farthest level.
template <int Rank>
struct tile_part {
  enum : int { pixels_x, y_z, xx, yy, yx, grey, squares, zz, zy, zx };  // pixels and Σ x; Σ y and, in volumes, Σ z
  static constexpr int sums = Rank == 2 ? 7 : 10, sets = Rank == 2 ? 4 : 2, peak = sums + sets, words = peak + 1;
  static constexpr u32 x_shift = 13, z_shift = 16;
  u32 word[words];

  static __device__ tile_part of(const tile_run& run) {
    const u32 width = run.width(), height = run.height(), z = static_cast<u32>(run.z), pixels = width * height;
    const auto begin = static_cast<u32>(run.begin), end = static_cast<u32>(run.end);
    const auto top = static_cast<u32>(run.top), bottom = static_cast<u32>(run.bottom);
    const u32 row = sum_below(end) - sum_below(begin), column = sum_below(bottom) - sum_below(top);
    tile_part part{};
    part.word[pixels_x] = pixels | height * row << x_shift;
    part.word[y_z] = width * column;
    part.word[xx] = height * (squares_below(end) - squares_below(begin));
    part.word[yy] = width * (squares_below(bottom) - squares_below(top));
    part.word[yx] = row * column;
    if constexpr (Rank == 2) {
      const u64 columns = bits_of<u64>(run.begin, run.end), rows = bits_of<u64>(run.top, run.bottom);
      part.word[sums] = static_cast<u32>(columns), part.word[sums + 1] = static_cast<u32>(columns >> 32);
      part.word[sums + 2] = static_cast<u32>(rows), part.word[sums + 3] = static_cast<u32>(rows >> 32);
    } else {
      part.word[y_z] |= z * pixels << z_shift;
      part.word[zz] = z * z * pixels;
      part.word[zy] = z * width * column;
      part.word[zx] = z * height * row;
      part.word[sums] = bits_of<u16>(run.begin, run.end) | u32{bits_of<u16>(run.top, run.bottom)} << 16;
      part.word[sums + 1] = 1u << z;
    }
    return part;
  }
  // Words that these groups need: pixels always.
  static u32 words_for(const node_groups& groups) {
    u32 wanted = 1u << pixels_x;
    if (groups.components || groups.moments) wanted |= 1u << y_z;
    if (groups.moments) wanted |= 1u << xx | 1u << yy | 1u << yx;
    if (groups.moments && Rank == 3) wanted |= 1u << zz | 1u << zy | 1u << zx;
    if (groups.intensities) wanted |= 1u << grey | 1u << squares;
    if (groups.components) wanted |= ((1u << sets) - 1) << sums;
    if (groups.intensities || groups.peaks) wanted |= 1u << peak;
    return wanted;
  }
  // Of pixels with one level.
  __device__ void add_greys(u32 level) {
    word[grey] = pixels() * level;
    word[squares] = pixels() * level * level;
  }
  // The farthest level so far, and of nodes with it the first place; none yet of pixels alone.
  static __device__ tile_part of_peak(u32 key, u32 place) {
    tile_part part{};
    part.word[peak] = key * tile_pixels + (tile_pixels - place);
    return part;
  }
  __device__ bool has_peak() const { return word[peak] != 0; }
  __device__ u32 key_of_peak() const { return (word[peak] - 1) / tile_pixels; }
  __device__ u32 place_of_peak() const { return tile_pixels - 1 - (word[peak] - 1) % tile_pixels; }

  __device__ u32 pixels() const { return word[pixels_x] % (1u << x_shift); }
  __device__ u64 sum_of_x() const { return word[pixels_x] >> x_shift; }
  __device__ u64 sum_of_y() const { return Rank == 2 ? word[y_z] : word[y_z] % (1u << z_shift); }
  __device__ u64 sum_of_z() const { return Rank == 2 ? 0 : word[y_z] >> z_shift; }
  __device__ u64 set(int axis) const {
    if constexpr (Rank == 2) {
      const int at = sums + (axis == 2 ? 0 : 2);
      return axis == 0 ? 1 : u64{word[at + 1]} << 32 | word[at];
    } else {
      return axis == 0 ? word[sums + 1] : word[sums] >> (axis == 2 ? 0 : 16) & 0xffff;
    }
  }

  // The rows, in coordinates of the image.
  __device__ geometry shape(const tile_box& tile) const {
    geometry all;
    const i32 corner[] = {tile.z, tile.y, tile.x};
    const u64 own[] = {sum_of_z(), sum_of_y(), sum_of_x()};
    all.area = pixels();
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      all.sum[axis] = own[axis] + all.area * static_cast<u64>(corner[axis]);
      all.min[axis] = corner[axis] + __ffsll(static_cast<long long>(set(axis))) - 1;
      all.max[axis] = corner[axis] + 63 - __clzll(static_cast<long long>(set(axis)));
    }
    return all;
  }
  __device__ second_moments moments(const tile_box& tile) const {
    const u64 n = pixels();
    const auto x = static_cast<u64>(tile.x), y = static_cast<u64>(tile.y), z = static_cast<u64>(tile.z);
    // Σ (a + i)(b + k) of places i and k from the corner (a, b).
    const auto product = [n](u64 a, u64 b, u64 sum_of_i, u64 sum_of_k, u64 of_tile) {
      wide_integer sum = wide_product(a * b, n);
      add(sum, {of_tile + a * sum_of_k + b * sum_of_i, 0});
      return sum;
    };
    const u64 sx = sum_of_x(), sy = sum_of_y(), sz = sum_of_z();
    second_moments all{};
    all.yy = product(y, y, sy, sy, word[yy]);
    all.yx = product(y, x, sy, sx, word[yx]);
    all.xx = product(x, x, sx, sx, word[xx]);
    if constexpr (Rank == 3) {
      all.zz = product(z, z, sz, sz, word[zz]);
      all.zy = product(z, y, sz, sy, word[zy]);
      all.zx = product(z, x, sz, sx, word[zx]);
    }
    return all;
  }
  // Of levels, of which one is the node's own, and another the farthest.
  __device__ intensity greys(u32 own_level, u32 farthest_level) const {
    return {static_cast<double>(min(own_level, farthest_level)),
            static_cast<double>(max(own_level, farthest_level)),
            {word[grey], 0},
            {word[squares], 0}};
  }
};

}  // namespace skerry::tree_stages::on_device
