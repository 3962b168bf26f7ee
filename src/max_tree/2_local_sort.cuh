// SPDX-License-Identifier: Apache-2.0
// Stages 1 and 2, CUDA, wide keys: the order of all pixels.
//
//   thread  four pixels
//
// Reads   the image
// Writes  pixels from the lowest to the highest, with a few bits of their keys; the place of the first NaN
// Method  a radix sort of the CUDA toolkit, which leaves pixels of equal keys in raster order
#pragma once
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "max_tree/1_encode.cuh"

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

template <class Key>
__global__ void __launch_bounds__(linear_threads)
    keys_kernel(grey_source<Key> image, u32 pixels, place_in_order place, Key* keys, u32* order, u64* first_nan) {
  Key bits[items_of_thread];
#pragma unroll
  for (u32 k = 0; k < items_of_thread; ++k) bits[k] = image.bits(min(item(k), pixels - 1));
#pragma unroll
  for (u32 k = 0; k < items_of_thread; ++k) {
    const u32 pixel = item(k);
    if (pixel >= pixels) return;
    if (image.is_nan(bits[k]) && first_nan != nullptr)
      atomicMin(reinterpret_cast<unsigned long long*>(first_nan), static_cast<unsigned long long>(pixel));
    const Key key = image.key_from(bits[k]);
    keys[pixel] = key;
    order[pixel] = place.with_key(pixel, key);
  }
}

// Bytes of temporary memory that a sort of pairs needs.
template <class Key>
cudaError_t sort_bytes(u32 count, std::size_t& bytes) {
  cub::DoubleBuffer<Key> keys;
  cub::DoubleBuffer<u32> values;
  return cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, values, static_cast<i32>(count));
}

template <class Key>
cudaError_t sort_pairs(void* temporary, std::size_t bytes, cub::DoubleBuffer<Key>& keys, cub::DoubleBuffer<u32>& values,
                       u32 count, int bits, cudaStream_t stream) {
  return cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, values, static_cast<i32>(count), 0, bits, stream);
}

}  // namespace skerry::tree_stages::on_device
