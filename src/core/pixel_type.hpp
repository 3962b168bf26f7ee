// SPDX-License-Identifier: Apache-2.0
// From the type of an image that a caller names to the C++ type of its pixels: the one place for it on the host, which
// launches kernels, too. Kernels that read all types choose at each pixel, and stage 1 of label where bits are packed.
#pragma once
#include <cstdint>

#include "skerry/image.hpp"

namespace skerry {

template <class Pixel>
struct pixel_type {
  using type = Pixel;
};

// Calls work(pixel_type<Pixel>()) for integers of 8 to 64 bits. Booleans, and what else there is, are u8.
template <class Work>
auto with_integer_type(dtype type, Work work) {
  switch (type) {
    case dtype::u16: return work(pixel_type<std::uint16_t>());
    case dtype::u32: return work(pixel_type<std::uint32_t>());
    case dtype::u64: return work(pixel_type<std::uint64_t>());
    case dtype::i8: return work(pixel_type<std::int8_t>());
    case dtype::i16: return work(pixel_type<std::int16_t>());
    case dtype::i32: return work(pixel_type<std::int32_t>());
    case dtype::i64: return work(pixel_type<std::int64_t>());
    default: return work(pixel_type<std::uint8_t>());
  }
}

// The same for all numbers.
template <class Work>
auto with_pixel_type(dtype type, Work work) {
  switch (type) {
    case dtype::f16: return work(pixel_type<float16_bits>());
    case dtype::f32: return work(pixel_type<float>());
    case dtype::f64: return work(pixel_type<double>());
    default: return with_integer_type(type, work);
  }
}

}  // namespace skerry
