// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA, measure, for keys of 8 bits: what tiles have of nodes.
//
//   thread  16 pixels below each other; nodes; chains of nodes, each as long as its thread is the last to arrive
//   warp    32 columns of pixels; writes rows together
//   block   a tile
//
// Reads   first pixels, keys, the parent image, nodes and their numbers, which nodes are shared
// Writes  a row per node and array; marks of nodes that have been joined to the one below. A node is *closed* if no other tile has pixels or
//         children of it or of its descendants. Rows of closed nodes are complete; those of others have the share of tiles.
// Method  Nodes have slots in shared memory, in whose words parts add up: those of the tile, and those of other tiles of which this one has
//         pixels or children. Every child joins its part to its parent's and takes itself off; who takes off the last goes on with the
//         parent. A kernel before begins rows of shared nodes, to which several tiles join.
#pragma once
#include "engine/cuda/kernel_facts.cuh"
#include "max_tree/cuda/nodes/4_number.cuh"
#include "max_tree/cuda/nodes/tile_slots.cuh"

namespace skerry::tree_stages::on_device {

// Begins rows that several tiles join to: with nothing, and the node itself as its farthest level.
__global__ void __launch_bounds__(node_threads)
    begin_shared_rows_kernel(node_list nodes, node_table table, const u8* keys, const node_mark* marks) {
  const u32 node = this_node();
  if (node >= nodes.number() || marks[node] != node_mark::shared) return;
  node_row row;
  row.peak = node_peak::of(keys[node], node);
  table.write(node, row);
}

// Where rows come from and where they go.
template <int Rank>
struct measured_tiles {
  tree_grid<Rank> grid;
  grey_source<u8> image;
  const u32* parent;
  first_bits first;
  node_list nodes;
  const u8* keys;
  const u32* node_of_pixel;
  node_table table;
  node_mark* marks;
  u32 wanted;  // words of parts

  [[nodiscard]] __device__ u32 level_of(u32 key) const { return image.bits_from(static_cast<u8>(key)); }

  [[nodiscard]] __device__ node_peak peak_of(const tile_box& tile, const tile_part<Rank>& part) const {
    return node_peak::of(part.key_of_peak(),
                         node_of_pixel[pixel_at(grid, tile, static_cast<int>(part.place_of_peak()))]);
  }
  // By whole warps; of nowhere, nothing.
  __device__ void write(rows_on_their_way& rows, const tile_box& tile, u32 node, u32 key,
                        const tile_part<Rank>& part) const {
    const bool there = node != nowhere;
    if (table.area != nullptr && there) table.area[node] = {part.pixels()};
    if (table.components != nullptr) rows.write(table.components, node, part.shape(tile));
    if (table.moments != nullptr) rows.write(table.moments, node, part.moments(tile));
    if (table.intensities != nullptr)
      rows.write(table.intensities, node, part.greys(level_of(key), level_of(part.key_of_peak())));
    if (table.peaks != nullptr && there) table.peaks[node] = peak_of(tile, part);
  }
  // To a row that has begun.
  __device__ void join(const tile_box& tile, u32 node, const tile_part<Rank>& part) const {
    const u32 key = keys[node], farthest = part.has_peak() ? part.key_of_peak() : key;
    node_row row;
    row.area = {part.pixels()};
    row.shape = part.shape(tile);
    row.moments = part.moments(tile);
    row.grey = part.greys(level_of(key), level_of(farthest));
    if (part.has_peak() && table.peaks != nullptr) row.peak = peak_of(tile, part);
    table.join_to(node, row);
  }
};

// A tile on its way through the kernel; of the pixels of a thread, parents, whether they are first pixels, and slots of their nodes.
template <int Rank>
struct tile_measure {
  using slots = tile_slots<Rank>;
  using part = tile_part<Rank>;
  const measured_tiles<Rank>& on;
  slots& tile;
  const tile_box inside;
  const pixel_column<Rank> column = pixel_column<Rank>::of_thread();
  u32 below[run_pixels], slot[run_pixels], firsts = 0, others = 0;  // pixels of nodes without slots

