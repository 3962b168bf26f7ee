// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA, wide keys: the area of each node, however long the chains of nodes are.
//
//   thread  a pixel in the order of branches; where a branch begins, a chain of branches, as long as its thread is the last
//           to arrive at each
//
// Reads   pixels in the order of branches, the parent image, ends of branches, which are gone afterwards
// Writes  the area of each node at its first pixel, 0 at other pixels
// Method  a branch has its own pixels and all branches that end in it. Above a pixel of a branch is what comes later in the
//         order of the branch, with all that ends there: the whole branch without a running sum. Only branches are climbed,
//         and these are not deep: each ends in one that reaches higher. Sums wrap; what is read from them does not.
#pragma once
#include "max_tree/4_resolve_branches.cuh"
#include "max_tree/5_measure.cuh"

namespace skerry::tree_stages::on_device {

struct branch_sums {
  u32* below;    // of each branch: the one in which it ends, or nowhere. Until then its spot
  u64* arrived;  // of each branch: in the high half branches that have not arrived, the own one among them; in the low
      // half pixels. When all have, the running sum before the branch, and the pixels of the whole branch. Until
      // then its end
  u32* ending;   // of each pixel: pixels of the branches that end there
  u32* running;  // a word per pixel
};

template <class Key>
__global__ void __launch_bounds__(linear_threads)
    below_kernel(branch_order<Key> all, image_branches<Key> branches, u32* below) {
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  if (i >= all.pixels || !all.begins_branch(i)) return;
  const u32 half = all.half_branch[i];
  const u64 end = branches.ends.words[half];
  below[half] = end == 0 ? nowhere : at_level(branches, branches.branch_in(end), key_in(end)) / 2;
}

// One addition for all threads of a warp that add to the same word; for nowhere, none.
__device__ inline void add_alike(u32* words, u32 place, u32 number) {
  const u32 alike = __match_any_sync(__activemask(), place), sum = __reduce_add_sync(alike, number);
  if (place != nowhere && __ffs(static_cast<int>(alike)) - 1 == static_cast<int>(threadIdx.x % 32))
    atomicAdd(words + place, sum);
}

// What threads of a block have for the branch of the root, in which most branches may end: added at once.
class block_root {
 public:
  // By all threads.
  __device__ void begin(u32 half_of_any, const u32* below) {
    if (threadIdx.x == 0) {
      while (below[half_of_any] != nowhere) half_of_any = below[half_of_any];
      half_ = half_of_any;
      sum_ = 0;
    }
    __syncthreads();
  }
  __device__ bool is(u32 half) const { return half == half_; }
  __device__ void add(u64 what) { atomicAdd(&sum_, static_cast<unsigned long long>(what)); }
  // By all threads.
  __device__ void finish(u64* words) {
    __syncthreads();
    if (threadIdx.x == 0 && sum_ != 0) atomicAdd(reinterpret_cast<unsigned long long*>(words) + half_, sum_);
  }

