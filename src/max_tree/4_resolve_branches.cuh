// SPDX-License-Identifier: Apache-2.0
// Stage 4, CUDA, wide keys: branches to the parent image.
//
//   thread  a pixel
//
// Reads   the branch of each pixel, ends of branches and their spots, pixels from the lowest to the highest
// Writes  the parent image (4_resolve.cuh says what it is)
// Method  pixels are sorted by branch, in their order: each pixel then follows the next lower one of its branch, and those of
//         one level follow each other, so a running maximum of the places where levels begin leads each to the first of
//         its node. Where a branch begins, the spot of its end is of the node below.
#pragma once
#include <cub/device/device_scan.cuh>

#include "max_tree/3_merge_branches.cuh"

namespace skerry::tree_stages::on_device {

// From the lowest pixel to the highest.
__global__ inline void __launch_bounds__(linear_threads)
    deal_kernel(u32 pixels, const u32* order, const u32* branch_of_pixel, u32* branch) {
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  if (i < pixels) branch[i] = branch_of_pixel[order[i]] / 2;
}

// Pixels in the order of branches; half the name of a branch is enough, as there is one for two pixels.
template <class Key>
struct branch_order {
  const u32* half_branch;
  const u32* pixel;
  grey_source<Key> image;
  u32 pixels;

  __device__ bool begins_branch(u32 i) const { return i == 0 || half_branch[i - 1] != half_branch[i]; }
  __device__ bool ends_branch(u32 i) const { return i + 1 == pixels || half_branch[i + 1] != half_branch[i]; }
  // For all threads of a warp, of which some may be beyond the last pixel.
  __device__ bool begins_level(u32 i) const {
    const u32 key = i < pixels ? image.key(pixel[i]) : 0;
    u32 before = __shfl_up_sync(~0u, key, 1);
    if (i == 0 || i >= pixels) return i == 0;
    if (threadIdx.x % 32 == 0) before = image.key(pixel[i - 1]);
    return before != key || half_branch[i - 1] != half_branch[i];
  }
  // The first pixel of the node that a branch has at a level.
  __device__ u32 first_of_node(u32 half, u32 level) const {
    u32 from = 0, to = pixels;
    while (from < to) {
      const u32 middle = from + (to - from) / 2, branch = half_branch[middle];
      if (branch < half || (branch == half && image.key(pixel[middle]) < level)) from = middle + 1;
      else to = middle;
    }
    return pixel[from];
  }
};

template <class Key>
__global__ void __launch_bounds__(linear_threads) begins_kernel(branch_order<Key> all, u32* begin_of_level) {
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  const bool begins = all.begins_level(i);
  if (i < all.pixels) begin_of_level[i] = begins ? i : 0;
}

struct larger {
  __device__ u32 operator()(u32 a, u32 b) const { return a > b ? a : b; }
};

inline cudaError_t running_maximum(void* temporary, std::size_t& bytes, u32* values, u32 count, cudaStream_t stream) {
  return cub::DeviceScan::InclusiveScan(temporary, bytes, values, values, larger{}, static_cast<i32>(count), stream);
}

// A pixel of the node in which a branch ends; `own` if there is none below.
template <class Key>
__device__ u32 pixel_below(const branch_order<Key>& all, const image_branches<Key>& branches, u32 half, u32 own) {
  const u64 end = branches.ends.words[half];
  if (end == 0) return own;
  const u32 level = key_in(end), spot = branches.spots[half];
  if (branches.is_spot(spot, level)) return spot;
  return all.first_of_node(at_level(branches, branches.branch_in(end), level) / 2, level);
}

template <class Key>
__global__ void __launch_bounds__(linear_threads)
    link_kernel(branch_order<Key> all, image_branches<Key> branches, const u32* begin_of_level, u32* parent) {
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  if (i >= all.pixels) return;
  const u32 pixel = all.pixel[i], begin = begin_of_level[i];
  if (begin != i) parent[pixel] = all.pixel[begin];
  else if (all.begins_branch(i)) parent[pixel] = pixel_below(all, branches, all.half_branch[i], pixel);
  else parent[pixel] = all.pixel[begin_of_level[i - 1]];
}

// Leads the lowest pixel of each branch from any pixel of the node below to the first. Others may do so with the parent that
// is read: it is of a lower level before and after.
template <class Key>
__global__ void __launch_bounds__(linear_threads) settle_kernel(branch_order<Key> all, u32* parent) {
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  if (i >= all.pixels || !all.begins_branch(i)) return;
  const u32 pixel = all.pixel[i], below = parent[pixel];
  const u32 next = atomic_ref<u32, sharing::device>(parent[below]).load(relaxed);
  if (next != below && all.image.key(next) == all.image.key(below))
    atomic_ref<u32, sharing::device>(parent[pixel]).store(next, relaxed);
}

}  // namespace skerry::tree_stages::on_device
