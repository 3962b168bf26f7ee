// SPDX-License-Identifier: Apache-2.0
#include "skerry/image.hpp"

namespace skerry {

const char* name_of(dtype type) {
  switch (type) {
    case dtype::bit: return "bit";
    case dtype::boolean: return "bool";
    case dtype::u8: return "uint8";
    case dtype::u16: return "uint16";
    case dtype::u32: return "uint32";
    case dtype::u64: return "uint64";
    case dtype::i8: return "int8";
    case dtype::i16: return "int16";
    case dtype::i32: return "int32";
    case dtype::i64: return "int64";
    case dtype::f16: return "float16";
    case dtype::f32: return "float32";
    case dtype::f64: return "float64";
  }
  return "unknown";
}

}  // namespace skerry
