// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA, measure, for keys of 8 bits: areas of numbered nodes, if no other attribute is wanted.
//
//   thread  a node; then as in hooks/5_measure.cuh
//   block   a tile
//
// Reads   first pixels, the parent image, nodes and their numbers
// Writes  the area of each node
// Needs   a word per node, and one per pixel for what tiles count
// Method  that of hooks/5_measure.cuh; its first kernel is fused with tell_nodes_kernel, as its companion
#pragma once
#include "max_tree/cuda/hooks/5_measure.cuh"
#include "max_tree/cuda/nodes/4_number.cuh"

namespace skerry::tree_stages::on_device {

// Nodes that have numbers, for climb_kernel.
struct numbered_nodes {
  node_list nodes;
  const u32* node_of_pixel;
  node_words words;
  node_area* area;

  __device__ bool exist() const { return nodes.number() != 0; }
  __device__ u32 at(u32 first_pixel) const { return node_of_pixel[first_pixel]; }
  __device__ u32 below(u32 node) const { return nodes.parent[node]; }
  __device__ void set_area(u32 node, u32 pixels) const { area[node] = {pixels}; }
};

__global__ void __launch_bounds__(node_threads) clear_words_kernel(node_list nodes, u64* words) {
  const u32 node = this_node();
  if (node < nodes.number()) words[node] = 0;
}

// Counts a tile's pixels and children of each node while node numbers are written.
struct counting {
  node_words words;
  u32* counts;  // an image

  using memory = counts_of_tile;
  // Once the numbering needs no more memory of its own, in which the words and counts lie.
  cudaError_t prepare(const node_list& nodes, cudaStream_t stream) const {
    clear_words_kernel<<<node_blocks(nodes.rows), node_threads, 0, stream>>>(nodes, words.words);
    return cudaGetLastError();
  }
  // By all threads.
  __device__ void begin(memory& tile) const {
    tile.clear();
    __syncthreads();
  }
  // By whole warps.
  __device__ void see(memory& tile, const told_pixel& of) const {
    const bool has_below = of.exists && of.below != of.pixel;
    tile.add(words, has_below, has_below && of.is_first, of.place_below, of.node);
  }
  // By all threads; `firsts` has a bit for each pixel of this one.
  template <int Rank>
  __device__ void end(memory& tile, const tree_grid<Rank>& grid, const tile_box& inside, u32 firsts) const {
    __syncthreads();
    tile.write(grid, inside, firsts, counts);
    tile.tell_far(words);
  }
};

// After tell_nodes_kernel.
template <int Rank>
cudaError_t launch_areas_of_nodes(const tree_grid<Rank>& grid, const u32* parent, const u32* counts,
                                  const numbered_nodes& nodes, cudaStream_t stream) {
  climb_kernel<Rank><<<grid.tiles(), tile_threads, 0, stream>>>(grid, parent, counts, nodes);
  return cudaGetLastError();
}

}  // namespace skerry::tree_stages::on_device
