// SPDX-License-Identifier: Apache-2.0
// Rows of bytes that begin at any address, read 16 bytes at a time at multiples of 16. The first and the last of these reach
// beyond the image, whose memory may end there.
#pragma once
#include "core/portable.hpp"
#include "skerry/image.hpp"

namespace skerry::label_stages::on_device {

/// The bytes between the first and the last pixel of an image. Those between rows may be read as well.
struct readable_bytes {
  const u8 *begin, *end;

  /// Pixels of one byte at any distance from row to row.
  __host__ static readable_bytes of(const image_view& image) {
    readable_bytes bytes{static_cast<const u8*>(image.data), static_cast<const u8*>(image.data) + image.size.width};
    const i64 reach[2] = {(image.size.depth - 1) * image.strides.z, (image.size.height - 1) * image.strides.y};
    for (const i64 distance : reach) (distance < 0 ? bytes.begin : bytes.end) += distance;
    return bytes;
  }
  __device__ bool has(const u8* at, i32 count) const { return at >= begin && at + count <= end; }
  /// 16 bytes at a multiple of 16 that are there.
  __device__ static uint4 sixteen_at(const u8* at) { return __ldcs(reinterpret_cast<const uint4*>(at)); }
};

}  // namespace skerry::label_stages::on_device
