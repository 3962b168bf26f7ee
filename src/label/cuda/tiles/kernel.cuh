// SPDX-License-Identifier: Apache-2.0
// Stage 2, CUDA: the kernel and its launch. See solve.cuh.
#pragma once
#include "engine/cuda/kernel_facts.cuh"
#include "label/cuda/tiles/measure.cuh"

namespace skerry::label_stages::on_device {

// ---- block ----------------------------------------------------------------------------------------

/// Sums the pieces of components [begin, begin + capacity).
template <class Shape, class Block>
__device__ void sum_features(const Block& block, u32 begin) {
  using bits = typename Shape::word;
  const component_sums<Shape> sums(block.shared.sums);
  // Runs that start here, and the one that comes in from the left, if any. Components of one piece need no sums.
  each_bit_together((block.starts | (block.here.any() & 1)) & ~block.lone, [&](bool active, bits bit) {
    u32 slot = 0;
    piece p{};
    if (active) {
      const u32 run = block.own().at(bit), link = block.parent.load(run);
      slot = (link & follower ? number_in(link) : block.component_of(link)) - begin;
      active = slot < component_sums<Shape>::capacity;
      if (active) {
        if (!(link & follower) && (block.starts & bit)) sums.set_root(slot, run);
        p = measure_piece<Shape>(block.here, block.group, block.column, span<bits>(bit, block.starts & ~up_to(bit)));
      }
    }
    join_by_place(
        part_on_its_way<piece>{active, slot, p}, 5,
        [](piece& a, const piece& b, auto with) { join<Shape>(a, b, with); },
        [&](u32 to, const piece& part) { sums.add(to, part); });
  });
}

template <class Shape, class Block>
__device__ void write_features(const Block& block, u32 component, const tile_component& c) {
  if (component < block.border_components) {
    block.tables.border_features[u64{block.tile} * Shape::border_capacity + component] = place<Shape>(c, block.at);
  } else {
    const u32 slot = block.shared.pool_begin + component - block.border_components;
    if (slot < block.tables.pool_capacity)
      reinterpret_cast<uint4*>(block.tables.pool)[slot] = make_uint4(c.area_y, c.sum_x, c.sum_z, c.box);
  }
}

template <class Block>
__device__ void write_root(const Block& block, u32 component, u32 first, u64 row) {
  block.tables.first[row + component] = static_cast<u16>(first);
  atomicOr(&block.shared.roots[first / 32], 1u << first % 32);
}

/// Writes the components whose roots are this thread's.
template <class Shape, class Block>
__device__ void write_roots(const Block& block) {
  for (typename Shape::word rest = block.roots; rest != 0; rest &= rest - 1) {
    const u32 word = block.parent.load(block.own().at(rest & -rest));
    write_root(block, block.component_of(word), word & 0x1fff, u64{block.tile} * Shape::run_capacity);
  }
}

/// Writes the components [begin, begin + capacity) and their features.
template <class Shape, class Block>
__device__ void write_roots_and_features(const Block& block, u32 begin) {
  const component_sums<Shape> sums(block.shared.sums);
  const u32 count = min(block.summed_components - begin, u32{component_sums<Shape>::capacity});
  for (u32 slot = block.thread; slot < count; slot += Shape::group_words) {
    const u32 first = block.parent.load(sums.root(slot)) & 0x1fff;
    write_root(block, begin + slot, first, u64{block.tile} * Shape::run_capacity);
    write_features<Shape>(block, begin + slot, packed<Shape>(sums.get(slot), first));
  }
}

/// Writes the components of one piece whose runs start in this thread's word.
template <class Shape, class Block>
__device__ void write_lone_components(const Block& block) {
  using bits = typename Shape::word;
  for (bits rest = block.lone; rest != 0; rest &= rest - 1) {
    const bits bit = rest & -rest, reach = span<bits>(bit, block.starts & ~up_to(bit));
    const u32 link = block.parent.load(block.own().at(bit)), component = block.component_of(link),
              first = link & 0x1fff;
    write_root(block, component, first, u64{block.tile} * Shape::run_capacity);
    write_features<Shape>(block, component,
                          packed<Shape>(measure_piece<Shape>(block.here, block.group, block.column, reach), first));
  }
}

/// All pixels are foreground: everything is known.
template <class Shape, class Features, class Block>
__device__ void write_full_tile(const Block& block) {
  const label_tables& tables = block.tables;
  const u64 tile = block.tile;
  const tiling& grid = block.grid;
  const int k = block.thread;
  for (int row = k; row < tile_rows; row += Shape::group_words) {
    reinterpret_cast<uint4*>(tables.bits)[tile * tile_rows + row] = make_uint4(~0u, ~0u, ~0u, ~0u);
    reinterpret_cast<uint4*>(tables.root_bits)[image_row::of<Shape>(block.at, row).unit(grid, block.at.x)] =
        make_uint4(row == 0, 0, 0, 0);
  }
  tables.prefix[tile * Shape::prefix_pitch + k] = static_cast<u16>(block.group + (block.column > 0));
  if (k < Shape::groups) tables.component[tile * Shape::run_capacity + k] = 0;
  if (k < 4) reinterpret_cast<u32*>(tables.edges)[tile * 4 + k] = ~0u;
  if (k > 0) return;
  tables.prefix[tile * Shape::prefix_pitch + Shape::group_words] = Shape::groups;
  tables.first[tile * Shape::run_capacity] = 0;
  const u32 border = grid.tiles_x > 1 || grid.tiles_y > 1 || (Shape::rank == 3 && grid.tiles_z > 1);
  tables.parent[tile * Shape::border_capacity] = static_cast<u32>(tile * Shape::border_capacity);
  u32 pool_begin = 0;
  if constexpr (Features::wanted) {
    constexpr u32 sum_y = tile_width * Shape::depth * (Shape::height * (Shape::height - 1) / 2);
    constexpr u32 sum_z = tile_width * Shape::height * (Shape::depth * (Shape::depth - 1) / 2);
    const piece all{tile_width * tile_rows | sum_y << 14,
                    tile_rows * (tile_width * (tile_width - 1) / 2),
                    sum_z,
                    0,
                    tile_width - 1,
                    Shape::rank == 2 ? Shape::height - 1 : 0xffff};
    const tile_component c = packed<Shape>(all, 0);
    if (border) {
      tables.border_features[tile * Shape::border_capacity] = place<Shape>(c, block.at);
    } else {
      if (tables.pool_used != nullptr) pool_begin = atomicAdd(tables.pool_used, 1);
      if (pool_begin < tables.pool_capacity) tables.pool[pool_begin] = c;
    }
  }
  tables.info[tile] = {static_cast<u16>(border), 1, pool_begin};
}

template <class Shape, class Block>
__device__ void write_root_bits(const Block& block) {
  for (int row = block.thread; row < tile_rows; row += Shape::group_words) {
    const image_row to = image_row::of<Shape>(block.at, row);
    if (to.exists(block.grid))
      reinterpret_cast<uint4*>(block.tables.root_bits)[to.unit(block.grid, block.at.x)] =
          reinterpret_cast<const uint4*>(block.shared.roots)[row];
  }
}

// ---- grid -----------------------------------------------------------------------------------------

template <class Shape, class Source, class Features>
__global__ __launch_bounds__(
    Shape::group_words,
    local_tuning::blocks_per_processor<Shape, Features>()) void local_kernel(const tiling grid, const Source source,
                                                                             const label_tables tables) {
  extern __shared__ __align__(16) unsigned char raw[];
  using memory = local_memory<Shape, Features>;
  memory& shared = *reinterpret_cast<memory*>(raw);
  local_block<Shape, Features> block(grid, tables, blockIdx.x, shared);
  block.clear_roots();  // and flags
  if (threadIdx.x == 0) shared.numbered = shared.numbered_alone = 0;
  if (__syncthreads_and(source.template load<Shape>(grid, block.at, shared.bits)))
    return write_full_tile<Shape, Features>(block);
  block.number_runs();
  if (block.runs == 0) {
    if (threadIdx.x == 0) tables.info[block.tile] = {0, 0, 0};
    return write_root_bits<Shape>(block);
  }
  __syncthreads();
  solve_runs(block);
  block.number_components();
  __syncthreads();
  block.write_components();
  block.clear_roots();  // where the flags of runs were
  if (threadIdx.x == 0) {
    u32 pool_begin = 0;
    if constexpr (Features::wanted) {
      const u32 inner = block.components - block.border_components;
      if (tables.pool_used == nullptr) shared.pool_begin = pool_begin = block.tile * Shape::run_capacity;
      else if (inner != 0) shared.pool_begin = pool_begin = atomicAdd(tables.pool_used, inner);
    }
    tables.info[block.tile] = {static_cast<u16>(block.border_components), static_cast<u16>(block.components),
                               pool_begin};
  }
  const u32 border_begin = block.tile * Shape::border_capacity;
  for (u32 k = threadIdx.x; k < block.border_components; k += Shape::group_words)
    tables.parent[border_begin + k] = border_begin + k;
  if constexpr (Features::wanted) component_sums<Shape>(shared.sums).clear(threadIdx.x, block.summed_components);
  __syncthreads();
  block.lower_first_pixels();
  if constexpr (Features::wanted) {
    constexpr u32 capacity = component_sums<Shape>::capacity;
    write_lone_components<Shape>(block);
    for (u32 begin = 0; begin < block.summed_components;) {
      sum_features<Shape>(block, begin);
      __syncthreads();
      write_roots_and_features<Shape>(block, begin);
      begin += capacity;
      if (begin >= block.summed_components) break;
      __syncthreads();
      component_sums<Shape>(shared.sums).clear(threadIdx.x, block.summed_components - begin);
      __syncthreads();
    }
  } else {
    if constexpr (Shape::group_rows > 1) __syncthreads();
    write_roots<Shape>(block);
  }
  __syncthreads();
  write_root_bits<Shape>(block);
}

// ---- host -----------------------------------------------------------------------------------------

template <class Shape, class Source, class Features>
cudaError_t launch_local(const tiling& grid, const Source& source, const label_tables& tables, cudaStream_t stream,
                         int device) {
  using memory = local_memory<Shape, Features>;
  const auto kernel = local_kernel<Shape, Source, Features>;
  static once_for_device known;
  const cudaError_t ready = known(device, [&] { return allow_shared_memory(kernel, sizeof(memory)); });
  if (ready != cudaSuccess) return ready;
  kernel<<<grid.tiles, Shape::group_words, sizeof(memory), stream>>>(grid, source, tables);
  return cudaGetLastError();
}

}  // namespace skerry::label_stages::on_device
