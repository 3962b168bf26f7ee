// SPDX-License-Identifier: Apache-2.0
// The types that a label image can have, and what they hold. A label of a signed type has the bits of the unsigned one.
#pragma once
#include "core/portable.hpp"
#include "skerry/image.hpp"

namespace skerry {

[[nodiscard]] constexpr bool is_label_type(dtype type) {
  switch (type) {
    case dtype::u8:
    case dtype::u16:
    case dtype::u32:
    case dtype::u64:
    case dtype::i8:
    case dtype::i16:
    case dtype::i32:
    case dtype::i64: return true;
    default: return false;
  }
}

[[nodiscard]] constexpr bool is_signed_label_type(dtype type) {
  return type == dtype::i8 || type == dtype::i16 || type == dtype::i32 || type == dtype::i64;
}

/// The largest label of a label type.
[[nodiscard]] constexpr u64 largest_label(dtype type) {
  const unsigned bits = 8 * static_cast<unsigned>(size_of(type)) - (is_signed_label_type(type) ? 1 : 0);
  return ~u64{0} >> (64 - bits);
}

}  // namespace skerry
