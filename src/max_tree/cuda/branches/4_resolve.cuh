// SPDX-License-Identifier: Apache-2.0
// Stage 4, CUDA, wide keys: branches to the parent image.
//
//   thread  a pixel, or four
//
// Reads   the branch of each pixel, ends of branches and their spots, pixels from the lowest to the highest
// Writes  the parent image (hooks/4_resolve.cuh says what it is)
// Method  pixels are sorted by branch, in their order: each pixel then follows the next lower one of its branch, and those of
//         one level follow each other, so a running maximum of the places where levels begin leads each to the first of
//         its node: the place where the level of the pixel before it begins is its parent, be that of its own level or of
//         the one below. Where a branch begins, the spot of its end is of the node below.
#pragma once
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_scan.cuh>
#include <utility>

#include "max_tree/cuda/branches/3_merge.cuh"

namespace skerry::tree_stages::on_device {

// The branches of pixels as keys of a sort; half the name of a branch is enough, as there is one for two pixels.
struct branches_in_raster_order {
  const u32* branch_of_pixel;

  template <class Number, u32 Items>
  __device__ void read(Number pixel, u32 (&halves)[Items], u32 (&)[Items]) const {
#pragma unroll
    for (u32 k = 0; k < Items; ++k) halves[k] = branch_of_pixel[pixel(k)] / 2;
  }
};

// The same, from the lowest pixel to the highest.
struct branches_in_order {
  const u32 *order, *branch_of_pixel;
  place_in_order place;

  template <class Number, u32 Items>
  __device__ void read(Number i, u32 (&halves)[Items], u32 (&places)[Items]) const {
#pragma unroll
    for (u32 k = 0; k < Items; ++k) places[k] = order[i(k)];
#pragma unroll
    for (u32 k = 0; k < Items; ++k) halves[k] = branch_of_pixel[place(places[k])] / 2;
  }
};

// Halves of a pair of buffers, one of which is read and the other written.
struct memory_of_branches {
  u32 *halves, *other_halves, *order, *other_order;
};

// Pixels in order, in `other_order`, by branch: halves end where `halves` is if the number of digits is odd, and so do pixels.
inline cudaError_t launch_sort_by_branch(digit_sort& sort, u32 digits, const branches_in_order& pixels,
                                         memory_of_branches m) {
  cudaError_t result = sort.pass(pixels, pairs_to_memory<u32>{m.halves, m.order, 0}, 0);
  for (u32 digit = 1; digit < digits && result == cudaSuccess; ++digit) {
    result = sort.pass(pairs_in_memory<u32>{m.halves, m.order}, pairs_to_memory<u32>{m.other_halves, m.other_order, 0},
                       digit * digit_bits);
    std::swap(m.halves, m.other_halves);
    std::swap(m.order, m.other_order);
  }
  return result;
}

// Pixels in the order of branches.
template <class Key>
struct branch_order {
  const u32* half_branch;
  const u32* order;
  place_in_order place;
  grey_source<Key> image;
  u32 pixels;

  __device__ u32 pixel(u32 i) const { return place(order[i]); }
  // The first pixel of the node that a branch has at a level.
  __device__ u32 first_of_node(u32 half, u32 level) const {
    u32 from = 0, to = pixels;
    while (from < to) {
      const u32 middle = from + (to - from) / 2, branch = half_branch[middle];
      if (branch < half || (branch == half && image.key(pixel(middle)) < level)) from = middle + 1;
      else to = middle;
    }
    return pixel(from);
  }
};

// Bits of places in the order of branches.
struct place_bits_of_order {
  u32* words;

  __device__ u32 word(u32 number) const { return __ldg(words + number); }
  __device__ bool operator[](u32 i) const { return (word(i / 32) >> i % 32 & 1) != 0; }
  // By all threads of a warp, whose first place is a multiple of 32.
  __device__ void set(u32 i, u32 count, bool bit) const {
    const u32 word = __ballot_sync(~0u, bit);
    if (threadIdx.x % 32 == 0 && i < count) words[i / 32] = word;
  }
};

struct order_begins {
  place_bits_of_order level, branch;

  order_begins(u32* words, u32 pixels) : level{words}, branch{words + (pixels + 31) / 32} {}
  static u64 words_for(u32 pixels) { return (u64{pixels} + 31) / 32 * 2; }
};

// Four places of a thread, and what it must know to tell whether a level begins there: keys only where their bits are alike.
template <class Key>
struct places_of_thread {
  u32 own[items_of_thread], before[items_of_thread], key[items_of_thread], key_before[items_of_thread];
  bool begins_branch[items_of_thread], unsure[items_of_thread];

