// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA, wide keys: the area of each node, however long the chains of nodes are.
//
//   thread  a pixel in the order of branches; where a branch begins, a chain of branches, as long as its thread is the last
//           to arrive at each
//
// Reads   pixels in the order of branches, where branches and levels begin, the parent image, ends of branches, which are
//         gone afterwards
// Writes  the area of each node at its first pixel, 0 at other pixels
// Method  a branch has its own pixels and all branches that end in it. Above a pixel of a branch is what comes later in the
//         order of the branch, with all that ends there: a sum that runs down each branch from its highest pixel. It is
//         read from the area image and written to it in one go, so it takes no memory of its own. Only branches are
//         climbed, and these are not deep: each ends in one that reaches higher.
#pragma once
#include "max_tree/4_resolve_branches.cuh"
#include "max_tree/5_measure.cuh"

namespace skerry::tree_stages::on_device {

struct branch_sums {
  u32* below;    // of each branch: the one in which it ends, or nowhere. Until then its spot
  u64* arrived;  // of each branch: in the high half branches that have not arrived, the own one among them; in the low
                 // half pixels: when all have, those of the whole branch. Until then its end
  u32* area;     // of each pixel: pixels of the branches that end there, then of the node that begins there
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
  add_alike(sums.area, below == pixel ? nowhere : below, whole_branch);
}

// From the last place in the order of branches to the first: pixels fewer than 2^31, and a bit where a branch ends, whose sum
// begins there.
inline constexpr u32 highest_of_branch = u32{1} << 31;

struct from_highest {
  u32 pixels;
  __device__ u32 operator()(u32 step) const { return pixels - 1 - step; }
};

struct add_in_branch {
  __device__ u32 operator()(u32 higher, u32 own) const { return own >= highest_of_branch ? own : higher + own; }
};

// A pixel, and what ends there.
struct weight_of_pixel {
  const u32* order;
  place_in_order place;
  place_bits_of_order branch;
  from_highest at;
  const u32* ending;

  __device__ u32 operator()(u32 step) const {
    const u32 i = at(step), weight = 1 + ending[place(__ldg(order + i))];
    return i + 1 == at.pixels || branch[i + 1] ? weight | highest_of_branch : weight;
  }
};

// Writes where only it has read.
struct write_area {
  const u32* order;
  place_in_order place;
  place_bits_of_order level;
  from_highest at;
  u32* area;

  __device__ void operator()(u32 step, u32 sum) const {
    const u32 i = at(step);
    area[place(__ldg(order + i))] = level[i] ? sum & ~highest_of_branch : 0;
  }
};

inline cudaError_t sum_in_branches(void* temporary, std::size_t& bytes, const weight_of_pixel& weight,
                                   const write_area& write, cudaStream_t stream) {
  return cub::DeviceScan::InclusiveScan(
      temporary, bytes, thrust::make_transform_iterator(thrust::make_counting_iterator(u32{0}), weight),
      thrust::make_tabulate_output_iterator(write), add_in_branch{}, static_cast<i32>(weight.at.pixels), stream);
}

template <class Key>
cudaError_t launch_areas(const branch_order<Key>& all, const order_begins& begins, const image_branches<Key>& branches,
                         const u32* parent, const branch_sums& sums, u64 halves, void* temporary, std::size_t bytes,
                         cudaStream_t stream) {
  const u32 blocks = linear_blocks(all.pixels);
  below_kernel<<<blocks, linear_threads, 0, stream>>>(all, branches, sums.below);
  cudaError_t result = cudaMemsetAsync(sums.arrived, 0, halves * sizeof(u64), stream);
  if (result == cudaSuccess) result = cudaMemsetAsync(sums.area, 0, u64{all.pixels} * sizeof(u32), stream);
  if (result != cudaSuccess) return result;
  count_branches_kernel<<<blocks, linear_threads, 0, stream>>>(all, sums.below, sums.arrived);
  climb_branches_kernel<<<blocks, linear_threads, 0, stream>>>(all, sums.below, sums.arrived);
  endings_kernel<<<blocks, linear_threads, 0, stream>>>(all, parent, sums);
  if (result = cudaGetLastError(); result != cudaSuccess) return result;
  const from_highest at{all.pixels};
  return sum_in_branches(temporary, bytes, {all.order, all.place, begins.branch, at, sums.area},
                         {all.order, all.place, begins.level, at, sums.area}, stream);
}

}  // namespace skerry::tree_stages::on_device
