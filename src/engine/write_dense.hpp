// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>
#include <vector>

#include "core/portable.hpp"
#include "engine/image_checks.hpp"
#include "skerry/image.hpp"

namespace skerry {

// Writes labels in raster order, as the reference answers, into an image of their number of pixels, of any type and strides.
inline void write_dense(const std::vector<u64>& labels, const mutable_image& out) {
  auto next = labels.begin();
  for (i64 z = 0; z < out.size.depth; ++z)
    for (i64 y = 0; y < out.size.height; ++y)
      for (i64 x = 0; x < out.size.width; ++x, ++next) {
        std::byte* at = static_cast<std::byte*>(out.data) + z * out.strides.z + y * out.strides.y + x * out.strides.x;
        const u64 label = *next;  // the low bytes come first
        std::memcpy(at, &label, size_of(out.type));
      }
}

}  // namespace skerry
