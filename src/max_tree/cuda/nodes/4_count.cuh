// SPDX-License-Identifier: Apache-2.0
// Stage 4, CUDA, the second half, for keys of 8 bits: first pixels to nodes, numbered by level and first pixel.
//
//   thread  32 pixels; a key; then first pixels
//   block   a piece of 8192 pixels in raster order
//
// Reads   keys, the parent image
// Writes  keys and first pixels of nodes; their numbers at first pixels, and which pixels these are
// Needs   a bit per pixel, and for each piece and key a word
// Method  A counting sort. A sum over the counts, ordered by key and then by piece, gives the number of each piece's first node of each key;
//         within a piece nodes of a key are numbered in raster order.
#pragma once
#include <cub/device/device_scan.cuh>

#include "engine/cuda/pieces.cuh"
#include "engine/cuda/warp.cuh"
#include "max_tree/cuda/nodes/4_first_pixels.cuh"

namespace skerry::tree_stages::on_device {

inline constexpr u32 keys_of_8_bits = 256, counting_threads = 256, warps_of_piece = counting_threads / 32;
inline constexpr u32 words_of_warp = 32, words_of_piece = words_of_warp * warps_of_piece;
inline constexpr u32 pixels_of_piece = 32 * words_of_piece;

inline u32 pieces_to_count(u32 pixels) { return (pixels - 1) / pixels_of_piece + 1; }

// A bit of each pixel: whether it is the first of a node.
struct first_bits {
  u32* words = nullptr;
  __device__ bool holds(u32 pixel) const { return (words[pixel / 32] >> pixel % 32 & 1) != 0; }
};

// Finds first pixels, and counts those of each key.
__global__ void __launch_bounds__(counting_threads)
    count_first_pixels_kernel(first_pixels_of<u8> from, first_bits first, u32* counts) {
  __shared__ u32 of_key[keys_of_8_bits];
  of_key[threadIdx.x] = 0;
  __syncthreads();
  const u32 begin = blockIdx.x * pixels_of_piece;
#pragma unroll 8
  for (u32 k = 0; k < words_of_warp; ++k) {
    const u32 pixel = begin + k * counting_threads + threadIdx.x;
    const bool there = pixel < from.pixels;
    const u8 key = there ? from.image.key(pixel) : u8{0};
    const bool is_first = there && from.is_first(pixel, key);
    const u32 word = __ballot_sync(~0u, is_first);
    if (lane_of_thread() == 0) first.words[pixel / 32] = word;
    if (is_first) atomicAdd(of_key + key, 1);
  }
  __syncthreads();
  counts[threadIdx.x * gridDim.x + blockIdx.x] = of_key[threadIdx.x];
}

// First pixels of a piece in raster order, then by key, too; and what its warps, which take consecutive ones, have of each key: how many,
// then the place of the next one by key.
struct piece_of_numbers {
  u16 in_raster_order[pixels_of_piece], by_key[pixels_of_piece];
  u32 next[warps_of_piece][keys_of_8_bits];
  u32 number[keys_of_8_bits];  // of a node, less its place by key
  u32 scratch[warps_of_piece];
};

// Numbers all first pixels, and lists those for which there are rows.
__global__ void __launch_bounds__(counting_threads)
    number_first_pixels_kernel(grey_source<u8> image, first_bits first, const u32* before, node_list nodes,
                               u32* node_of_first) {
  __shared__ piece_of_numbers piece;
  const u32 warp = threadIdx.x / 32, lane = lane_of_thread(), begin = blockIdx.x * pixels_of_piece;
  const u32 number_before = before[threadIdx.x * gridDim.x + blockIdx.x];
  for (u32 k = 0; k < warps_of_piece; ++k) piece.next[k][threadIdx.x] = 0;
  u32 rest = first.words[begin / 32 + threadIdx.x], all;
  u32 item = sum_before_thread<counting_threads>(count_of(rest), piece.scratch, all);
  for (; rest != 0; rest &= rest - 1)
    piece.in_raster_order[item++] = static_cast<u16>(32 * threadIdx.x + first_of(rest));
  __syncthreads();
  const u32 of_warp = (all + counting_threads - 1) / counting_threads * 32, first_item = warp * of_warp;
  const u32 end_item = min(first_item + of_warp, all);
  for (u32 at = first_item + lane; at < end_item; at += 32)
    atomicAdd(&piece.next[warp][image.key(begin + piece.in_raster_order[at])], 1);
  __syncthreads();
  u32 of_key = 0;
  for (u32 k = 0; k < warps_of_piece; ++k) of_key += piece.next[k][threadIdx.x];
  u32 place = sum_before_thread<counting_threads>(of_key, piece.scratch, all);
  piece.number[threadIdx.x] = number_before - place;
  for (u32 k = 0; k < warps_of_piece; ++k) {
    const u32 some = piece.next[k][threadIdx.x];
    piece.next[k][threadIdx.x] = place;
    place += some;
  }
  __syncthreads();
  for (u32 at = first_item; at < end_item; at += 32) {
    const bool has_item = at + lane < end_item;
    const u32 pixel = has_item ? piece.in_raster_order[at + lane] : 0;
    const u32 key = has_item ? image.key(begin + pixel) : keys_of_8_bits;
    const u32 alike = __match_any_sync(~0u, key), before_it = count_before(alike);
    const u32 by_key = has_item ? piece.next[warp][key] + before_it : 0;
    __syncwarp();
    if (has_item && before_it == 0) piece.next[warp][key] += count_of(alike);
    __syncwarp();
    if (!has_item) continue;
    piece.by_key[by_key] = static_cast<u16>(pixel);
    node_of_first[begin + pixel] = piece.number[key] + by_key;
  }
  __syncthreads();
  for (u32 at = threadIdx.x; at < all; at += counting_threads) {
    const u32 pixel = begin + piece.by_key[at], node = piece.number[image.key(pixel)] + at;
    if (node < nodes.rows) nodes.first_pixel[node] = pixel;
  }
}

// Keys of nodes: of 256 numbers of the first node of each, the last that is not beyond.
__global__ void __launch_bounds__(node_threads) keys_kernel(node_list nodes, const u32* before, u32 pieces, u8* keys) {
  static_assert(node_threads == keys_of_8_bits);
  __shared__ u32 first[keys_of_8_bits];
  first[threadIdx.x] = before[threadIdx.x * pieces];
  __syncthreads();
  const u32 node = this_node();
  if (node >= nodes.number()) return;
  u32 key = 0;
#pragma unroll
  for (u32 step = keys_of_8_bits / 2; step > 0; step /= 2)
    if (first[key + step] <= node) key += step;
  keys[node] = static_cast<u8>(key);
}

struct counted_numbers {
  u8* keys = nullptr;  // of nodes, in order
  first_bits first;
  u32* counts = nullptr;  // by key and piece, and one for the end
  char* temporary = nullptr;
  std::size_t temporary_bytes = 0;

