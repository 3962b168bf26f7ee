// SPDX-License-Identifier: Apache-2.0
// Stage 2, CUDA: features of the components of one tile, summed in shared memory from the pieces of runs in each word.
//
// Pieces of the component that most of a warp meets are joined in the warp first; the others by shared atomics.
#pragma once
#include "engine/cuda/square_sums.cuh"
#include "label/cuda/tiles/solve.cuh"

namespace skerry::label_stages::on_device {

/// A piece of one component: what a run of a group holds in one word.
struct piece {
  u32 area_y, sum_x, sum_z;
  u32 min_x, max_x;
  u32 box_yz;  // rank 2: max_y; rank 3: a bit for each y, and from bit 8 for each z
};

/// `with` says how, as in core/feature.hpp.
template <class Shape, class Join>
__device__ void join(piece& a, const piece& b, Join with) {
  with.sum(a.area_y, b.area_y);
  with.sum(a.sum_x, b.sum_x);
  if constexpr (Shape::rank == 3) with.sum(a.sum_z, b.sum_z);
  with.least(a.min_x, b.min_x);
  with.most(a.max_x, b.max_x);
  if constexpr (Shape::rank == 3) with.flags(a.box_yz, b.box_yz);
  else with.most(a.box_yz, b.box_yz);
}

template <class Shape>
__device__ piece measure_piece(const group_word<Shape>& here, int group, int column, typename Shape::word reach) {
  u32 area = 0, sum_x = 0, sum_y = 0, sum_z = 0, box_yz = 0;
  typename Shape::word all = 0;
#pragma unroll
  for (int k = 0; k < Shape::group_rows; ++k) {
    const typename Shape::word part = here.row[k] & reach;
    const u32 count = count_bits(part);
    const int row = group_word<Shape>::row_of(group, k), z = row / Shape::height, y = row % Shape::height;
    all |= part;
    area += count;
    sum_y += count * y;
    sum_z += count * z;
    if (part != 0) box_yz = Shape::rank == 2 ? y : box_yz | 1u << y | 256u << z;
  }
  const u32 low = lowest_bit(all), high = highest_bit(all);
  if constexpr (Shape::group_rows == 1) sum_x = area * (low + high) / 2;
  else
#pragma unroll
    for (int k = 0; k < Shape::group_rows; k += 2) sum_x += sum_of_places(here.row[k] & reach, here.row[k + 1] & reach);
  const u32 x = column * Shape::word_bits;
  return {area | sum_y << 14, sum_x + area * x, sum_z, x + low, x + high, box_yz};
}

template <class Shape>
struct component_sums {
  static constexpr int capacity = sums_of_components<Shape>::capacity, rows = sums_of_components<Shape>::rows;
  u32* words;  // area_y, sum_x, 127 - min_x, max_x, box_yz, and for rank 3 sum_z: `capacity` each
  u16* roots;

  __device__ explicit component_sums(sums_of_components<Shape>& kept) : words(kept.words), roots(kept.root) {}

  __device__ void clear(u32 thread, u32 count) const {
    for (u32 k = thread; k < min(count, u32{capacity}); k += Shape::group_words)
#pragma unroll
      for (int row = 0; row < rows; ++row) words[row * capacity + k] = 0;
  }
  __device__ void set_root(u32 slot, u32 run) const { roots[slot] = static_cast<u16>(run); }
  __device__ u32 root(u32 slot) const { return roots[slot]; }
  __device__ void add(u32 slot, const piece& p) const {
    atomicAdd(words + slot, p.area_y);
    atomicAdd(words + capacity + slot, p.sum_x);
    atomicMax(words + 2 * capacity + slot, 127 - p.min_x);
    atomicMax(words + 3 * capacity + slot, p.max_x);
    if constexpr (Shape::rank == 2) {
      atomicMax(words + 4 * capacity + slot, p.box_yz);
    } else {
      atomicOr(words + 4 * capacity + slot, p.box_yz);
      atomicAdd(words + 5 * capacity + slot, p.sum_z);
    }
  }
  __device__ piece get(u32 slot) const {
    return {words[slot],
            words[capacity + slot],
            Shape::rank == 3 ? words[5 * capacity + slot] : 0,
            127 - words[2 * capacity + slot],
            words[3 * capacity + slot],
            words[4 * capacity + slot]};
  }
};

template <class Shape>
__device__ tile_component packed(const piece& p, u32 first) {
  u32 min_y = first >> 7, max_y = p.box_yz, min_z = 0, max_z = 0;
  if constexpr (Shape::rank == 3) {
    min_y = __ffs(p.box_yz & 255) - 1;
    max_y = 31 - __clz(p.box_yz & 255);
    min_z = __ffs(p.box_yz >> 8) - 1;
    max_z = 31 - __clz(p.box_yz >> 8);
  }
  return {p.area_y, p.sum_x, p.sum_z, p.min_x | p.max_x << 7 | min_y << 14 | max_y << 20 | min_z << 26 | max_z << 29};
}

/// A tile's component in coordinates of the image.
template <class Shape>
__device__ geometry place(const tile_component& c, tile_place at) {
  const u64 area = c.area_y & 0x3fff;
  const i32 x = at.x * tile_width, y = at.y * Shape::height, z = Shape::rank == 3 ? at.z * Shape::depth : 0;
  geometry g;
  g.area = area;
  g.sum[0] = c.sum_z + area * z;
  g.sum[1] = (c.area_y >> 14) + area * y;
  g.sum[2] = c.sum_x + area * x;
  g.min[0] = z + (c.box >> 26 & 7), g.max[0] = z + (c.box >> 29);
  g.min[1] = y + (c.box >> 14 & 63), g.max[1] = y + (c.box >> 20 & 63);
  g.min[2] = x + (c.box & 127), g.max[2] = x + (c.box >> 7 & 127);
  return g;
}

/// A component that is alone or the root of others, once stage 4 has joined those to it.
template <class Shape>
__device__ geometry geometry_of_root(const label_tables& tables, u32 tile, tile_place at, const tile_info& info,
                                     u32 component) {
  if (component < info.border) return tables.border_features[u64{tile} * Shape::border_capacity + component];
  return place<Shape>(tables.pool[info.pool_begin + component - info.border], at);
}

}  // namespace skerry::label_stages::on_device
