// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA, measure: the area of each node.
//
//   thread  16 pixels in turn; then chains of nodes, each as long as its thread is the last to arrive
//   block   a tile
//
// Reads   keys, the parent image
// Writes  the area of each node at its first pixel, 0 at other pixels; or in a row of its own, where nodes have numbers
//         (nodes/5_areas.cuh)
// Needs   one word of scratch per pixel, or node, zeroed
// Method  Every child adds its area to its parent and takes itself off; who takes off the last goes on with the parent. A tile does so in
//         shared memory for nodes that have nothing in other tiles, nor have their descendants: they are *closed*. Only what its other
//         nodes have of it, and what closed ones give to nodes of other tiles, is added to words in device memory.
#pragma once
#include "max_tree/cuda/hooks/4_resolve.cuh"
#include "max_tree/cuda/hooks/chains_of_tile.cuh"
#include "max_tree/cuda/hooks/far_nodes.cuh"

namespace skerry::tree_stages::on_device {

// Words in device memory, of nodes that are not closed: from the lowest bit on 1 where other tiles have a part in the
// node, 32 bits of pixels, and the number of children that have not arrived. It is negative while children have arrived of which the node's
// own tile has not told yet. Where other tiles have a part it is raised until then, so that no arrival is taken for the last.
struct node_words {
  static constexpr u64 is_shared = 1, one_pixel = 2, one_child = u64{1} << 33;
  static constexpr u64 until_own_tile = u64{1} << 29;  // children; a node has at most 2^30
  u64* words;

  __device__ u64 add(u32 node, u64 what) const {
    return atomicAdd(reinterpret_cast<unsigned long long*>(words + node), what) + what;
  }
  // Of another tile than the node's, before any child arrives.
  __device__ void add_far(u32 node, some_pixels count) const {
    if ((add(node, count.children() * one_child + count.pixels() * one_pixel) & is_shared) != 0) return;
    const u64 old = atomicOr(reinterpret_cast<unsigned long long*>(words + node), is_shared);
    if ((old & is_shared) == 0) add(node, until_own_tile * one_child);
  }
  __device__ bool is_shared_node(u32 node) const { return (words_of_device<u64>{words}.load(node) & is_shared) != 0; }
};

// Marks first pixels in the image of counts, between the two kernels.
inline constexpr u32 is_node = u32{1} << 31;

// Nodes identified by their first pixels, where their areas are stored.
struct nodes_at_pixels {
  const u32* parent;
  node_words words;
  u32* area;

  __device__ bool exist() const { return true; }
  __device__ u32 at(u32 first_pixel) const { return first_pixel; }
  __device__ u32 below(u32 node) const { return parent[node]; }
  __device__ void set_area(u32 node, u32 pixels) const { area[node] = pixels; }
};

// ---- what tiles have of nodes -----------------------------------------------------------------------------------------

// One addition for all threads of a warp that add to the same node; of nowhere, none. By whole warps.
__device__ inline void add_together(far_nodes& far, const node_words& words, u32 node, bool is_child) {
  const u32 alike = __match_any_sync(~0u, node), children = __ballot_sync(~0u, is_child) & alike;
  if (node == nowhere || !is_first_of(alike)) return;
  const some_pixels count{count_of(alike & ~children) + count_of(children) * some_pixels::one_child};
  if (!far.add(node, count.word)) words.add_far(node, count);
}

// What a tile counts of nodes, in shared memory.
struct counts_of_tile {
  u32 counts[tile_pixels];  // some_pixels, at first pixels
  far_nodes far;

