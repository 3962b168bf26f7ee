// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA, planes: second moments, and intensities of bytes. Other sums: sums.cuh.
//
//   thread  a patch of 4 x 8 pixels of a tile: the pixels of one component are a mask, whose sums are counts of its bits, or
//           come from the bytes under it
//   warp    the component that comes first in a warp is joined there
//   block   one tile: a part for each of its components, in shared memory
//   grid    a component that touches no side of its tile is a row; of others the parts join in device memory
//
// Reads   bits, prefix, component, first, info, parent, root_bits, root_rank; intensities
// Writes  rows of features, of the components whose label is at most `capacity`
// Needs   one launch before the sums to empty the rows
#pragma once
#include "engine/cuda/patch_bytes.cuh"
#include "label/cuda/measure/sums.cuh"

namespace skerry::label_stages::on_device {

// ---- thread -------------------------------------------------------------------------------------------------------------

/// The place of a thread's patch in its tile.
__device__ inline u32 patch_x() { return threadIdx.x % 32 * patch_width; }
__device__ inline u32 patch_y() { return threadIdx.x / 32 * patch_height; }

template <int N>
struct some_numbers {
  wide_integer* to[N];
};
template <int N>
struct some_addends {
  const wide_integer* from[N];
};
/// Adds to numbers of a row that other threads add to. A thread waits once for what all of them were, not for each in turn.
template <int N>
__device__ void add_at_once(const some_numbers<N>& numbers, const some_addends<N>& addends) {
  u64 before[N];
#pragma unroll
  for (int k = 0; k < N; ++k)
    before[k] = atomicAdd(reinterpret_cast<unsigned long long*>(&numbers.to[k]->low), addends.from[k]->low);
#pragma unroll
  for (int k = 0; k < N; ++k) {
    const u64 high = addends.from[k]->high + (before[k] + addends.from[k]->low < before[k] ? 1 : 0);
    if (high != 0) atomicAdd(reinterpret_cast<unsigned long long*>(&numbers.to[k]->high), high);
  }
}

/// What pixels of a tile add to a component: words that are 0 for no pixels. The first `sums` of them add up, of the others the
/// largest counts.
struct moments_of_mask {
  using row = second_moments;
  static constexpr u32 words = 5, sums = 5;
  static constexpr int blocks = 6;  // to a processor

  struct pixels {};
  __device__ pixels read(const tiling&, tile_place, u32) const { return {}; }
  __device__ void add(u32 (&part)[words], const pixels&, u32 mask) const {
    const tile_moments m = tile_moments::of(mask, patch_x(), patch_y());
    part[0] = m.area | m.y << 14;  // of 64 rows of 128
    part[1] = m.x, part[2] = m.xx, part[3] = m.xy, part[4] = m.yy;
  }
  __device__ row placed(const u32 (&part)[words], tile_place at) const {
    const tile_moments m{part[0] & 0x3fff, part[1], part[0] >> 14, part[2], part[3], part[4]};
    return m.placed(0, u64{static_cast<u32>(at.y)} * tile_rows, u64{static_cast<u32>(at.x)} * tile_width);
  }
  __device__ static void join_to(row& all, const row& more) {
    add_at_once<3>({&all.yy, &all.yx, &all.xx}, {&more.yy, &more.yx, &more.xx});
  }
};

struct bytes_of_mask {
  using row = intensity;
  static constexpr u32 words = 4, sums = 2;  // and 255 - least, most
  static constexpr int blocks = 5;           // to a processor
  intensity_image image;
  readable_bytes readable;

