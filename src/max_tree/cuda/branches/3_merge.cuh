// SPDX-License-Identifier: Apache-2.0
// Stage 3, CUDA, wide keys: joins the branches of neighbouring tiles (hooks/3_merge.cuh says at which pairs of pixels).
//
// Reads   keys, branches and their ends in each tile
// Writes  ends of branches and their spots; then the branch of each pixel in the image
#pragma once
#include "max_tree/cuda/branches/2_local.cuh"
#include "max_tree/cuda/branches/2_sort.cuh"
#include "max_tree/cuda/hooks/3_merge.cuh"

namespace skerry::tree_stages::on_device {

template <class Key>
struct joined_branches {
  image_branches<Key> branches;
  const u32* branch_of_pixel;

  __device__ u32 height(i32 x, i32 y, i32 z, u32) const { return branches.image.key(x, y, z); }
  __device__ void join(u32 a, u32 height_a, u32 b, u32 height_b) const {
    branch_walk<image_branches<Key>> walk;
    walk.begin(branch_of_pixel[a], branch_of_pixel[b], min(height_a, height_b), height_a < height_b ? a : b);
    while (walk.step(branches)) {}
  }
};

// The branch of each pixel in its tile becomes that in the image.
template <class Key>
__global__ void __launch_bounds__(linear_threads)
    branches_kernel(u32 pixels, image_branches<Key> branches, u32* branch_of_pixel) {
  u32 begin[items_of_thread];
  u64 level[items_of_thread], end[items_of_thread];
#pragma unroll
  for (u32 k = 0; k < items_of_thread; ++k) {
    const u32 pixel = min(item(k), pixels - 1);
    begin[k] = branch_of_pixel[pixel];
    level[k] = word_of<u64>(branches.image.key(pixel), 1);
  }
#pragma unroll
  for (u32 k = 0; k < items_of_thread; ++k) end[k] = branches.ends.words[begin[k] / 2];
#pragma unroll
  for (u32 k = 0; k < items_of_thread; ++k) {
    u32 branch = begin[k];
    for (; end[k] >= level[k]; end[k] = branches.ends.words[branch / 2]) branch = branches.branch_in(end[k]);
    if (branch != begin[k] && item(k) < pixels) branch_of_pixel[item(k)] = branch;
    __syncwarp();
  }
}

}  // namespace skerry::tree_stages::on_device
