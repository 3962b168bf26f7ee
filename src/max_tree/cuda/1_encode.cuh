// SPDX-License-Identifier: Apache-2.0
// Stage 1, CUDA, encode: pixels to keys, where they are needed. Nothing is written.
//
// Reads   the image, any type of a max-tree, any strides
// Method  the keys of core/order_key.hpp: integers are flipped by one mask, which knows sign and kind of tree; so three
//         types of key are all that kernels are compiled for
#pragma once
#include <cstring>

#include "core/order_key.hpp"
#include "skerry/image.hpp"
#include "skerry/max_tree.hpp"

namespace skerry::tree_stages::on_device {

template <class Key>
struct grey_source {
  const char* data;
  i64 step_z, step_y, step_x;  // bytes
  u32 width, height;
  Key flip;
  bool floats, aligned;
  bool linear;  // pixels follow each other in raster order

  grey_source(const image_view& image, tree_kind kind)
      : data(static_cast<const char*>(image.data)), step_z(image.strides.z), step_y(image.strides.y),
        step_x(image.strides.x), width(static_cast<u32>(image.size.width)), height(static_cast<u32>(image.size.height)),
        flip(static_cast<Key>(kind == tree_kind::min ? ~Key{0} : Key{0})), floats(image.type == dtype::f32) {
    if (image.type == dtype::i16) flip = static_cast<Key>(flip ^ 0x8000u);
    const auto of_pixel = [](i64 bytes) { return bytes % static_cast<i64>(sizeof(Key)) == 0; };
    aligned = of_pixel(step_z) && of_pixel(step_y) && of_pixel(step_x) &&
              reinterpret_cast<std::uintptr_t>(data) % sizeof(Key) == 0;
    const byte_strides dense = dense_strides(image.type, image.size);
    linear = step_x == dense.x && step_y == dense.y && (step_z == dense.z || image.size.depth == 1);
  }

  __device__ Key bits_at(const char* at) const {
    Key bits;
    if (aligned) bits = __ldg(reinterpret_cast<const Key*>(at));
    else memcpy(&bits, at, sizeof bits);
    return bits;
  }
  __device__ Key bits(i32 x, i32 y, i32 z) const { return bits_at(data + z * step_z + y * step_y + x * step_x); }
  __device__ bool is_nan(Key bits) const {
    if constexpr (sizeof(Key) == 4) return floats && (bits & 0x7fffffffu) > 0x7f800000u;
    else return false;
  }
  __device__ Key key_from(Key bits) const {
    if constexpr (sizeof(Key) == 4)
      if (floats) return order_key(__uint_as_float(bits)) ^ flip;
    return static_cast<Key>(bits ^ flip);
  }
  __device__ Key key(i32 x, i32 y, i32 z) const { return key_from(bits(x, y, z)); }
  // By raster index.
  __device__ Key bits(u32 pixel) const {
    if (linear) return bits_at(data + static_cast<i64>(pixel) * static_cast<i64>(sizeof(Key)));
    const u32 row = pixel / width;
    return bits(static_cast<i32>(pixel - row * width), static_cast<i32>(row % height), static_cast<i32>(row / height));
  }
  __device__ Key key(u32 pixel) const { return key_from(bits(pixel)); }
  // The bits of a pixel with this key.
  __device__ Key bits_from(Key key) const {
    const Key own = static_cast<Key>(key ^ flip);
    if constexpr (sizeof(Key) == 4)
      if (floats) return __float_as_uint(value_of_key<float>(own));
    return own;
  }
};

// Calls call.operator()<Key>() for a pixel type.
template <class Call>
void with_key(dtype type, Call call) {
  switch (size_of(type)) {
    case 1: return call.template operator()<u8>();
    case 2: return call.template operator()<u16>();
    default: return call.template operator()<u32>();
  }
}

}  // namespace skerry::tree_stages::on_device
