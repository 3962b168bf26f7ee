// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA, wide keys: the area of each node, however long the chains of nodes are.
//
//   thread  a pixel in the order of branches; or a branch, then a chain of them, as long as its thread is the last to arrive
//           at each
//
// Reads   pixels in the order of branches, where branches and levels begin, the parent image, ends of branches, which are
//         gone afterwards
// Writes  the area of each node at its first pixel, 0 at other pixels
// Method  a branch has its own pixels and all branches that end in it. Above a pixel of a branch is what comes later in the
//         order of the branch, with all that ends there: a sum that runs down each branch from its highest pixel. It is
//         read from the area image and written to it in one go, so it takes no memory of its own. Only branches are
//         climbed, and these are not deep: each ends in one that reaches higher.
#pragma once
#include "engine/cuda/warp.cuh"
#include "max_tree/cuda/branches/4_resolve.cuh"
#include "max_tree/cuda/hooks/4_resolve.cuh"

namespace skerry::tree_stages::on_device {

inline constexpr u64 one_child = u64{1} << 32;  // in branch_sums::arrived

struct branch_sums {
  u32* below;    // of each branch: the one in which it ends, or nowhere. Until then its spot
  u64* arrived;  // of each branch: in the high half branches that have not arrived, the own one among them; in the low
                 // half pixels: when all have, those of the whole branch. Until then its end
  u32* root;     // the branch that ends nowhere
  u32* area;     // of each pixel: pixels of the branches that end there, then of the node that begins there