  using pixels = patch_bytes;
  /// The bytes of a patch, wherever the mask has one of their row.
  __device__ pixels read(const tiling& grid, tile_place at, u32 mask) const {
    const i64 y = i64{at.y} * tile_rows + patch_y();
    const auto* const first = reinterpret_cast<const u8*>(image.place(at.z, y, i64{at.x} * tile_width + patch_x()));
    // Where all rows are, from the first to the last one of the patch, with what lies beside them.
    const bool all_there = y + patch_height <= grid.height && readable.has(first - 4, 12) &&
                           readable.has(first - 4 + (patch_height - 1) * image.step.y, 12);
    const bool aligned = (reinterpret_cast<u64>(first) | static_cast<u64>(image.step.y)) % 4 == 0;
    pixels bytes;
    const auto read_rows = [&](auto read) {
#pragma unroll
      for (u32 k = 0; k < patch_height; ++k) {
        const u32 wanted = mask >> patch_width * k & 0xf;
        bytes.rows[k] = wanted == 0 ? 0 : read(first + k * image.step.y, wanted);
      }
    };
    if (!all_there) read_rows(bytes_at);
    else if (aligned) read_rows([](const u8* from, u32) { return __ldcs(reinterpret_cast<const u32*>(from)); });
    else read_rows([](const u8* from, u32) { return four_at(from); });
    return bytes;
  }
  __device__ void add(u32 (&part)[words], const pixels& bytes, u32 mask) const {
    const byte_sums sums = byte_sums::of(bytes, mask);
    part[0] = sums.sum, part[1] = sums.squares, part[2] = sums.missing, part[3] = sums.most;
  }
  __device__ row placed(const u32 (&part)[words], tile_place) const {
    row sums;
    const narrow_sums found{255 - static_cast<i32>(part[2]), static_cast<i32>(part[3]), part[0], part[1]};
    found.add_to(sums);
    return sums;
  }
  __device__ static void join_to(row& all, const row& more) {
    const double least = __ldcg(&all.min), most = __ldcg(&all.max);  // of whenever: rows only move away from them
    add_at_once<2>({&all.sum, &all.squares}, {&more.sum, &more.squares});
    if (more.min < least) join_at_once().least(all.min, more.min);
    if (more.max > most) join_at_once().most(all.max, more.max);
  }

 private:
  /// Four bytes at any address, of words that are there.
  __device__ static u32 four_at(const u8* at) {
    const u32 off = reinterpret_cast<u64>(at) % 4;
    const auto* const from = reinterpret_cast<const u32*>(at - off);
    return __funnelshift_r(from[0], off == 0 ? 0 : from[1], 8 * off);
  }
  __device__ static u32 bytes_at(const u8* at, u32 wanted) {
    u32 bytes = 0;
    each_bit(wanted, [&](int k) { bytes |= u32{at[k]} << 8 * k; });
    return bytes;
  }
};

// ---- block --------------------------------------------------------------------------------------------------------------

template <class Shape, class Feature>
struct plane_sums {
  static constexpr u32 capacity = 1024;  // components at once; noise has at most about 700, with 4 neighbours 1100
  uint2 rows[Shape::group_words];        // both rows of a word of a group
  uint2 runs[Shape::group_words];        // starts of runs in it, and how many runs come before
  alignas(4) u16 run_component[Shape::run_capacity];
  u32 parts[Feature::words][capacity];

  /// By all threads of the block; ends with a barrier.
  __device__ void load(const label_tables& tables, u32 tile) {
    static_assert(Shape::rank == 2 && Shape::word_bits == 32 && Shape::group_rows == 2);
    static_assert(label_threads >= Shape::group_words);
    const u16* const prefix = tables.prefix + u64{tile} * Shape::prefix_pitch;
    load_run_components<Shape>(tables, tile, prefix[Shape::group_words], run_component);
    const u32 k = threadIdx.x;
    if (k < Shape::group_words) {
      const auto here =
          group_word<Shape>::of(tables.bits + u64{tile} * (tile_rows * tile_words), k / tile_words, k % tile_words);
      rows[k] = make_uint2(here.row[0], here.row[1]);
      runs[k] = make_uint2(here.starts(), prefix[k]);
    }
    __syncthreads();
  }
  __device__ void clear(u32 components) {
    for (u32 k = threadIdx.x; k < min(components, capacity); k += label_threads)
#pragma unroll
      for (u32 word = 0; word < Feature::words; ++word) parts[word][k] = 0;
  }
  __device__ void join(u32 slot, const u32 (&part)[Feature::words]) {
#pragma unroll
    for (u32 word = 0; word < Feature::words; ++word)
      if (word < Feature::sums) atomicAdd(&parts[word][slot], part[word]);
      else atomicMax(&parts[word][slot], part[word]);
  }
};

/// The foreground of a thread's patch, and which component its pixels belong to. Runs of a group of two rows are intervals of
/// columns, so the four columns of a group mostly belong to one or two.
template <class Shape, class Feature>
struct component_patch {
  static constexpr u32 groups = patch_height / 2;
  const plane_sums<Shape, Feature>& tile;
  u32 pixels = 0, first = 0, second = 0;  // those of the first and of the second run of their group
  u32 first_component[groups], second_component[groups];

