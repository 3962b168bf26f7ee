// SPDX-License-Identifier: Apache-2.0
// Stage 4, CUDA, wide keys: branches to the parent image.
//
//   thread  a pixel
//
// Reads   the branch of each pixel, ends of branches, pixels and keys in order
// Writes  the parent image (4_resolve.cuh says what it is)
// Method  pixels are sorted by branch, in their order: each pixel then follows the next lower one of its branch, the lowest
//         of a branch the pixel where this ends. Pixels of one level follow each other there, so a running maximum of
//         the places where levels begin leads each to the first of them.
#pragma once
#include <cub/device/device_scan.cuh>

#include "max_tree/3_merge_branches.cuh"

namespace skerry::tree_stages::on_device {

// In a link: the lower pixel is of the same level.
inline constexpr u32 same_level = u32{1} << 31;

// From the lowest rank to the highest.
__global__ inline void __launch_bounds__(linear_threads)
    deal_kernel(u32 pixels, const u32* order, const u32* branch, u32* branch_of_rank, u32* ranks) {
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  if (i >= pixels) return;
  branch_of_rank[i] = branch[order[i]];
  ranks[i] = i;
}

// Pixels in the order of branches.
template <class Key>
struct branch_order {
  const u32* branch;
  const u32* rank;
  const u32* pixel_of_rank;
  const Key* key_of_rank;

  __device__ bool begins_branch(u32 i) const { return i == 0 || branch[i - 1] != branch[i]; }
  __device__ bool begins_level(u32 i) const {
    return begins_branch(i) || key_of_rank[rank[i - 1]] != key_of_rank[rank[i]];
  }
};

template <class Key>
__global__ void __launch_bounds__(linear_threads)
    begins_kernel(u32 pixels, branch_order<Key> pixels_in_order, u32* begin_of_level) {
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  if (i < pixels) begin_of_level[i] = pixels_in_order.begins_level(i) ? i : 0;
}

struct larger {
  __device__ u32 operator()(u32 a, u32 b) const { return a > b ? a : b; }
};

inline cudaError_t running_maximum(void* temporary, std::size_t& bytes, u32* values, u32 count, cudaStream_t stream) {
  return cub::DeviceScan::InclusiveScan(temporary, bytes, values, values, larger{}, static_cast<i32>(count), stream);
}

template <class Key>
__global__ void __launch_bounds__(linear_threads)
    link_kernel(u32 pixels, branch_order<Key> all, const u64* ends, const u32* begin_of_level, u32* link) {
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  if (i >= pixels) return;
  const u32 rank = all.rank[i], pixel = all.pixel_of_rank[rank], begin = begin_of_level[i];
  u32 to = pixel;
  if (begin != i) {
    to = all.pixel_of_rank[all.rank[begin]] | same_level;
  } else if (all.begins_branch(i)) {
    if (const u64 end = ends[all.branch[i]]; end != 0) {
      const u32 below = key_in(end) - 1;
      to = all.pixel_of_rank[below] | (all.key_of_rank[below] == all.key_of_rank[rank] ? same_level : 0);
    }
  } else {
    to = all.pixel_of_rank[all.rank[i - 1]];
  }
  link[pixel] = to;
}

__global__ inline void __launch_bounds__(linear_threads) parents_kernel(u32 pixels, const u32* link, u32* parent) {
  const u32 pixel = blockIdx.x * linear_threads + threadIdx.x;
  if (pixel >= pixels) return;
  u32 to = link[pixel] & ~same_level;
  for (u32 next = link[to]; (next & same_level) != 0; next = link[to]) to = next & ~same_level;
  parent[pixel] = to;
}

}  // namespace skerry::tree_stages::on_device