  __device__ u64 add(u32 half, u64 what) const {
    return atomicAdd(reinterpret_cast<unsigned long long*>(arrived) + half, static_cast<unsigned long long>(what));
  }
  // What threads have for the branch of the root, in which most branches may end: added at once for a warp, by all of it.
  __device__ void add_to_root(u64 what) const {
    for (u32 step = 16; step != 0; step /= 2) what += __shfl_xor_sync(~0u, what, step);
    if (threadIdx.x % 32 == 0 && what != 0) add(*root, what);
  }
};

template <class Key>
__global__ void __launch_bounds__(linear_threads)
    below_kernel(branch_order<Key> all, order_begins begins, image_branches<Key> branches, branch_sums sums) {
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  if (i >= all.pixels || !begins.branch[i]) return;
  const u32 half = all.half_branch[i];
  const u64 end = branches.ends.words[half];
  if (end == 0) *sums.root = half;
  sums.below[half] = end == 0 ? nowhere : at_level(branches, branches.branch_in(end), key_in(end)) / 2;
}

// A warp has 1024 places, and lists those where branches begin, so that its threads wait for as many of these as there are
// threads, not for the few among 32 places.
inline constexpr u32 places_of_warp = 1024, places_of_block = places_of_warp * linear_threads / 32;

inline u32 place_blocks(u32 pixels) { return (pixels + places_of_block - 1) / places_of_block; }

// Calls visit(i, next) for each place where a branch begins, from the lowest of the warp on; the next is that of the next call,
// or nowhere. By all threads of a block; those of a warp that have no place call visit(nowhere, nowhere) beside the others.
template <class Visit>
__device__ void each_branch(const place_bits_of_order& branch, u32 pixels, Visit visit) {
  __shared__ u16 listed[linear_threads / 32][places_of_warp];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const u32 first = blockIdx.x * places_of_block + warp * places_of_warp;
  u16* const places = listed[warp];
  u32 bits = first + 32 * lane < pixels ? branch.word(first / 32 + lane) : 0;
  const u32 own = static_cast<u32>(__popc(bits));
  const u32 count = sum_up_to_thread(own);  // of this and the words before
  for (u32 at = count - own; bits != 0; bits &= bits - 1)
    places[at++] = static_cast<u16>(32 * lane + static_cast<u32>(__ffs(static_cast<int>(bits))) - 1);
  __syncwarp();
  const u32 all = __shfl_sync(~0u, count, 31);
  for (u32 from = 0; from < all; from += 32) {
    const u32 k = from + lane;
    visit(k < all ? first + places[k] : nowhere, k + 1 < all ? first + places[k + 1] : nowhere);
    __syncwarp();
  }
}

// One addition for all threads of a warp that add to the same word; for nowhere, none.
__device__ inline void add_alike(u32* words, u32 place, u32 number) {
  const u32 alike = __match_any_sync(__activemask(), place), sum = __reduce_add_sync(alike, number);
  if (place != nowhere && is_first_of(alike)) atomicAdd(words + place, sum);
}

// Own pixels of each branch, and branches that will arrive. Where a branch ends is where the next begins: another thread knows
// it if another warp lists that.
template <class Key>
__global__ void __launch_bounds__(linear_threads)
    count_branches_kernel(branch_order<Key> all, order_begins begins, branch_sums sums) {
  const u32 root = *sums.root, lane = threadIdx.x % 32;
  u64 of_root = 0;
  bool first = lane == 0;  // of the warp
  each_branch(begins.branch, all.pixels, [&](u32 i, u32 next) {
    const u32 half = i != nowhere ? all.half_branch[i] : nowhere;
    if (half != nowhere) sums.add(half, next == nowhere ? one_child - i : one_child + (next - i));
    if (first && half != nowhere) {
      const u32 end = i == 0 ? all.pixels : i;
      sums.add(all.half_branch[end - 1], end);
      first = false;
    }
    u32 other = half != nowhere ? sums.below[half] : nowhere;
    if (other == root) of_root += one_child, other = nowhere;
    __syncwarp();
    const u32 alike = __match_any_sync(~0u, other);
    if (other != nowhere && is_first_of(alike)) sums.add(other, static_cast<u32>(__popc(alike)) * one_child);
  });
  sums.add_to_root(of_root);
}

// A step of all threads of a warp: those that arrive at the same branch do so together, and the first goes on if they are the
// last. The others have nowhere to go.
__device__ inline void climb(const branch_sums& sums, u32& half, u32& pixels) {
  const u32 alike = __match_any_sync(~0u, half), arriving = static_cast<u32>(__popc(alike));
  if (half != nowhere && arriving > 1) pixels = __reduce_add_sync(alike, pixels);
  if (half != nowhere && is_first_of(alike)) {
    const u64 old = sums.add(half, u64{pixels} - arriving * one_child);
    pixels += static_cast<u32>(old);
    half = old >> 32 == arriving ? sums.below[half] : nowhere;
  } else {
    half = nowhere;
  }
  __syncwarp();
}

template <class Key>
__global__ void __launch_bounds__(linear_threads)
    climb_branches_kernel(branch_order<Key> all, order_begins begins, branch_sums sums) {
  const u32 root = *sums.root;
  u64 of_root = 0;
  each_branch(begins.branch, all.pixels, [&](u32 i, u32) {
    u32 half = i != nowhere ? all.half_branch[i] : nowhere, pixels = 0;
    for (;;) {
      if (half == root) {
        of_root += u64{pixels} - one_child;
        half = nowhere;
      }
      if (__all_sync(~0u, half == nowhere)) break;
      climb(sums, half, pixels);
    }
  });
  sums.add_to_root(of_root);
}

// Tells the pixels where branches end how many pixels these have.
template <class Key>
__global__ void __launch_bounds__(linear_threads)
    endings_kernel(branch_order<Key> all, order_begins begins, const u32* parent, branch_sums sums) {
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  if (i >= all.pixels || !begins.branch[i]) return;
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
  const u32 blocks = linear_blocks(all.pixels), listing_blocks = place_blocks(all.pixels);
  below_kernel<<<blocks, linear_threads, 0, stream>>>(all, begins, branches, sums);
  cudaError_t result = cudaMemsetAsync(sums.arrived, 0, halves * sizeof(u64), stream);
  if (result == cudaSuccess) result = cudaMemsetAsync(sums.area, 0, u64{all.pixels} * sizeof(u32), stream);
  if (result != cudaSuccess) return result;
  count_branches_kernel<<<listing_blocks, linear_threads, 0, stream>>>(all, begins, sums);
  climb_branches_kernel<<<listing_blocks, linear_threads, 0, stream>>>(all, begins, sums);
  endings_kernel<<<blocks, linear_threads, 0, stream>>>(all, begins, parent, sums);
  if (result = cudaGetLastError(); result != cudaSuccess) return result;
  const from_highest at{all.pixels};
  return sum_in_branches(temporary, bytes, {all.order, all.place, begins.branch, at, sums.area},
                         {all.order, all.place, begins.level, at, sums.area}, stream);
}

}  // namespace skerry::tree_stages::on_device
