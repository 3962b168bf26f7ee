// SPDX-License-Identifier: Apache-2.0
// The types of pixels that have trees.
#pragma once
#include "core/float16.hpp"
#include "core/portable.hpp"
#include "skerry/image.hpp"

namespace skerry::tree_stages {

// Calls work.operator()<Pixel>() for a type that has trees.
template <class Work>
auto with_tree_pixel(dtype type, Work work) {
  switch (type) {
    case dtype::u16: return work.template operator()<u16>();
    case dtype::u32: return work.template operator()<u32>();
    case dtype::u64: return work.template operator()<u64>();
    case dtype::i8: return work.template operator()<std::int8_t>();
    case dtype::i16: return work.template operator()<std::int16_t>();
    case dtype::i32: return work.template operator()<i32>();
    case dtype::i64: return work.template operator()<i64>();
    case dtype::f16: return work.template operator()<f16>();
    case dtype::f32: return work.template operator()<float>();
    case dtype::f64: return work.template operator()<double>();
    default: return work.template operator()<u8>();
  }
}

// Whole numbers up to this magnitude are doubles.
inline constexpr i64 most_whole_level = i64{1} << 53;

}  // namespace skerry::tree_stages
