// SPDX-License-Identifier: Apache-2.0
// Stage 6, CUDA, emit: what is left of an image after filtering.
//
//   thread  16 pixels in turn
//   block   a tile
//
// Reads   keys, the parent image, and which nodes stay
// Writes  an image of the tree's type
// Method  the first pixel of each node walks down to where its new level is decided; then every pixel takes the level of
//         its node. Levels are keys, whose differences are those of integer pixels.
#pragma once
#include "max_tree/cuda/hooks/5_measure.cuh"

namespace skerry::tree_stages::on_device {

// A tree in device memory, and which of its nodes stay.
struct filtered_tree {
  const u32* parent;
  const u32* area;  // or null: then
  u64 least_area;
  const u8* keep;

  __device__ bool keeps(u32 node) const { return area != nullptr ? area[node] >= least_area : keep[node] != 0; }
};

// Marks what stays, and all nodes below.
template <int Rank, class Key>
__global__ void __launch_bounds__(tile_threads)
    keep_below_kernel(tree_grid<Rank> grid, grey_source<Key> image, filtered_tree tree, u8* kept) {
  const tile_box inside = grid.tile(blockIdx.x);
  each_pixel<Rank>(inside, [&](int, int x, int y, int z) {
    u32 node = grid.pixel(inside.x + x, inside.y + y, inside.z + z);
    const Key key = image.key(inside.x + x, inside.y + y, inside.z + z);
    if (!is_first_pixel(image, key, node, tree.parent[node]) || !tree.keeps(node)) return;
    for (;;) {
      volatile u8& mark = kept[node];  // whoever else marks it writes the same
      if (mark != 0) return;
      mark = 1;
      const u32 below = tree.parent[node];
      if (below == node) return;
      node = below;
    }
  });
}

template <class Key>
__device__ Key filtered_key(const grey_source<Key>& image, const filtered_tree& tree, filter_rule rule, u32 node,
                            Key key) {
  u32 at = node, below = tree.parent[at];
  if (rule == filter_rule::subtractive) {
    Key lost = 0;
    for (; below != at; at = below, below = tree.parent[at])
      if (!tree.keeps(at)) lost = static_cast<Key>(lost + image.key(at) - image.key(below));
    return static_cast<Key>(key - lost);
  }
  if (rule == filter_rule::min) {
    u32 last = node;
    for (; below != at; at = below, below = tree.parent[at])
      if (!tree.keeps(at)) last = below;
    return image.key(last);
  }
  for (; below != at && !tree.keeps(at); below = tree.parent[at]) at = below;
  return image.key(at);
}

template <int Rank, class Key>
__global__ void __launch_bounds__(tile_threads)
    levels_kernel(tree_grid<Rank> grid, grey_source<Key> image, filtered_tree tree, filter_rule rule, Key* level) {
  const tile_box inside = grid.tile(blockIdx.x);
  each_pixel<Rank>(inside, [&](int, int x, int y, int z) {
    const u32 pixel = grid.pixel(inside.x + x, inside.y + y, inside.z + z);
    const Key key = image.key(inside.x + x, inside.y + y, inside.z + z);
    if (is_first_pixel(image, key, pixel, tree.parent[pixel]))
      level[pixel] = filtered_key(image, tree, rule, pixel, key);
  });
}

// The bits of a pixel that says how far two keys are apart.
template <class Key>
__device__ Key distance_bits(const grey_source<Key>& image, Key a, Key b) {
  if constexpr (sizeof(Key) == 4)
    if (image.floats) {
      const double from = __uint_as_float(image.bits_from(a)), to = __uint_as_float(image.bits_from(b));
      return __float_as_uint(a == b ? 0.0f : static_cast<float>(fabs(from - to)));
    }
  return static_cast<Key>(a > b ? a - b : b - a);
}

struct pixel_target {
  char* data;
  i64 step_z, step_y, step_x;  // bytes
};

template <int Rank, class Key>
__global__ void __launch_bounds__(tile_threads)
    emit_kernel(tree_grid<Rank> grid, grey_source<Key> image, const u32* parent, const Key* level, bool top_hat,
                pixel_target out) {
  const tile_box inside = grid.tile(blockIdx.x);
  each_pixel<Rank>(inside, [&](int, int dx, int dy, int dz) {
    const i32 x = inside.x + dx, y = inside.y + dy, z = inside.z + dz;
    const u32 pixel = grid.pixel(x, y, z), below = parent[pixel];
    const Key key = image.key(x, y, z), left = level[is_first_pixel(image, key, pixel, below) ? pixel : below];
    *reinterpret_cast<Key*>(out.data + z * out.step_z + y * out.step_y + x * out.step_x) =
        top_hat ? distance_bits(image, key, left) : image.bits_from(left);
  });
}

template <int Rank, class Key>
cudaError_t launch_filter(const tree_grid<Rank>& grid, const grey_source<Key>& image, filtered_tree tree,
                          filter_rule rule, bool top_hat, Key* level, u8* kept, u64 pixels, const pixel_target& out,
                          cudaStream_t stream) {
  if (rule == filter_rule::max) {
    const cudaError_t result = cudaMemsetAsync(kept, 0, pixels, stream);
    if (result != cudaSuccess) return result;
    keep_below_kernel<Rank, Key><<<grid.tiles(), tile_threads, 0, stream>>>(grid, image, tree, kept);
    tree = {tree.parent, nullptr, 0, kept};
  }
  levels_kernel<Rank, Key><<<grid.tiles(), tile_threads, 0, stream>>>(grid, image, tree, rule, level);
  emit_kernel<Rank, Key><<<grid.tiles(), tile_threads, 0, stream>>>(grid, image, tree.parent, level, top_hat, out);
  return cudaGetLastError();
}

}  // namespace skerry::tree_stages::on_device
