// SPDX-License-Identifier: Apache-2.0
// Stage 1, CUDA, where pixels join by value or axes are periodic: the images that rows of pixels are read from.
#pragma once
#include <type_traits>

#include "core/pixel_range.hpp"
#include "engine/cuda/intensity_image.cuh"
#include "label/cuda/joins/row_pixels.cuh"
#include "label/cuda/tiles/tiling.cuh"

namespace skerry::label_stages::on_device {

/// Reads pixel x of a row of `source` as the k-th; whether it is foreground.
template <class Source, class Value>
__device__ bool read_into(const Source& source, row_pixels<Value>& out, int k, const char* row, i64 x) {
  Value found{};
  const bool holds = source.read(row, x, found);
  out.set(k, found);
  return holds;
}

/// Reads those pixels from x on that exist; the one behind a row is its first. Bits of those that are foreground.
template <class Source, class Value>
__device__ u32 read_one_by_one(const Source& source, const char* row, i32 x, i32 width, u32 exist,
                               row_pixels<Value>& out) {
  u32 holds = 0;
#pragma unroll
  for (int k = 0; k < row_pixels<Value>::count; ++k)
    if (exist >> k & 1) holds |= u32{read_into(source, out, k + 1, row, x + k == width ? 0 : x + k)} << k;
  return holds;
}

template <class Pixel>
struct value_source {
  using value = std::conditional_t<std::is_same_v<Pixel, f16>, float, Pixel>;
  static constexpr u32 load_bytes = sizeof(Pixel) == 1 ? 8 : 16;
  static constexpr bool has_words = sizeof(Pixel) == 1;
  const char* data;
  source_strides step;  // bytes
  pixel_range<Pixel> rule;
  bool side_by_side;  // pixels of a row, whose first of each thread is at a multiple of load_bytes

  [[nodiscard]] __host__ static value_source of(const image_view& image, const source_strides& step,
                                                const skerry::foreground& foreground) {
    const bool aligned = reinterpret_cast<u64>(image.data) % load_bytes == 0 &&
                         (image.size.height < 2 || step.y % load_bytes == 0) &&
                         (image.size.depth < 2 || step.z % load_bytes == 0);
    return {static_cast<const char*>(image.data), step, range_of<Pixel>(foreground),
            aligned && step.x == sizeof(Pixel)};
  }
  __device__ bool read(const char* row, i64 x, value& out) const {
    const Pixel pixel = intensity_image::read<Pixel>(row + x * step.x);
    if constexpr (std::is_same_v<Pixel, f16>) out = number_of(pixel);
    else out = pixel;
    return rule.holds(pixel);
  }
  /// Signs of the bytes that are foreground.
  [[nodiscard]] __device__ u32 signs_of_foreground(u32 bytes) const requires(sizeof(Pixel) == 1) {
    constexpr u32 bias = std::is_signed_v<Pixel> ? 0x80808080u : 0;  // to the order of unsigned bytes
    if (!rule.inside && rule.low == rule.high) return signs_of_ones(bytes ^ repeated(rule.low));
    const u32 moved = bytes ^ bias;
    const u32 in = __vcmpgeu4(moved, repeated(rule.low) ^ bias) & __vcmpleu4(moved, repeated(rule.high) ^ bias);
    return rule.inside ? in : ~in;
  }
  __device__ static u32 repeated(Pixel pixel) { return static_cast<u8>(pixel) * 0x01010101u; }

  /// The pixels from x on; bits of those that are foreground.
  __device__ u32 read_all(const char* row, i32 x, i32 width, u32 exist, row_pixels<value>& out) const {
    if constexpr (sizeof(Pixel) > 1) {
      constexpr int count = row_pixels<value>::count;
      if (side_by_side && x + count <= width) {
        u32 holds = 0;
        constexpr u32 loads = count * sizeof(Pixel) / load_bytes;
        union {
          uint4 raw[loads];
          Pixel pixel[count];
        };
#pragma unroll
        for (u32 k = 0; k < loads; ++k)
          raw[k] = __ldg(reinterpret_cast<const uint4*>(row + x * i64{sizeof(Pixel)}) + k);
#pragma unroll
        for (int k = 0; k < count; ++k) {
          if constexpr (std::is_same_v<Pixel, f16>) out.set(k + 1, number_of(pixel[k]));
          else out.set(k + 1, pixel[k]);
          holds |= u32{rule.holds(pixel[k])} << k;
        }
        return holds;
      }
    }
    return read_one_by_one(*this, row, x, width, exist, out);
  }
};

/// Pixels that are 0 or 1: bits, or bytes, of which all but 0 are 1.
struct truth_source {
  using value = u8;
  const char* data;
  source_strides step;
  truth_rule rule;
  bool packed;
  static constexpr bool has_words = false;

  __device__ bool read(const char* row, i64 x, value& out) const {
    const u32 byte = static_cast<u8>(packed ? row[x / 8] : row[x * step.x]);
    out = packed ? byte >> (x % 8) & 1 : byte != 0;
    return out != 0 ? rule.one : rule.zero;
  }
  __device__ u32 read_all(const char* row, i32 x, i32 width, u32 exist, row_pixels<value>& out) const {
    return read_one_by_one(*this, row, x, width, exist, out);
  }
};

}  // namespace skerry::label_stages::on_device
