// SPDX-License-Identifier: Apache-2.0
// Stage 1, CUDA, pixels of more than one byte: packed to an image of bits by a kernel of their own, so that the kernels
// of stage 2 need not be compiled for each type. The bits cost 1/8 byte per pixel, written and read once.
//
//   thread  16 bytes of pixels, or one pixel
//   warp    32 pixels to a word, or as many as 32 threads load at once
//   grid    rows, in pieces of words
//
// Reads   the image, any strides
// Writes  rows of words, padded to whole tiles; 0 past the width
#pragma once
#include "core/pixel_range.hpp"
#include "label/cuda/tiles/tiling.cuh"

namespace skerry::label_stages::on_device {

template <class Pixel>
struct wide_image {
  const char* data;
  source_strides step;  // bytes
  pixel_range<Pixel> rule;
  bool dense;  // neighbouring pixels are neighbours, and rows start at multiples of 16 bytes
};

/// Where packed bits go: words_per_row is a multiple of 4.
struct bit_rows {
  u32* words;
  i64 words_per_row, height, width;  // rows of a slice, pixels of a row
  i64 rows;                          // of all slices
};

inline constexpr int pack_threads = 256, pack_loads = 4;

/// The pixels of 16 bytes, as bits from bit 0.
template <class Pixel>
__device__ u32 bits_of_16_bytes(const wide_image<Pixel>& image, const char* at) {
  constexpr int count = 16 / sizeof(Pixel);
  union {
    uint4 raw;
    Pixel pixel[count];
  };
  raw = __ldcs(reinterpret_cast<const uint4*>(at));
  u32 bits = 0;
#pragma unroll
  for (int k = 0; k < count; ++k) bits |= u32{image.rule.holds(pixel[k])} << k;
  return bits;
}

/// Words whose pixels are all in the image and dense: each thread packs `pixels` of them, and 32 / pixels threads join
/// theirs to a word.
template <class Pixel>
__device__ void pack_dense(const wide_image<Pixel>& image, const char* row, i64 first_word, i64 full_words, u32* to) {
  constexpr int pixels = 16 / sizeof(Pixel), threads_per_word = 32 / pixels, words_at_once = 32 / threads_per_word;
  const int lane = threadIdx.x % 32, part = lane % threads_per_word;
  u32 bits[pack_loads];
#pragma unroll
  for (int k = 0; k < pack_loads; ++k) {
    const i64 word = first_word + k * words_at_once + lane / threads_per_word;
    bits[k] = 0;
    if (word < full_words) bits[k] = bits_of_16_bytes(image, row + (word * 32 + part * pixels) * i64{sizeof(Pixel)});
  }
#pragma unroll
  for (int k = 0; k < pack_loads; ++k) {
    const i64 word = first_word + k * words_at_once + lane / threads_per_word;
    u32 joined = bits[k] << part * pixels;
#pragma unroll
    for (int step = 1; step < threads_per_word; step *= 2) joined |= __shfl_xor_sync(~0u, joined, step);
    if (part == 0 && word < full_words) to[word] = joined;
  }
}

template <class Pixel>
__device__ u32 pack_any(const wide_image<Pixel>& image, const char* row, i64 word, i64 width) {
  const i64 x = word * 32 + threadIdx.x % 32;
  bool passes = false;
  if (x < width) {
    const char* at = row + x * image.step.x;
    Pixel value;
    if (reinterpret_cast<u64>(at) % alignof(Pixel) == 0) value = *reinterpret_cast<const Pixel*>(at);
    else
      for (u32 byte = 0; byte < sizeof(Pixel); ++byte) reinterpret_cast<char*>(&value)[byte] = at[byte];
    passes = image.rule.holds(value);
  }
  return __ballot_sync(~0u, passes);
}

/// A warp takes a piece of a row at a time.
template <class Pixel>
__global__ __launch_bounds__(pack_threads) void pack_kernel(const wide_image<Pixel> image, const bit_rows bits) {
  constexpr int words_of_piece = pack_loads * static_cast<int>(16 / sizeof(Pixel));
  const i64 pieces_per_row = (bits.words_per_row + words_of_piece - 1) / words_of_piece;
  const i64 full_words = image.dense ? bits.width / 32 : 0;
  const i64 warps = i64{gridDim.x} * (pack_threads / 32);
  for (i64 k = i64{blockIdx.x} * (pack_threads / 32) + threadIdx.x / 32; k < bits.rows * pieces_per_row; k += warps) {
    const i64 r = k / pieces_per_row, begin = k % pieces_per_row * words_of_piece;
    const i64 end = min(begin + words_of_piece, bits.words_per_row);
    const char* row = image.data + r / bits.height * image.step.z + r % bits.height * image.step.y;
    u32* to = bits.words + r * bits.words_per_row;
    if (begin < full_words) pack_dense(image, row, begin, min(end, full_words), to);
    for (i64 word = max(begin, full_words); word < end; ++word) {
      const u32 packed = pack_any(image, row, word, bits.width);
      if (threadIdx.x % 32 == 0) to[word] = packed;
    }
  }
}

template <class Pixel>
cudaError_t launch_pack(const wide_image<Pixel>& image, const bit_rows& bits, cudaStream_t stream) {
  const i64 pieces = bits.rows * ((bits.words_per_row + 7) / 8), most = i64{1} << 16;
  const auto blocks = static_cast<u32>(min((pieces + pack_threads / 32 - 1) / (pack_threads / 32), most));
  pack_kernel<Pixel><<<blocks, pack_threads, 0, stream>>>(image, bits);
  return cudaGetLastError();
}

}  // namespace skerry::label_stages::on_device
