// SPDX-License-Identifier: Apache-2.0
// Stage 1, CUDA: the image of a job as stage 2 reads it.
#pragma once
#include <variant>

#include "engine/cuda/device_memory.cuh"
#include "label/cuda/tiles/encode.cuh"
#include "label/cuda/tiles/encode_wide.cuh"
#include "skerry/cuda.hpp"
#include "skerry/error.hpp"

namespace skerry::label_stages::on_device {

using any_source = std::variant<byte_source, bit_source>;

/// Whether pixels are packed to bits before stage 2.
inline bool is_packed_first(dtype type) { return type != dtype::bit && size_of(type) != 1; }

inline source_strides strides_of(const image_view& image) {
  return {image.strides.z, image.strides.y, image.strides.x};
}

inline bool has_dense_rows(const image_view& image) {
  return image.strides.x == static_cast<i64>(size_of(image.type)) && image.strides.y % 16 == 0 &&
         image.strides.z % 16 == 0 && reinterpret_cast<std::uintptr_t>(image.data) % 16 == 0;
}

inline bit_source source_of(const bit_rows& bits) {
  const i64 row_bytes = bits.words_per_row * static_cast<i64>(sizeof(u32));
  return {reinterpret_cast<const u8*>(bits.words), {row_bytes * bits.height, row_bytes, 0}, {0, ~0u}};
}

template <class Pixel>
any_source packed(const cuda::label_job& work, const bit_rows& bits, cudaStream_t stream) {
  const image_view& image = work.image;
  check_cuda(launch_pack(wide_image<Pixel>{static_cast<const char*>(image.data), strides_of(image),
                                           range_of<Pixel>(work.foreground), has_dense_rows(image)},
                         bits, stream),
             "encode");
  return source_of(bits);
}

/// The image as stage 2 reads it; wide pixels are packed to bits now.
inline any_source encode(const cuda::label_job& work, const bit_rows& bits, cudaStream_t stream) {
  const image_view& image = work.image;
  const auto* bytes = static_cast<const u8*>(image.data);
  const auto bytes_of = [&](const pixel_range<u8>& range) {
    return byte_source{bytes, strides_of(image), range, readable_bytes::of(image), has_dense_rows(image)};
  };
  const auto all_or_none = [](bool passes) { return passes ? ~0u : 0u; };
  switch (image.type) {
    case dtype::bit: {
      const truth_rule truth = truth_rule::of(work.foreground);
      return bit_source{bytes, strides_of(image), {all_or_none(truth.zero), all_or_none(truth.one)}};
    }
    case dtype::boolean: {  // 0 or 1, whatever a byte holds besides 0
      const truth_rule truth = truth_rule::of(work.foreground);
      return bytes_of(truth.zero == truth.one ? pixel_range<u8>{0, 255, truth.one} : pixel_range<u8>{0, 0, truth.zero});
    }
    case dtype::u8: return bytes_of(range_of<u8>(work.foreground));
    case dtype::i8: return bytes_of(range_of_signed_bytes(work.foreground));
    case dtype::u16: return packed<u16>(work, bits, stream);
    case dtype::u32: return packed<u32>(work, bits, stream);
    case dtype::u64: return packed<u64>(work, bits, stream);
    case dtype::i16: return packed<std::int16_t>(work, bits, stream);
    case dtype::i32: return packed<i32>(work, bits, stream);
    case dtype::i64: return packed<i64>(work, bits, stream);
    case dtype::f16: return packed<f16>(work, bits, stream);
    case dtype::f32: return packed<float>(work, bits, stream);
    case dtype::f64: return packed<double>(work, bits, stream);
  }
  throw invalid_argument("image: unknown dtype");
}

}  // namespace skerry::label_stages::on_device
