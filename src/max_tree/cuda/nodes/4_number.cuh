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

// Marks, a byte for each node. `is_shared`: a tile other than that of its first pixel has pixels or children of it. After 5_tiles.cuh
// `is_joined_node`: its row has been joined to that of its parent.
inline constexpr u8 is_shared = 1, is_joined_node = 2;

// `node_of_pixel` has the numbers of first pixels; the others get those of their nodes. `marks` is a byte per node, or null.
template <int Rank, class First>
__global__ void __launch_bounds__(tile_threads) tell_nodes_kernel(tree_grid<Rank> grid, node_list nodes, First first,
                                                                  const u32* parent, u32* node_of_pixel, u8* marks) {
  using g = tree_grid<Rank>;
  constexpr int at_once = 8;
  if (nodes.number() == 0) return;
  const tile_box inside = grid.tile(blockIdx.x);
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
      if (node[k] == nowhere) continue;
      if (own[k] == nowhere) node_of_pixel[pixel_at(grid, inside, place(k))] = node[k];
      else nodes.parent[own[k]] = node[k];
      if (marks != nullptr && place_in_tile(grid, inside, below[k]) < 0 && marks[node[k]] == 0)
        marks[node[k]] = is_shared;
    }
  }
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

// `marks` is a byte per node, or null.
template <int Rank, class Key>
cudaError_t launch_number(const tree_grid<Rank>& grid, const node_list& nodes, const first_pixels_of<Key>& from,
                          const numbering_tables<Key>& t, u32* count, u32* node_of_pixel, u8* marks,
                          cudaStream_t stream) {
  cudaError_t result = t.number(nodes, from, count, node_of_pixel, stream);
  if (result != cudaSuccess || nodes.rows == 0) return result;
  if (marks != nullptr) result = cudaMemsetAsync(marks, 0, nodes.rows, stream);
  if (result != cudaSuccess) return result;
  tell_nodes_kernel<Rank><<<grid.tiles(), tile_threads, 0, stream>>>(grid, nodes, t.first_pixels(node_of_pixel),
                                                                     from.parent, node_of_pixel, marks);
  return cudaGetLastError();
}

}  // namespace skerry::tree_stages::on_device