  // By all threads; a barrier must follow.
  __device__ void clear() {
    for (int place = threadIdx.x; place < tile_pixels; place += tile_threads) counts[place] = 0;
    far.clear();
  }
  // Adds a pixel to the node of the one below, which is at `place_below` in the tile or, if that is negative, in another tile. By whole
  // warps.
  __device__ void add(const node_words& words, bool has_below, bool is_child, int place_below, u32 far_node) {
    const bool is_far = has_below && place_below < 0;
    if (has_below && !is_far) atomicAdd(counts + place_below, is_child ? some_pixels::one_child : 1);
    add_together(far, words, is_far ? far_node : nowhere, is_child);
  }
  // After a barrier, like tell_far(). `firsts` has a bit for each pixel of the thread: whether it is the first of a node.
  template <int Rank>
  __device__ void write(const tree_grid<Rank>& grid, const tile_box& inside, u32 firsts, u32* image) const {
    using g = tree_grid<Rank>;
    for (int k = 0; k < run_pixels; ++k) {
      const int place = k * tile_threads + static_cast<int>(threadIdx.x);
      if (inside.holds(g::x_of(place), g::y_of(place), g::z_of(place)))
        image[pixel_at(grid, inside, place)] = (firsts >> k & 1) != 0 ? is_node | counts[place] : 0;
    }
  }
  __device__ void tell_far(const node_words& words) const {
    for (u32 slot = threadIdx.x; slot < far_nodes::slots; slot += tile_threads)
      if (far.node(slot) != nowhere) words.add_far(far.node(slot), far.count(slot));
  }
};

// Counts pixels and children of each node in each tile.
template <int Rank, class Key>
__global__ void __launch_bounds__(tile_threads)
    count_kernel(tree_grid<Rank> grid, grey_source<Key> image, const u32* parent, node_words words, u32* counts) {
  using g = tree_grid<Rank>;
  __shared__ counts_of_tile tile;
  const tile_box inside = grid.tile(blockIdx.x);
  tile.clear();
  __syncthreads();
  u32 nodes = 0;  // bit k: of this thread, the k-th pixel is the first of one
  for (int k = 0; k < run_pixels; ++k) {
    const int place = k * tile_threads + static_cast<int>(threadIdx.x);
    const int x = g::x_of(place), y = g::y_of(place), z = g::z_of(place);
    u32 below = nowhere;
    int place_below = 0;
    bool has_below = false, first = false;
    if (inside.holds(x, y, z)) {
      const u32 pixel = grid.pixel(inside.x + x, inside.y + y, inside.z + z);
      below = parent[pixel];
      first = is_first_pixel(image, image.key(inside.x + x, inside.y + y, inside.z + z), pixel, below);
      nodes |= (first ? 1u : 0u) << k;
      has_below = below != pixel;
      place_below = place_in_tile(grid, inside, below);
    }
    tile.add(words, has_below, has_below && first, place_below, below);
  }
  __syncthreads();
  tile.write(grid, inside, nodes, counts);
  tile.tell_far(words);
}

// ---- from leaves to the root ------------------------------------------------------------------------------------------

// What a tile knows of its nodes.
struct nodes_of_tile {
  static constexpr u16 elsewhere = 0xffff, nowhere_below = 0xfffe;
  u32 counts[tile_pixels];  // some_pixels: pixels so far, and children that have not arrived
  u16 below[tile_pixels];   // the place of the parent
  chain_starts leaves;      // then nodes that are not closed, shared ones among them marked
  far_nodes far;
};

inline constexpr u32 is_shared_place = tile_pixels;  // in such a list

// The tile's nodes as they were counted, and its leaves. Shared nodes have a child more, so that they are never complete here. By whole
// warps.
template <int Rank, class Nodes>
__device__ void read_nodes(const tree_grid<Rank>& grid, const tile_box& inside, const u32* parent, const Nodes& on,
                           const u32* counts, nodes_of_tile& tile, u32& nodes, u32& shared) {
  using g = tree_grid<Rank>;
#pragma unroll 4
  for (int k = 0; k < run_pixels; ++k) {
    const int place = k * tile_threads + static_cast<int>(threadIdx.x);
    bool is_leaf = false;
    if (inside.holds(g::x_of(place), g::y_of(place), g::z_of(place))) {
      const u32 pixel = pixel_at(grid, inside, place), count = counts[pixel];
      if (count != 0) {
        const bool is_shared = on.words.is_shared_node(on.at(pixel));
        nodes |= u32{1} << k;
        shared |= (is_shared ? u32{1} : 0) << k;
        tile.counts[place] = (count ^ is_node) + 1 + (is_shared ? some_pixels::one_child : 0);
        is_leaf = tile.counts[place] < some_pixels::one_child;
        const u32 below = parent[pixel];
        const int place_below = place_in_tile(grid, inside, below);
        tile.below[place] = below == pixel    ? nodes_of_tile::nowhere_below
                            : place_below < 0 ? nodes_of_tile::elsewhere
                                              : static_cast<u16>(place_below);
      }
    }
    tile.leaves.add(is_leaf, static_cast<u32>(place));
  }
}

// From leaves down, through closed nodes. What these give to a node elsewhere, `give` gets. By whole warps.
template <class Give>
__device__ void climb_in_tile(nodes_of_tile& tile, Give give) {
  u32 place = 0, pixels = 0;
  follow_chains(
      &tile.leaves.next, tile.leaves.count,
      [&](u32 number) {
        place = tile.leaves.items[number];
        pixels = tile.counts[place];
        return true;
      },
      [&] {
        const u32 below = tile.below[place];
        if (below >= tile_pixels) {
          if (below == nodes_of_tile::elsewhere) give(static_cast<int>(place), pixels);
          return false;
        }
        const some_pixels old{atomicAdd(tile.counts + below, pixels - some_pixels::one_child)};
        pixels += old.pixels();
        place = below;
        return old.children() == 1;
      });
}

// What is added to the word of a node next; when that completes it, the node below is next.
struct next_addition {
  u32 node;
  u64 what;

