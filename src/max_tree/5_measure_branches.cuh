// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA, wide keys: the area of each node, however long the chains of nodes are.
//
//   thread  a pixel in the order of branches; where a branch begins, a chain of branches, as long as its thread is the last
//           to arrive at each
//
// Reads   pixels in the order of branches, ends of branches, links (4_resolve_branches.cuh)
// Writes  the area of each node at its first pixel, 0 at other pixels
// Method  a branch has its own pixels and all branches that end in it. Above a pixel of a branch is what comes later in the
//         order of the branch, with all that ends there: the whole branch without a running sum. Only branches are climbed,
//         and these are not deep: each ends in one that reaches higher. Sums wrap; what is read from them does not.
#pragma once
#include "max_tree/4_resolve_branches.cuh"

namespace skerry::tree_stages::on_device {

// A word per pixel each.
struct branch_sums {
  u32* pixels;   // at maxima: of the whole branch
  u32* waiting;  // at maxima: branches that have not arrived, the own one among them
  u32* ending;   // at pixels: of the branches that end there
  u32* before;   // at maxima: the running sum before the branch
  u32* running;
};

template <class Key>
__device__ bool ends_branch(const branch_order<Key>& all, u32 i, u32 pixels) {
  return i + 1 == pixels || all.branch[i + 1] != all.branch[i];
}

// The branch that a branch with an end ends in.
__device__ inline u32 branch_below(const u64* ends, u64 end) {
  u32 below = place_in(end);
  for (u64 next = ends[below]; key_in(next) >= key_in(end); next = ends[below]) below = place_in(next);
  return below;
}

template <class Key>
__global__ void __launch_bounds__(linear_threads)
    count_branches_kernel(u32 pixels, branch_order<Key> all, const u64* ends, branch_sums sums) {
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  if (i >= pixels) return;
  const u32 branch = all.branch[i];
  if (ends_branch(all, i, pixels)) atomicAdd(sums.pixels + branch, i + 1);
  if (!all.begins_branch(i)) return;
  atomicAdd(sums.pixels + branch, 0u - i);
  atomicAdd(sums.waiting + branch, 1);
  if (const u64 end = ends[branch]; end != 0) atomicAdd(sums.waiting + branch_below(ends, end), 1);
}

template <class Key>
__global__ void __launch_bounds__(linear_threads)
    climb_branches_kernel(u32 pixels, branch_order<Key> all, const u64* ends, branch_sums sums) {
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  if (i >= pixels || !all.begins_branch(i)) return;
  u32 branch = all.branch[i];
  while (atomicSub(sums.waiting + branch, 1) == 1) {
    __threadfence();  // what the others have added is there
    const u64 end = ends[branch];
    if (end == 0) return;
    const u32 own = atomicAdd(sums.pixels + branch, 0);
    atomicAdd(sums.ending + all.pixel_of_rank[key_in(end) - 1], own);
    branch = branch_below(ends, end);
    atomicAdd(sums.pixels + branch, own);
    __threadfence();  // before the arrival is told
  }
}

template <class Key>
__global__ void __launch_bounds__(linear_threads) weigh_kernel(u32 pixels, branch_order<Key> all, branch_sums sums) {
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  if (i < pixels) sums.running[i] = 1 + sums.ending[all.pixel_of_rank[all.rank[i]]];
}

inline cudaError_t running_sum(void* temporary, std::size_t& bytes, u32* values, u32 count, cudaStream_t stream) {
  return cub::DeviceScan::InclusiveSum(temporary, bytes, values, values, static_cast<i32>(count), stream);
}

template <class Key>
__global__ void __launch_bounds__(linear_threads)
    before_branches_kernel(u32 pixels, branch_order<Key> all, branch_sums sums) {
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  if (i < pixels && all.begins_branch(i)) sums.before[all.branch[i]] = i == 0 ? 0 : sums.running[i - 1];
}

// `area` may be where `ending` was.
template <class Key>
__global__ void __launch_bounds__(linear_threads)
    areas_kernel(u32 pixels, branch_order<Key> all, branch_sums sums, const u32* link, u32* area) {
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  if (i >= pixels) return;
  const u32 pixel = all.pixel_of_rank[all.rank[i]], branch = all.branch[i];
  const u32 below = i == 0 ? 0 : sums.running[i - 1];
  area[pixel] = (link[pixel] & same_level) != 0 ? 0 : sums.pixels[branch] - (below - sums.before[branch]);
}

template <class Key>
cudaError_t launch_areas(u32 pixels, const branch_order<Key>& all, const u64* ends, const branch_sums& sums,
                         const u32* link, u32* area, void* temporary, std::size_t bytes, cudaStream_t stream) {
  for (u32* const each : {sums.pixels, sums.waiting, sums.ending})
    if (const cudaError_t result = cudaMemsetAsync(each, 0, u64{pixels} * sizeof(u32), stream); result != cudaSuccess)
      return result;
  const u32 blocks = linear_blocks(pixels);
  count_branches_kernel<<<blocks, linear_threads, 0, stream>>>(pixels, all, ends, sums);
  climb_branches_kernel<<<blocks, linear_threads, 0, stream>>>(pixels, all, ends, sums);
  weigh_kernel<<<blocks, linear_threads, 0, stream>>>(pixels, all, sums);
  if (const cudaError_t result = running_sum(temporary, bytes, sums.running, pixels, stream); result != cudaSuccess)
    return result;
  before_branches_kernel<<<blocks, linear_threads, 0, stream>>>(pixels, all, sums);
  areas_kernel<<<blocks, linear_threads, 0, stream>>>(pixels, all, sums, link, area);
  return cudaGetLastError();
}

}  // namespace skerry::tree_stages::on_device
