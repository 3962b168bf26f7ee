// SPDX-License-Identifier: Apache-2.0
// Stage 3, CUDA: join the components of neighbouring tiles. The device code; the kernel of stage 4 runs it.
//
//   thread  finds the pairs of a piece of a border
//   block   lists the pairs that its threads find, tells apart those that unite the same two sets, and deals out the rest
//
// Reads   bits, prefix, component, first
// Writes  parent: each component that touches a tile's surface to one whose first pixel is earlier
// Needs   24 KB of shared memory per block
// Method  the set's root is the component with the earliest first pixel, whatever the order of unions, so that stage 4 can
//         number roots as they are. core/union_find.hpp says why threads that unite the same sets lose no union
#pragma once
#include "label/cuda/resolve/borders.cuh"

namespace skerry::label_stages::on_device {

// ---- thread ---------------------------------------------------------------------------------------

/// A component's first pixel in the image.
struct pixel_place {
  i64 row;  // z * height + y
  i32 x;
  template <class Shape>
  __device__ static pixel_place of(const tiling& grid, tile_place at, u32 first) {
    const auto [z, y] = image_row::of<Shape>(at, static_cast<int>(first >> 7));
    return {z * grid.height + y, at.x * tile_width + static_cast<i32>(first & 127)};
  }
  __device__ u64 order() const { return static_cast<u64>(row) << 32 | static_cast<u32>(x); }
  __device__ u64 word(const tiling& grid) const {
    return static_cast<u64>(row * grid.tiles_x + x / tile_width) * tile_words + x % tile_width / 32;
  }
  __device__ u32 bit() const { return 1u << x % 32; }
};

template <class Shape>
struct image_sets {
  const tiling& grid;
  const label_tables& tables;
  device_words parent;
  __device__ image_sets(const tiling& g, const label_tables& t) : grid(g), tables(t), parent{t.parent} {}

  __device__ static u32 node_of(border_component c) { return c.tile * Shape::border_capacity + c.number; }
  __device__ pixel_place place(u32 node) const {
    const u32 tile = node / Shape::border_capacity, number = node % Shape::border_capacity;
    return pixel_place::of<Shape>(grid, tile_place::of(grid, tile),
                                  tables.first[u64{tile} * Shape::run_capacity + number]);
  }
  __device__ void unite(u32 a, u32 b) const {
    unite_climbing_both(parent, a, b, [&](u32 one, u32 other) { return place(one).order() < place(other).order(); });
  }
};

// ---- block ----------------------------------------------------------------------------------------

/// Shared memory for the pairs that a block finds at a time.
struct pair_memory {
  static constexpr u32 capacity = 2048, slots = 1024;
  u64 seen[slots];  // pairs of sets, 0 where there is none yet
  u32 one[capacity], other[capacity];
  u32 count;
};

/// Pairs of border components. They are listed where they are found, because the loads to unite them depend on each other, and
/// threads find from none to many; and of those that are known to unite the same two sets one is enough: where one component
/// reaches through many tiles, all others would wait for the same words.
template <class Shape>
class pair_list {
 public:
  __device__ pair_list(const image_sets<Shape>& sets, pair_memory& memory) : sets_(sets), memory_(memory) {}

  __device__ void runs(u32 tile, u32 run, u32 other, u32 other_run) const {
    add(sets_.node_of(component_of_run<Shape>(sets_.tables, tile, run)),
        sets_.node_of(component_of_run<Shape>(sets_.tables, other, other_run)));
  }
  __device__ void edges(i32 z_left, i32 y_left, i32 z_right, i32 y_right, i32 x) const {
    add(sets_.node_of(component_at_edge<Shape>(sets_.grid, sets_.tables, z_left, y_left, x - 1, 1)),
        sets_.node_of(component_at_edge<Shape>(sets_.grid, sets_.tables, z_right, y_right, x, 0)));
  }

  /// By all threads of the block, with a barrier before and one after.
  __device__ void clear() const {
    for (u32 k = threadIdx.x; k < pair_memory::slots; k += resolve_threads) memory_.seen[k] = 0;
    if (threadIdx.x == 0) memory_.count = 0;
  }
  /// By all threads of the block, after a barrier.
  __device__ void unite() const {
    each([&](u32 k) {
      const u32 a = sets_.parent.load(memory_.one[k]), b = sets_.parent.load(memory_.other[k]);
      if (a != b && is_new(min(a, b), max(a, b))) sets_.unite(a, b);
      else memory_.one[k] = nobody;
    });
  }
  /// Shortens the ways up from what unite() has united. By all threads of the block, after a barrier.
  __device__ void shorten() const {
    each([&](u32 k) {
      if (memory_.one[k] != nobody) find_root<shortening::splitting>(sets_.parent, memory_.one[k]);
    });
  }

 private:
  static constexpr u32 nobody = ~0u;

  template <class Step>
  __device__ void each(const Step& step) const {
    const u32 count = min(memory_.count, pair_memory::capacity);
    for (u32 k = threadIdx.x; k < count; k += resolve_threads) step(k);
  }
  __device__ void add(u32 a, u32 b) const {
    const u32 at = atomicAdd(&memory_.count, 1u);
    if (at >= pair_memory::capacity) return sets_.unite(a, b);
    memory_.one[at] = a;
    memory_.other[at] = b;
  }
  /// False for what is in the table; what finds no room there counts as new.
  __device__ bool is_new(u32 a, u32 b) const {
    const u64 pair = u64{a} << 32 | b;
    u32 slot = (a * 0x9e3779b1u ^ b * 0x85ebca6bu) >> 22;
    static_assert(pair_memory::slots == 1u << 10);
    for (int tried = 0; tried < 4; ++tried, slot = (slot + 1) % pair_memory::slots) {
      const u64 was = atomicCAS(reinterpret_cast<unsigned long long*>(memory_.seen + slot), 0ull,
                                static_cast<unsigned long long>(pair));
      if (was == 0) return true;
      if (was == pair) return false;
    }
    return true;
  }

  const image_sets<Shape>& sets_;
  pair_memory& memory_;
};

// ---- grid -----------------------------------------------------------------------------------------

/// By all threads of a grid, whose blocks have resolve_threads. Rows come before columns: at the same time they would wait for each other's
/// sets. In planes a component that fills many tiles then leads from each tile to the one above, and columns must not climb such ways;
/// volumes have few borders of columns.
template <class Shape>
__device__ void merge_tiles(const image_sets<Shape>& sets, u32 pixels, pair_memory& memory) {
  const tile_borders<Shape> borders(sets.grid, pixels);
  const pair_list<Shape> list(sets, memory);
  const auto each_share = [&](u32 pieces, const auto& merge, const auto& after) {
    for (u64 begin = blockIdx.x * resolve_threads; begin < pieces; begin += gridDim.x * resolve_threads) {
      __syncthreads();
      list.clear();
      __syncthreads();
      if (begin + threadIdx.x < pieces) merge(static_cast<u32>(begin) + threadIdx.x);
      __syncthreads();
      list.unite();
      after();
    }
  };
  each_share(
      borders.row_pieces(), [&](u32 k) { borders.merge_row_piece(sets.tables, k, list); },
      [&] {
        if constexpr (Shape::rank == 3) return;
        __syncthreads();
        list.shorten();
      });
  each_share(
      borders.column_pieces(), [&](u32 k) { borders.merge_column_piece(sets.tables, k, list); }, [] {});
}

}  // namespace skerry::label_stages::on_device