  // False when there is no node below, or this one is not complete.
  template <class Nodes>
  __device__ bool make(const Nodes& on) {
    const u32 below = on.below(node);
    const u64 word = on.words.add(node, what);
    if (word / node_words::one_child != 0) return false;
    const u32 pixels = static_cast<u32>(word / node_words::one_pixel);
    on.set_area(node, pixels);
    if (below == node) return false;
    node = below;
    what = pixels * node_words::one_pixel - node_words::one_child;
    return true;
  }
};

template <int Rank, class Nodes>
__global__ void __launch_bounds__(tile_threads)
    climb_kernel(tree_grid<Rank> grid, const u32* parent, const u32* counts, Nodes on) {
  __shared__ nodes_of_tile tile;
  if (!on.exist()) return;
  const tile_box inside = grid.tile(blockIdx.x);
  tile.far.clear();
  if (threadIdx.x == 0) tile.leaves.clear();
  __syncthreads();
  u32 nodes = 0, shared = 0;  // bit k: of this thread, the k-th pixel is the first of one
  read_nodes(grid, inside, parent, on, counts, tile, nodes, shared);
  __syncthreads();
  const auto arrival = [](u32 node, some_pixels from) {
    return next_addition{node, from.pixels() * node_words::one_pixel - from.children() * node_words::one_child};
  };
  climb_in_tile(tile, [&](int place, u32 pixels) {
    const some_pixels own{pixels + some_pixels::one_child};
    const u32 below = on.below(on.at(pixel_at(grid, inside, place)));
    if (tile.far.add(below, own.word)) return;
    next_addition next = arrival(below, own);
    while (next.make(on)) {}
  });
  __syncthreads();
  if (threadIdx.x == 0) tile.leaves.clear();
  __syncthreads();
  for (u32 k = 0; k < run_pixels; ++k) {
    const u32 place = k * tile_threads + threadIdx.x;
    const bool is_closed = (nodes >> k & 1) != 0 && some_pixels{tile.counts[place]}.children() == 0;
    if (is_closed) on.set_area(on.at(pixel_at(grid, inside, static_cast<int>(place))), tile.counts[place]);
    tile.leaves.add((nodes >> k & 1) != 0 && !is_closed, place + (shared >> k & 1) * is_shared_place);
  }
  __syncthreads();
  // The tile tells what it has of nodes that are not closed, with their children that are not, and of nodes elsewhere.
  next_addition next{};
  follow_chains(
      &tile.leaves.next, tile.leaves.count + far_nodes::slots,
      [&](u32 number) {
        if (number >= tile.leaves.count) {
          const u32 slot = number - tile.leaves.count, node = tile.far.node(slot);
          next = arrival(node, tile.far.count(slot));
          return node != nowhere;
        }
        const u32 item = tile.leaves.items[number], place = item % is_shared_place;
        const some_pixels own{tile.counts[place]};
        const u64 not_children = item != place ? node_words::until_own_tile + 1 : 0;
        next = {on.at(pixel_at(grid, inside, static_cast<int>(place))),
                own.pixels() * node_words::one_pixel + (own.children() - not_children) * node_words::one_child};
        return true;
      },
      [&] { return next.make(on); });
}

template <int Rank, class Key>
cudaError_t launch_area(const tree_grid<Rank>& grid, const grey_source<Key>& image, const u32* parent, u64* words,
                        u64 pixels, u32* area, cudaStream_t stream) {
  const cudaError_t result = cudaMemsetAsync(words, 0, pixels * sizeof(u64), stream);
  if (result != cudaSuccess) return result;
  count_kernel<Rank, Key><<<grid.tiles(), tile_threads, 0, stream>>>(grid, image, parent, {words}, area);
  const nodes_at_pixels nodes{parent, {words}, area};
  climb_kernel<Rank><<<grid.tiles(), tile_threads, 0, stream>>>(grid, parent, area, nodes);
  return cudaGetLastError();
}

}  // namespace skerry::tree_stages::on_device