  __device__ explicit component_patch(const plane_sums<Shape, Feature>& t) : tile(t) {
    const u32 shift = patch_x() % 32, columns = 0xfu << shift;
#pragma unroll
    for (u32 g = 0; g < groups; ++g) {
      const uint2 rows = tile.rows[word_of(g)], runs = tile.runs[word_of(g)];
      const u32 any = (rows.x | rows.y) & columns, lowest = any & -any, up_to_lowest = lowest | (lowest - 1);
      u32 of_first, of_second;
      if constexpr (Shape::axes == 1) {
        const u32 next = runs.x & columns & ~up_to_lowest, after = next & (next - 1);
        of_first = any & ((next & -next) - 1);
        of_second = any & ~of_first & ((after & -after) - 1);
      } else {  // an empty column parts runs: a carry runs through the first one, and there are no more than two
        of_second = any & (any + lowest);
        of_first = any & ~of_second;
      }
      const u32 run = runs.y + ones(runs.x & up_to_lowest) - 1;
      first_component[g] = any != 0 ? tile.run_component[run] : ~0u;
      second_component[g] = of_second != 0 ? tile.run_component[run + 1] : ~0u;
      pixels |= ((rows.x >> shift & 0xf) | (rows.y >> shift & 0xf) << patch_width) << 8 * g;
      first |= (of_first >> shift) * 0x11 << 8 * g;
      if constexpr (Shape::axes == 1) second |= (of_second >> shift) * 0x11 << 8 * g;
    }
    first &= pixels;
    second = Shape::axes == 1 ? second & pixels : pixels & ~first;
  }
  /// Word of the g-th group.
  __device__ static u32 word_of(u32 g) { return (patch_y() / 2 + g) * tile_words + patch_x() / 32; }
  __device__ u32 component_of(u32 pixel) const {
    const uint2 runs = tile.runs[word_of(pixel / 8)];
    const u32 up_to_pixel = (2u << (patch_x() % 32 + pixel % 4)) - 1;
    return tile.run_component[runs.y + ones(runs.x & up_to_pixel) - 1];
  }
  /// Pixels of a component; of runs that are neither the first nor the second of their group only this one.
  __device__ u32 pixels_of(u32 component, u32 pixel) const {
    u32 in_first = 0, in_second = 0;
#pragma unroll
    for (u32 g = 0; g < groups; ++g) {
      if (first_component[g] == component) in_first |= 0xffu << 8 * g;
      if (second_component[g] == component) in_second |= 0xffu << 8 * g;
    }
    return (in_first & first) | (in_second & second) | 1u << pixel;
  }
};

/// Joins the parts of the threads where `active` in shared memory; all of the warp come here together.
template <class Shape, class Feature>
__device__ void join_by_warp(plane_sums<Shape, Feature>& tile, bool active, u32 slot,
                             const u32 (&part)[Feature::words]) {
  constexpr int least_threads = 5;
  const u32 all = __ballot_sync(~0u, active);
  if (all == 0) return;
  const u32 common = __shfl_sync(~0u, slot, first_of(all));
  const bool shares = active && slot == common;
  const u32 same = __ballot_sync(~0u, shares);
  if (shares && __popc(same) >= least_threads) {
    u32 joined[Feature::words];
#pragma unroll
    for (u32 word = 0; word < Feature::words; ++word)
      joined[word] = word < Feature::sums ? __reduce_add_sync(same, part[word]) : __reduce_max_sync(same, part[word]);
    if (is_first_of(same)) tile.join(common, joined);
  } else if (active) {
    tile.join(slot, part);
  }
  __syncwarp();
}

/// Joins what this thread's patch has of the components [begin, begin + capacity).
template <class Shape, class Feature>
__device__ void add_patch(plane_sums<Shape, Feature>& tile, const component_patch<Shape, Feature>& patch,
                          const Feature& feature, const typename Feature::pixels& pixels, u32 begin) {
  u32 left = patch.pixels;
  while (__any_sync(~0u, left != 0)) {
    u32 slot = 0, part[Feature::words] = {};
    bool active = left != 0;
    if (active) {
      const u32 pixel = lowest_bit(left), component = patch.component_of(pixel);
      const u32 mask = patch.pixels_of(component, pixel) & left;
      left ^= mask;
      slot = component - begin;
      active = slot < tile.capacity;
      if (active) feature.add(part, pixels, mask);
    }
    __syncwarp();
    join_by_warp(tile, active, slot, part);
  }
}

// ---- grid ---------------------------------------------------------------------------------------------------------------

/// What this block has to know of its tile.
struct plane_tile {
  const tiling& grid;
  const label_tables& tables;
  tile_place at;
  tile_info info;

