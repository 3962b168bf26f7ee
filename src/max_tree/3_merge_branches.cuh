// SPDX-License-Identifier: Apache-2.0
// Stage 3, CUDA, wide keys: joins the branches of neighbouring tiles (3_merge.cuh says at which pairs of pixels).
//
// Reads   ranks, branches and their ends in each tile
// Writes  ends of branches; then the branch of each pixel in the image
#pragma once
#include "max_tree/2_local_branches.cuh"
#include "max_tree/3_merge.cuh"

namespace skerry::tree_stages::on_device {

struct joined_branches {
  const u32* rank;
  const u32* branch;
  branch_ends<image_links> ends;

  __device__ u32 height(i32, i32, i32, u32 pixel) const { return rank[pixel]; }
  __device__ void join(u32 a, u32 height_a, u32 b, u32 height_b) const {
    branch_walk<image_links> walk;
    walk.begin(branch[a], branch[b], min(height_a, height_b));
    while (walk.step(ends)) {}
  }
};

// The branch of each pixel in its tile becomes that in the image.
__global__ inline void __launch_bounds__(linear_threads)
    branches_kernel(u32 pixels, const u32* rank, const u64* ends, u32* branch_of_pixel) {
  const u32 pixel = blockIdx.x * linear_threads + threadIdx.x;
  if (pixel >= pixels) return;
  const u32 level = rank[pixel], begin = branch_of_pixel[pixel];
  u32 branch = begin;
  for (u64 end = ends[branch]; key_in(end) > level; end = ends[branch]) branch = place_in(end);
  if (branch != begin) branch_of_pixel[pixel] = branch;
}

}  // namespace skerry::tree_stages::on_device
