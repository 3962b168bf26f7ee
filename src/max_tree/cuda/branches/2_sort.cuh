// SPDX-License-Identifier: Apache-2.0
// Stages 1 and 2, CUDA, wide keys: the order of all pixels.
//
// Reads   the image
// Writes  pixels from the lowest to the highest, with a few bits of their keys; the place of the first NaN
// Method  the stable sort of engine/cuda/radix_sort.cuh, which leaves pixels of equal keys in raster order. Its first pass reads
//         the image, its last writes no keys (docs/decisions/0023)
#pragma once
#include <bit>

#include "engine/cuda/radix_sort.cuh"
#include "max_tree/cuda/1_encode.cuh"

namespace skerry::tree_stages::on_device {

inline constexpr int linear_threads = 256;

inline u32 linear_blocks(u32 threads) { return (threads + linear_threads - 1) / linear_threads; }

// Where one read waits for another, a thread has several items, so that it waits for several at a time.
inline constexpr u32 items_of_thread = 4, items_of_block = items_of_thread * linear_threads;

inline u32 item_blocks(u32 items) { return (items + items_of_block - 1) / items_of_block; }

__device__ inline u32 item(u32 k) { return blockIdx.x * items_of_block + k * linear_threads + threadIdx.x; }

// In the order of pixels the bits above those of places are low bits of keys: most pixels beside each other in the order of
// branches differ there, and their keys need not be read.
struct place_in_order {
  u32 mask;

  explicit place_in_order(u32 pixels) : mask((u32{1} << std::bit_width(pixels - 1)) - 1) {}
  __device__ u32 operator()(u32 word) const { return word & mask; }
  __device__ u32 with_key(u32 place, u32 key) const { return place | key * (mask + 1); }
  __device__ bool keys_differ(u32 a, u32 b) const { return ((a ^ b) & ~mask) != 0; }
};

// Pixels in raster order, as items of a sort: their keys, and their places with a few bits of these.
template <class Key>
struct pixels_in_raster_order {
  grey_source<Key> image;
  place_in_order place;
  u64* first_nan;  // null: nobody asks

  template <class Number, u32 Items>
  __device__ void read(Number pixel, u32 (&keys)[Items], u32 (&places)[Items]) const {
    Key bits[Items];
#pragma unroll
    for (u32 k = 0; k < Items; ++k) bits[k] = image.bits(pixel(k));
#pragma unroll
    for (u32 k = 0; k < Items; ++k) {
      if (first_nan != nullptr && image.is_nan(bits[k]))
        atomicMin(reinterpret_cast<unsigned long long*>(first_nan), static_cast<unsigned long long>(pixel(k)));
      keys[k] = image.key_from(bits[k]);
      places[k] = place.with_key(pixel(k), keys[k]);
    }
  }
};

// What a sort of all pixels needs: keys lose the digit that has been sorted by, so that none are left in the end.
struct memory_of_order {
  void *keys, *other_keys;
  u32 *order, *other_order;  // pixels end in the other
};

inline cudaError_t launch_sort_of_pixels(digit_sort& sort, const pixels_in_raster_order<u32>& pixels,
                                         const memory_of_order& memory) {
  auto* const words = static_cast<u32*>(memory.keys);
  auto* const halves = static_cast<u16*>(memory.other_keys);
  auto* const bytes = static_cast<u8*>(memory.keys);
  cudaError_t result = sort.pass(pixels, pairs_to_memory<u32>{words, memory.order, digit_bits}, 0);
  if (result == cudaSuccess)
    result = sort.pass(pairs_in_memory<u32>{words, memory.order},
                       pairs_to_memory<u16>{halves, memory.other_order, digit_bits}, 0);
  if (result == cudaSuccess)
    result = sort.pass(pairs_in_memory<u16>{halves, memory.other_order},
                       pairs_to_memory<u8>{bytes, memory.order, digit_bits}, 0);
  if (result == cudaSuccess)
    result = sort.pass(pairs_in_memory<u8>{bytes, memory.order}, values_to_memory{memory.other_order}, 0);
  return result;
}

inline cudaError_t launch_sort_of_pixels(digit_sort& sort, const pixels_in_raster_order<u16>& pixels,
                                         const memory_of_order& memory) {
  auto* const bytes = static_cast<u8*>(memory.keys);
  cudaError_t result = sort.pass(pixels, pairs_to_memory<u8>{bytes, memory.order, digit_bits}, 0);
  if (result == cudaSuccess)
    result = sort.pass(pairs_in_memory<u8>{bytes, memory.order}, values_to_memory{memory.other_order}, 0);
  return result;
}

}  // namespace skerry::tree_stages::on_device