  /// The row of a component, or no_rank.
  template <class Shape>
  [[nodiscard]] __device__ u32 row_of(u32 component) const {
    if (component >= info.components) return no_rank;
    return rank_of(grid, tables, place_of_root<Shape>(grid, tables, blockIdx.x, at, info, component));
  }
};

/// Writes the components [begin, begin + capacity). The row of the one with the number of this thread is known; it is looked up
/// early, since one load follows from the other.
template <class Shape, class Feature>
__device__ void write_parts(const plane_sums<Shape, Feature>& tile, const plane_tile& of, const Feature& feature,
                            u32 begin, u32 own_row, typename Feature::row* rows, u64 room) {
  const tile_info& info = of.info;
  const u32 count = min(info.components - begin, tile.capacity);
  for (u32 slot = threadIdx.x; slot < count; slot += label_threads) {
    const u32 component = begin + slot;
    const u32 rank = component < label_threads ? own_row : of.row_of<Shape>(component);
    if (rank >= room) continue;  // one that was not selected, too
    u32 part[Feature::words];
#pragma unroll
    for (u32 word = 0; word < Feature::words; ++word) part[word] = tile.parts[word][slot];
    const typename Feature::row row = feature.placed(part, of.at);
    if (component < info.border) Feature::join_to(rows[rank], row);
    else rows[rank] = row;
  }
}

template <class Shape, class Feature>
__global__ __launch_bounds__(label_threads,
                             Feature::blocks) void plane_sum_kernel(const tiling grid, const label_tables tables,
                                                                    const Feature feature, typename Feature::row* rows,
                                                                    const u64 capacity) {
  __shared__ plane_sums<Shape, Feature> tile;
  const plane_tile of{grid, tables, tile_place::of(grid, blockIdx.x), tables.info[blockIdx.x]};
  const tile_info& info = of.info;
  if (info.components == 0) return;
  tile.clear(info.components);
  tile.load(tables, blockIdx.x);
  const component_patch<Shape, Feature> patch(tile);
  const typename Feature::pixels pixels = feature.read(grid, of.at, patch.pixels);
  const u32 own_row = of.row_of<Shape>(threadIdx.x);
  for (u32 begin = 0;;) {
    add_patch(tile, patch, feature, pixels, begin);
    __syncthreads();
    write_parts(tile, of, feature, begin, own_row, rows, min(capacity, u64{no_rank}));
    begin += tile.capacity;
    if (begin >= info.components) return;
    __syncthreads();
    tile.clear(info.components - begin);
    __syncthreads();
  }
}

}  // namespace skerry::label_stages::on_device
