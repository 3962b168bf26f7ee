// SPDX-License-Identifier: Apache-2.0
// Slabs, CUDA: the labels of a slab's first or last layer, and the pairs of components of two layers that touch.
//
//   thread  a pixel of a layer
//   block   passes over pairs that it has met: neighbours, and many others, have the same
//
// Reads   bits, prefix, component, first, info, parent, root_bits, root_rank
// Writes  layers of labels; a list of pairs in any order, some of them more than once
#pragma once
#include "label/cuda/measure/tile_labels.cuh"
#include "label/cuda/slabs/stages.hpp"
#include "label/slabs/number.hpp"

namespace skerry::label_stages::on_device {

inline constexpr u32 layer_threads = 256, pixels_of_thread = 8, pairs_seen = 512;

/// A row of a plane or a slice of a volume.
struct layer_size {
  i64 height, width;
  [[nodiscard]] __host__ __device__ i64 pixels() const { return height * width; }
};

/// The label, in its slab alone, of one pixel.
template <class Shape>
__device__ u32 label_of_pixel(const tiling& grid, const label_tables& tables, i32 z, i32 y, i32 x) {
  const tile_place at{z / Shape::depth, y / Shape::height, x / tile_width};
  const u32 tile = tile_at<Shape>(grid, at);
  const int zz = z % Shape::depth, yy = y % Shape::height, column = x % tile_width / 32;
  const u32* const bits = tables.bits + u64{tile} * (tile_rows * tile_words);
  const u32 bit = 1u << x % 32;
  if ((bits[(zz * Shape::height + yy) * tile_words + column] & bit) == 0) return 0;
  const int group = zz / Shape::group_depth * Shape::groups_y + yy / Shape::group_height;
  const u32 starts = group_word<Shape>::of(bits, group, column).starts();
  const u32 run =
      tables.prefix[u64{tile} * Shape::prefix_pitch + group * Shape::words + column] + __popc(starts & up_to(bit)) - 1;
  u32 tile_of_root = tile, number = tables.component[u64{tile} * Shape::run_capacity + run];
  if (number < tables.info[tile].border) {
    const u32 root = tables.parent[tile * Shape::border_capacity + number];
    tile_of_root = root / Shape::border_capacity;
    number = root % Shape::border_capacity;
  }
  const u32 first = tables.first[u64{tile_of_root} * Shape::run_capacity + number];
  return rank_of(grid, tables, pixel_place::of<Shape>(grid, tile_place::of(grid, tile_of_root), first)) + 1;
}

template <class Shape>
__global__ __launch_bounds__(layer_threads) void layer_labels_kernel(const tiling grid, const label_tables tables,
                                                                     const i32 layer, u32* labels) {
  const i64 i = i64{blockIdx.x} * layer_threads + threadIdx.x;
  const i64 pixels = Shape::rank == 2 ? i64{grid.width} : i64{grid.height} * grid.width;
  if (i >= pixels) return;
  const i32 row = static_cast<i32>(i / grid.width), x = static_cast<i32>(i % grid.width);
  labels[i] = Shape::rank == 2 ? label_of_pixel<Shape>(grid, tables, 0, layer, x)
                               : label_of_pixel<Shape>(grid, tables, layer, row, x);
}

/// Which pixels of the layer before touch a pixel: bit (dy + 1) * 3 + dx + 1.
[[nodiscard]] constexpr u32 touching_pixels(int connectivity) {
  const bool plane = rank_of_connectivity(connectivity) == 2;
  u32 pixels = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (plane ? dy == 0 && touch(axes_of(connectivity), 0, -1, dx) : touch(axes_of(connectivity), -1, dy, dx))
        pixels |= 1u << ((dy + 1) * 3 + dx + 1);
  return pixels;
}

/// Labels of two successive layers.
struct two_layers {
  const u32 *before, *here;
  layer_size size;
  u32 touching;

  /// The pair of a pixel and the pixel at (dy, dx) before it, if its left or upper neighbour has not the same.
  [[nodiscard]] __device__ bool is_new(i64 y, i64 x, int dy, int dx, touching_labels& pair) const {
    const i64 yy = y + dy, xx = x + dx, i = y * size.width + x, other = yy * size.width + xx;
    if (yy < 0 || yy >= size.height || xx < 0 || xx >= size.width || before[other] == 0) return false;
    pair = {before[other], here[i]};
    if (x > 0 && xx > 0 && here[i - 1] == pair.here && before[other - 1] == pair.before) return false;
    return !(y > 0 && yy > 0 && here[i - size.width] == pair.here && before[other - size.width] == pair.before);
  }
};

__global__ __launch_bounds__(layer_threads) inline void find_pairs_kernel(const two_layers layers,
                                                                          const found_pairs to) {
  __shared__ unsigned long long seen[pairs_seen];
  for (u32 k = threadIdx.x; k < pairs_seen; k += layer_threads) seen[k] = 0;
  __syncthreads();
  auto* const counters = reinterpret_cast<unsigned long long*>(to.counters);
  const i64 begin = i64{blockIdx.x} * (layer_threads * pixels_of_thread);
  for (u32 k = 0; k < pixels_of_thread; ++k) {
    const i64 i = begin + k * layer_threads + threadIdx.x;
    if (i >= layers.size.pixels()) break;
    if (layers.here[i] == 0) continue;
    for (u32 rest = layers.touching; rest != 0; rest &= rest - 1) {
      const int at = __ffs(rest) - 1;
      touching_labels pair;
      if (!layers.is_new(i / layers.size.width, i % layers.size.width, at / 3 - 1, at % 3 - 1, pair)) continue;
      const unsigned long long both = static_cast<unsigned long long>(pair.before) << 32 | pair.here;
      if (atomicExch(&seen[both * 0x9e3779b97f4a7c15ull >> 55], both) == both) continue;
      const u64 place = atomicAdd(&counters[0], 1ull);
      if (place < to.told_capacity) to.told[place] = pair;
      else if (place < to.capacity) to.more[place - to.told_capacity] = pair;
    }
  }
  // The last block to finish publishes the count and resets the counters.
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(&counters[1], 1ull) != gridDim.x - 1) return;
  *to.count = atomicExch(&counters[0], 0ull);
  counters[1] = 0;
}

}  // namespace skerry::label_stages::on_device