  [[nodiscard]] __device__ u32 pixel(int k) const { return column.pixel(on.grid, inside, k); }
  [[nodiscard]] __device__ bool is_first(int k) const { return (firsts >> k & 1) != 0; }

  __device__ void read_pixels() {
#pragma unroll
    for (int k = 0; k < run_pixels; ++k) {
      const bool there = column.is_in(inside, k);
      below[k] = there ? on.parent[pixel(k)] : nowhere;
      firsts |= (there && on.first.holds(pixel(k)) ? 1u : 0u) << k;
    }
  }
  // Nodes of the tile get numbers, by whole warps.
  __device__ void number_nodes() {
    u32 of_warp = 0;
#pragma unroll
    for (int k = 0; k < run_pixels; ++k) {
      const u32 some = __ballot_sync(~0u, is_first(k));
      slot[k] = of_warp + count_before(some);
      of_warp += count_of(some);
    }
    u32 begin = 0;
    if (lane_of_thread() == 0) begin = atomicAdd(&tile.nodes, of_warp);
    begin = __shfl_sync(~0u, begin, 0);
#pragma unroll
    for (int k = 0; k < run_pixels; ++k)
      if (is_first(k)) tile.number_of_place[column.place(k)] = static_cast<u16>(begin + slot[k]);
  }
  // Those of the round get slots.
  __device__ void give_slots() {
#pragma unroll
    for (int k = 0; k < run_pixels; ++k) {
      if (!is_first(k)) continue;
      const u32 own = tile.own_slot(column.place(k));
      if (own != nowhere) tile.place_of_slot[own] = static_cast<u16>(column.place(k));
    }
  }
  __device__ void begin_nodes() {
    for (u32 own = threadIdx.x; own < tile.used(); own += tile_threads) {
      const u32 place = tile.place_of_slot[own], first = pixel_at(on.grid, inside, static_cast<int>(place));
      const u32 node = on.node_of_pixel[first];
      const u8 key = on.image.key(first);
      const bool is_shared_node = on.marks[node] == node_mark::shared;
      tile.node_of_slot[own] = node;
      tile.key_of_slot[own] = key;
      tile.is_shared_slot[own] = is_shared_node;
      tile.begin(own, part::of_peak(key, place), is_shared_node ? slots::one_child : 0);
    }
  }
  __device__ void link_nodes() {
    for (u32 own = threadIdx.x; own < tile.used(); own += tile_threads) {
      const u32 first = pixel_at(on.grid, inside, tile.place_of_slot[own]), parent = on.parent[first];
      if (parent == first) continue;
      const int place = place_in_tile(on.grid, inside, parent);
      const u32 to = place < 0 ? tile.slot_of_far(on.node_of_pixel[parent]) : tile.own_slot(place);
      if (to != nowhere) tile.hang(own, to);
    }
  }
  // Pixels of nodes of other tiles are added in the first round.
  __device__ void add_pixels() {
    const bool adds_far = tile.first_node == 0;
#pragma unroll
    for (int k = 0; k < run_pixels; ++k) {
      slot[k] = nowhere;
      if (below[k] == nowhere) continue;
      if (is_first(k)) slot[k] = tile.own_slot(column.place(k));
      if (slot[k] != nowhere) continue;
      const int place = place_in_tile(on.grid, inside, below[k]);
      if (place >= 0) {
        const u32 to = tile.own_slot(place);
        if (!is_first(k)) slot[k] = to;
        else if (to != nowhere) tile.keep_open(to);
      } else if (adds_far && !is_first(k)) {
        slot[k] = tile.slot_of_far(on.node_of_pixel[pixel(k)]);
        others |= (slot[k] == nowhere ? 1u : 0u) << k;
      }
    }
    each_rectangle<Rank>(slot, [&](u32 of, const tile_run& run) { tile.join(of, part::of(run), on.wanted); });
  }
  __device__ void add_greys() {
    for (u32 own = threadIdx.x; own < tile.used(); own += tile_threads)
      tile.add_greys(own, on.level_of(tile.key_of_slot[own]));
    if (tile.first_node > 0) return;
    for (u32 far = slots::own_slots + threadIdx.x; far < slots::slots; far += tile_threads)
      if (const u32 node = tile.node(far); node != nowhere) tile.add_greys(far, on.level_of(on.keys[node]));
  }
  // Rows that are the tile's own.
  __device__ void write_nodes() {
    for (u32 begin = 0; begin < tile.used(); begin += tile_threads) {
      const u32 own = begin + threadIdx.x;
      const bool there = own < tile.used(), writes = there && !tile.is_shared_slot[own];
      const u32 node = there ? tile.node(own) : nowhere;
      if (there) on.marks[node] = tile.is_joined(own) ? node_mark::joined : node_mark::none;
      tile.add_joining(there && !writes, own);
      const part whole = tile.read(writes ? own : 0, on.wanted);
      on.write(tile.rows, inside, writes ? node : nowhere, tile.key_of_slot[writes ? own : 0], whole);
    }
  }
  // Rows that several tiles have. Of a node of another tile, no child may have come so far.
  __device__ void join_node(u32 any) const {
    const part own = tile.read(any, on.wanted);
    if (own.pixels() != 0) on.join(inside, tile.node(any), own);
  }
  __device__ void join_nodes(bool is_last_round) const {
    const u32 far = is_last_round ? slots::slots - slots::own_slots : 0;
    for (u32 item = threadIdx.x; item < far + tile.joins; item += tile_threads)
      join_node(item < far ? slots::own_slots + item : u32{tile.joining[item - far]});
  }
  // By all threads.
  __device__ void add_others() {
    if (!__any_sync(~0u, others != 0)) return;
#pragma unroll
    for (int k = 0; k < run_pixels; ++k) slot[k] = (others >> k & 1) != 0 ? on.node_of_pixel[pixel(k)] : nowhere;
    each_rectangle<Rank>(slot, [&](u32 node, const tile_run& run) {
      part own = part::of(run);
      own.add_greys(on.level_of(on.keys[node]));
      on.join(inside, node, own);
    });
  }
};

template <int Rank>
__global__ void __launch_bounds__(tile_threads, 3) measure_tiles_kernel(measured_tiles<Rank> on) {
  extern __shared__ u64 memory_of_tile[];
  auto& tile = *reinterpret_cast<tile_slots<Rank>*>(memory_of_tile);
  if (on.nodes.number() == 0) return;
  tile_measure<Rank> measure{on, tile, on.grid.tile(blockIdx.x)};
  tile.clear();
  measure.read_pixels();
  __syncthreads();
  measure.number_nodes();
  __syncthreads();
  for (u32 round = 0; round == 0 || round < tile.nodes; round += tile.own_slots) {
    tile.begin_round(round);
    __syncthreads();
    measure.give_slots();
    __syncthreads();
    measure.begin_nodes();
    __syncthreads();
    measure.link_nodes();
    measure.add_pixels();
    __syncthreads();
    tile.find_leaves();
    measure.add_greys();
    __syncthreads();
    tile.climb(on.wanted);
    __syncthreads();
    measure.write_nodes();
    __syncthreads();
    measure.join_nodes(round + tile.own_slots >= tile.nodes);
    __syncthreads();
  }
  measure.add_others();
}

template <int Rank>
cudaError_t launch_tiles(const measured_tiles<Rank>& on, cudaStream_t stream, int device) {
  constexpr auto kernel = measure_tiles_kernel<Rank>;
  constexpr std::size_t bytes = sizeof(tile_slots<Rank>);
  static once_for_device known;
  const cudaError_t result = known(device, [&] { return allow_shared_memory(kernel, bytes); });
  if (result != cudaSuccess) return result;
  begin_shared_rows_kernel<<<node_blocks(on.nodes.rows), node_threads, 0, stream>>>(on.nodes, on.table, on.keys,
                                                                                    on.marks);
  kernel<<<on.grid.tiles(), tile_threads, bytes, stream>>>(on);
  return cudaGetLastError();
}

}  // namespace skerry::tree_stages::on_device