  // These two by all threads of a warp, of which some may be beyond the last pixel.
  __device__ void read(const branch_order<Key>& all) {
    u32 half[items_of_thread], half_before[items_of_thread];
#pragma unroll
    for (u32 k = 0; k < items_of_thread; ++k) {
      const u32 i = min(item(k), all.pixels - 1);
      own[k] = all.order[i];
      half[k] = all.half_branch[i];
      if (threadIdx.x % 32 != 0 || i == 0) continue;
      before[k] = all.order[i - 1];
      half_before[k] = all.half_branch[i - 1];
    }
#pragma unroll
    for (u32 k = 0; k < items_of_thread; ++k) {
      const u32 left = __shfl_up_sync(~0u, own[k], 1), left_half = __shfl_up_sync(~0u, half[k], 1);
      if (threadIdx.x % 32 != 0) before[k] = left, half_before[k] = left_half;
      begins_branch[k] = item(k) < all.pixels && (item(k) == 0 || half_before[k] != half[k]);
      unsure[k] = item(k) < all.pixels && !begins_branch[k] && !all.place.keys_differ(own[k], before[k]);
    }
  }
  __device__ void read_keys(const branch_order<Key>& all) {
    const u32 lane = threadIdx.x % 32;
#pragma unroll
    for (u32 k = 0; k < items_of_thread; ++k) {
      const u32 some = __ballot_sync(~0u, unsure[k]);
      key[k] = (some | some >> 1) >> lane & 1 ? all.image.key(all.place(own[k])) : 0;
      if (lane == 0 && unsure[k]) key_before[k] = all.image.key(all.place(before[k]));
    }
#pragma unroll
    for (u32 k = 0; k < items_of_thread; ++k) {
      const u32 left = __shfl_up_sync(~0u, key[k], 1);
      if (lane != 0) key_before[k] = left;
    }
  }
};

template <class Key>
__global__ void __launch_bounds__(linear_threads) begins_kernel(branch_order<Key> all, order_begins begins) {
  places_of_thread<Key> places;
  places.read(all);
  places.read_keys(all);
#pragma unroll
  for (u32 k = 0; k < items_of_thread; ++k) {
    const u32 i = item(k);
    const bool is_level = i < all.pixels && (!places.unsure[k] || places.key_before[k] != places.key[k]);
    begins.level.set(i, all.pixels, is_level);
    begins.branch.set(i, all.pixels, places.begins_branch[k]);
  }
}

struct larger {
  __device__ u32 operator()(u32 a, u32 b) const { return a > b ? a : b; }
};

// Place of a pixel in the order of branches, if a level begins there.
struct begin_if_any {
  place_bits_of_order level;
  __device__ u32 operator()(u32 i) const { return level[i] ? i : 0; }
};

// Links the pixel after place i, if it is of the same branch; others, for the time being, to themselves.
struct link_next {
  const u32* order;
  place_in_order place;
  place_bits_of_order branch;
  u32 pixels, *parent;

  __device__ void operator()(u32 i, u32 begin) const {
    if (i == 0) parent[pixel(0)] = pixel(0);
    if (i + 1 == pixels) return;
    const u32 next = pixel(i + 1);
    parent[next] = branch[i + 1] ? next : pixel(begin);
  }
  __device__ u32 pixel(u32 i) const { return place(__ldg(order + i)); }
};

inline cudaError_t link_in_branches(void* temporary, std::size_t& bytes, const begin_if_any& begin,
                                    const link_next& link, cudaStream_t stream) {
  return cub::DeviceScan::InclusiveScan(
      temporary, bytes, thrust::make_transform_iterator(thrust::make_counting_iterator(u32{0}), begin),
      thrust::make_tabulate_output_iterator(link), larger{}, static_cast<i32>(link.pixels), stream);
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

// The lowest pixel of each branch. What it finds below may be any pixel of the node there, and is led to the first. Others may
// do so with the parent that is read: it is the pixel itself or of a lower level, before and after.
template <class Key>
__global__ void __launch_bounds__(linear_threads)
    link_branches_kernel(branch_order<Key> all, order_begins begins, image_branches<Key> branches, u32* parent) {
  const u32 i = blockIdx.x * linear_threads + threadIdx.x;
  if (i >= all.pixels || !begins.branch[i]) return;
  const u32 pixel = all.pixel(i), below = pixel_below(all, branches, all.half_branch[i], pixel);
  if (below == pixel) return;
  const u32 next = atomic_ref<u32, sharing::device>(parent[below]).load(relaxed);
  const bool is_level = next != below && all.image.key(next) == all.image.key(below);
  atomic_ref<u32, sharing::device>(parent[pixel]).store(is_level ? next : below, relaxed);
}

}  // namespace skerry::tree_stages::on_device