 private:
  u32 half_;
  unsigned long long sum_;
};

template <class Key>
__global__ void __launch_bounds__(linear_threads)
    count_branches_kernel(branch_order<Key> all, const u32* below, u64* arrived) {
  __shared__ block_root root;
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  root.begin(all.half_branch[min(i, all.pixels - 1)], below);
  auto* const words = reinterpret_cast<unsigned long long*>(arrived);
  const u32 half = i < all.pixels ? all.half_branch[i] : 0;
  if (i < all.pixels && all.ends_branch(i)) atomicAdd(words + half, static_cast<unsigned long long>(i) + 1);
  if (i < all.pixels && all.begins_branch(i)) {
    atomicAdd(words + half, one_child - i);
    if (const u32 other = below[half]; root.is(other)) root.add(one_child);
    else if (other != nowhere) atomicAdd(words + other, one_child);
  }
  root.finish(arrived);
}

template <class Key>
__global__ void __launch_bounds__(linear_threads)
    climb_branches_kernel(branch_order<Key> all, const u32* below, u64* arrived) {
  __shared__ block_root root;
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  root.begin(all.half_branch[min(i, all.pixels - 1)], below);
  if (i < all.pixels && all.begins_branch(i)) {
    u32 half = all.half_branch[i];
    u64 news = 0;
    while (!root.is(half)) {
      const u64 old = atomicAdd(reinterpret_cast<unsigned long long*>(arrived) + half, news - one_child);
      if (old >> 32 != 1) break;
      news = static_cast<u32>(old + news);
      half = below[half];
    }
    if (root.is(half)) root.add(news - one_child);
  }
  root.finish(arrived);
}

// Tells the pixels where branches end how many pixels these have.
template <class Key>
__global__ void __launch_bounds__(linear_threads)
    endings_kernel(branch_order<Key> all, const u32* parent, branch_sums sums) {
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  if (i >= all.pixels || !all.begins_branch(i)) return;
  const u32 pixel = all.pixel(i), below = parent[pixel];
  const u32 whole_branch = static_cast<u32>(sums.arrived[all.half_branch[i]]);
  add_alike(sums.ending, below == pixel ? nowhere : below, whole_branch);
}

template <class Key>
__global__ void __launch_bounds__(linear_threads) weigh_kernel(branch_order<Key> all, branch_sums sums) {
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  if (i < all.pixels) sums.running[i] = 1 + sums.ending[all.pixel(i)];
}

inline cudaError_t running_sum(void* temporary, std::size_t& bytes, u32* values, u32 count, cudaStream_t stream) {
  return cub::DeviceScan::InclusiveSum(temporary, bytes, values, values, static_cast<i32>(count), stream);
}

template <class Key>
__global__ void __launch_bounds__(linear_threads) before_branches_kernel(branch_order<Key> all, branch_sums sums) {
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  if (i == 0 || i >= all.pixels || !all.begins_branch(i)) return;
  sums.arrived[all.half_branch[i]] |= u64{sums.running[i - 1]} << 32;
}

// `area` may be where `ending` was.
template <class Key>
__global__ void __launch_bounds__(linear_threads) areas_kernel(branch_order<Key> all, branch_sums sums, u32* area) {
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  const bool begins = all.begins_level(i, i < all.pixels && all.begins_branch(i));
  if (i >= all.pixels) return;
  const u64 branch = sums.arrived[all.half_branch[i]];
  const u32 below = i == 0 ? 0 : sums.running[i - 1];
  area[all.pixel(i)] = begins ? static_cast<u32>(branch) - (below - static_cast<u32>(branch >> 32)) : 0;
}

template <class Key>
cudaError_t launch_areas(const branch_order<Key>& all, const image_branches<Key>& branches, const u32* parent,
                         const branch_sums& sums, u64 halves, u32* area, void* temporary, std::size_t bytes,
                         cudaStream_t stream) {
  const u32 blocks = linear_blocks(all.pixels);
  below_kernel<<<blocks, linear_threads, 0, stream>>>(all, branches, sums.below);
  cudaError_t result = cudaMemsetAsync(sums.arrived, 0, halves * sizeof(u64), stream);
  if (result == cudaSuccess) result = cudaMemsetAsync(sums.ending, 0, u64{all.pixels} * sizeof(u32), stream);
  if (result != cudaSuccess) return result;
  count_branches_kernel<<<blocks, linear_threads, 0, stream>>>(all, sums.below, sums.arrived);
  climb_branches_kernel<<<blocks, linear_threads, 0, stream>>>(all, sums.below, sums.arrived);
  endings_kernel<<<blocks, linear_threads, 0, stream>>>(all, parent, sums);
  weigh_kernel<<<blocks, linear_threads, 0, stream>>>(all, sums);
  if (result = running_sum(temporary, bytes, sums.running, all.pixels, stream); result != cudaSuccess) return result;
  before_branches_kernel<<<blocks, linear_threads, 0, stream>>>(all, sums);
  areas_kernel<<<blocks, linear_threads, 0, stream>>>(all, sums, area);
  return cudaGetLastError();
}

}  // namespace skerry::tree_stages::on_device
