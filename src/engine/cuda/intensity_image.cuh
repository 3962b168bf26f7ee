// SPDX-License-Identifier: Apache-2.0
// Pixels of an intensity image in device memory.
#pragma once
#include "core/float16.hpp"
#include "core/portable.hpp"
#include "skerry/image.hpp"

namespace skerry {

/// Calls visit(k) for each bit k that is set.
template <class Visit>
__device__ void each_bit(u32 bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(__ffs(static_cast<int>(bits)) - 1);
}

struct intensity_image {
  const char* data;
  byte_strides step;  // bytes
  dtype type;

  template <class Pixel>
  __device__ static Pixel read(const char* at) {
    Pixel value;
    if (reinterpret_cast<u64>(at) % alignof(Pixel) == 0) value = *reinterpret_cast<const Pixel*>(at);
    else
      for (u32 byte = 0; byte < sizeof(Pixel); ++byte) reinterpret_cast<char*>(&value)[byte] = at[byte];
    return value;
  }
  [[nodiscard]] __device__ const char* place(i64 z, i64 y, i64 x) const {
    return data + z * step.z + y * step.y + x * step.x;
  }
  /// As a double: exact but for integers of 64 bits, which are rounded.
  [[nodiscard]] __device__ double at(i64 z, i64 y, i64 x) const {
    const char* const pixel = place(z, y, x);
    switch (type) {
      case dtype::boolean: return *pixel != 0 ? 1 : 0;
      case dtype::u16: return read<u16>(pixel);
      case dtype::u32: return read<u32>(pixel);
      case dtype::u64: return static_cast<double>(read<u64>(pixel));
      case dtype::i64: return static_cast<double>(read<i64>(pixel));
      case dtype::i8: return static_cast<signed char>(*pixel);
      case dtype::i16: return read<std::int16_t>(pixel);
      case dtype::i32: return read<i32>(pixel);
      case dtype::f16: return number_of(read<f16>(pixel));
      case dtype::f32: return read<float>(pixel);
      case dtype::f64: return read<double>(pixel);
      default: return read<u8>(pixel);
    }
  }
  [[nodiscard]] __device__ bool is_narrow() const {
    return type <= dtype::u16 || type == dtype::i16 || type == dtype::i8;
  }
};

}  // namespace skerry
