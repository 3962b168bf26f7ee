// SPDX-License-Identifier: Apache-2.0
// Stage 4, CUDA, the second half: the parent image to numbered nodes.
//
//   thread  a node; then 16 pixels
//   block   then a tile
//
// Reads   keys, the parent image
// Writes  keys, levels, first pixels and parents of nodes, numbered by level and first pixel; the node of each pixel; nodes of which other
//         tiles have pixels or children
// Needs   as many rows as there can be nodes: their number is in device memory, and no host waits for it
// Method  First pixels are numbered, by counting where keys have 8 bits, otherwise by a sort. What a pixel's parent is in the image tells
//         the pixel its node, and a first pixel the node below its own.
#pragma once
#include <type_traits>

#include "max_tree/cuda/nodes/4_count.cuh"
#include "max_tree/cuda/nodes/4_sort.cuh"

namespace skerry::tree_stages::on_device {

// What the numbering leaves for the measures, and what it takes for itself.
template <class Key>
using numbering_tables = std::conditional_t<sizeof(Key) == 1, counted_numbers, sorted_numbers<Key>>;

// What tell_nodes_kernel passes to its companion of a pixel: `place_below` is -1 if the parent is in another tile; `node` is the pixel's node
// or, for a first pixel, the node below.
struct told_pixel {
  bool exists, is_first;
  u32 pixel, below;
  int place_below;
  u32 node;
};

// No companion: only node numbers are written.
struct no_companion {
  struct memory {};
  cudaError_t prepare(const node_list&, cudaStream_t) const { return cudaSuccess; }
  __device__ void begin(memory&) const {}
  __device__ void see(memory&, const told_pixel&) const {}
  template <int Rank>
  __device__ void end(memory&, const tree_grid<Rank>&, const tile_box&, u32) const {}
};

// One byte per node. shared: another tile has pixels or children of it. joined: its row has been added to its parent's (5_tiles.cuh).
enum class node_mark : u8 { none, shared, joined };

// Marks shared nodes.
struct marking : no_companion {
  node_mark* marks;

  explicit marking(node_mark* of_nodes) : marks(of_nodes) {}
  cudaError_t prepare(const node_list& nodes, cudaStream_t stream) const {
    return cudaMemsetAsync(marks, 0, nodes.rows, stream);
  }
  __device__ void see(memory&, const told_pixel& of) const {
    if (of.exists && of.place_below < 0 && marks[of.node] == node_mark::none) marks[of.node] = node_mark::shared;
  }
};

// `node_of_pixel` holds the numbers of first pixels; the kernel fills in the rest.
template <int Rank, class First, class Companion>
__global__ void __launch_bounds__(tile_threads)
    tell_nodes_kernel(tree_grid<Rank> grid, node_list nodes, First first, const u32* parent, u32* node_of_pixel,
                      Companion companion) {
  using g = tree_grid<Rank>;
  constexpr int at_once = 8;
  __shared__ typename Companion::memory memory;
  if (nodes.number() == 0) return;
  const tile_box inside = grid.tile(blockIdx.x);
  companion.begin(memory);
  u32 all_firsts = 0;
  // No thread reads what another one writes: it reads numbers of first pixels, and of its own pixels before it writes them.
  for (int begin = 0; begin < run_pixels; begin += at_once) {
    const auto place = [begin](int k) { return (begin + k) * tile_threads + static_cast<int>(threadIdx.x); };
    u32 below[at_once], own[at_once], node[at_once], firsts = 0;
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const bool there = inside.holds(g::x_of(place(k)), g::y_of(place(k)), g::z_of(place(k)));
      const u32 pixel = pixel_at(grid, inside, place(k));
      below[k] = there ? parent[pixel] : nowhere;
      firsts |= (there && first.holds(pixel) ? 1u : 0u) << k;
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      node[k] = below[k] != nowhere ? node_of_pixel[below[k]] : nowhere;
      own[k] = (firsts >> k & 1) != 0 ? node_of_pixel[pixel_at(grid, inside, place(k))] : nowhere;
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const u32 pixel = pixel_at(grid, inside, place(k));
      const bool exists = node[k] != nowhere, is_first = own[k] != nowhere;
      if (exists && !is_first) node_of_pixel[pixel] = node[k];
      if (is_first) nodes.parent[own[k]] = node[k];
      companion.see(memory,
                    {exists, is_first, pixel, below[k], exists ? place_in_tile(grid, inside, below[k]) : 0, node[k]});
    }
    all_firsts |= firsts << begin;
  }
  companion.end(memory, grid, inside, all_firsts);
}

// The grey value of a key.
template <class Key>
__device__ double level_from(const grey_source<Key>& image, dtype type, Key key) {
  const Key bits = image.bits_from(key);
  if constexpr (sizeof(Key) == 4)
    if (image.floats) return __uint_as_float(bits);
  return type == dtype::i16 ? static_cast<double>(static_cast<std::int16_t>(bits)) : static_cast<double>(bits);
}

template <class Key>
__global__ void __launch_bounds__(node_threads)
    levels_kernel(node_list nodes, grey_source<Key> image, dtype type, const Key* keys, double* level) {
  const u32 node = this_node();
  if (node < nodes.number()) level[node] = level_from(image, type, keys[node]);
}

template <int Rank, class Key, class Companion>
cudaError_t launch_number(const tree_grid<Rank>& grid, const node_list& nodes, const first_pixels_of<Key>& from,
                          const numbering_tables<Key>& t, u32* count, u32* node_of_pixel, const Companion& companion,
                          cudaStream_t stream) {
  cudaError_t result = t.number(nodes, from, count, node_of_pixel, stream);
  if (result != cudaSuccess || nodes.rows == 0) return result;
  result = companion.prepare(nodes, stream);
  if (result != cudaSuccess) return result;
  tell_nodes_kernel<Rank><<<grid.tiles(), tile_threads, 0, stream>>>(grid, nodes, t.first_pixels(node_of_pixel),
                                                                     from.parent, node_of_pixel, companion);
  return cudaGetLastError();
}

}  // namespace skerry::tree_stages::on_device
