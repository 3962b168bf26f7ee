// SPDX-License-Identifier: Apache-2.0
// Images whose pixels lie side by side, in raster order.
#pragma once
#include <cstddef>

#include "skerry/image.hpp"

namespace skerry {

inline std::int64_t row_bytes(dtype type, const extent& size) { return dense_strides(type, size).y; }

inline std::size_t dense_bytes(dtype type, const extent& size) {
  return static_cast<std::size_t>(row_bytes(type, size)) * static_cast<std::size_t>(size.rows());
}

// Of an image without gaps.
template <class Image>
std::size_t dense_bytes(const Image& image) {
  return dense_bytes(image.type, image.size);
}

template <class Image>
bool has_dense_rows(const Image& image) {
  return image.type == dtype::bit || image.strides.x == dense_strides(image.type, image.size).x;
}

template <class Image>
bool is_dense(const Image& image) {
  const byte_strides dense = dense_strides(image.type, image.size);
  return has_dense_rows(image) && image.strides.y == dense.y && (image.strides.z == dense.z || image.size.depth == 1);
}

}  // namespace skerry