  void take_keys(pieces& scratch, u32 pixels, u32 rows) {
    scratch.take(keys, rows);
    scratch.take(first.words, u64{pieces_to_count(pixels)} * words_of_piece);
  }
  cudaError_t take(pieces& scratch, u32 pixels, u32) {
    scratch.take(counts, u64{keys_of_8_bits} * pieces_to_count(pixels) + 1);
    const cudaError_t result = sum(nullptr, temporary_bytes, pixels, nullptr);
    scratch.take(temporary, temporary_bytes);
    return result;
  }
  [[nodiscard]] first_bits first_pixels(const u32*) const { return first; }
  cudaError_t sum(void* memory, std::size_t& bytes, u32 pixels, cudaStream_t stream) const {
    return cub::DeviceScan::ExclusiveSum(memory, bytes, counts, counts,
                                         static_cast<i32>(keys_of_8_bits * pieces_to_count(pixels) + 1), stream);
  }
  cudaError_t number(const node_list& nodes, const first_pixels_of<u8>& from, u32* count, u32* node_of_first,
                     cudaStream_t stream) const {
    const u32 pixels = from.pixels, blocks = pieces_to_count(pixels);
    u32* const end = counts + u64{keys_of_8_bits} * blocks;
    cudaError_t result = cudaMemsetAsync(end, 0, sizeof *end, stream);
    if (result != cudaSuccess) return result;
    count_first_pixels_kernel<<<blocks, counting_threads, 0, stream>>>(from, first, counts);
    std::size_t bytes = temporary_bytes;
    result = sum(temporary, bytes, pixels, stream);
    if (result == cudaSuccess) result = cudaMemcpyAsync(count, end, sizeof *end, cudaMemcpyDefault, stream);
    if (result != cudaSuccess || nodes.rows == 0) return result;
    number_first_pixels_kernel<<<blocks, counting_threads, 0, stream>>>(from.image, first, counts, nodes,
                                                                        node_of_first);
    keys_kernel<<<node_blocks(nodes.rows), node_threads, 0, stream>>>(nodes, counts, blocks, keys);
    return cudaGetLastError();
  }
};

}  // namespace skerry::tree_stages::on_device
