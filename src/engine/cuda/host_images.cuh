// SPDX-License-Identifier: Apache-2.0
// Images on their way between host and device.
#pragma once
#include <cstring>

#include "engine/cpu/buffer.hpp"
#include "engine/cuda/device_memory.cuh"
#include "skerry/image.hpp"

namespace skerry {

inline std::int64_t row_bytes(dtype type, const extent& size) { return dense_strides(type, size).y; }

// Calls copy(row in the image, row in dense memory) for each row.
template <class Image, class Copy>
void each_row(const Image& image, std::byte* dense, Copy copy) {
  for (std::int64_t z = 0; z < image.size.depth; ++z)
    for (std::int64_t y = 0; y < image.size.height; ++y)
      copy(static_cast<char*>(const_cast<void*>(static_cast<const void*>(image.data))) + z * image.strides.z +
               y * image.strides.y,
           reinterpret_cast<char*>(dense) + (z * image.size.height + y) * row_bytes(image.type, image.size));
}

template <class Image>
bool is_dense(const Image& image) {
  const byte_strides dense = dense_strides(image.type, image.size);
  return (image.type == dtype::bit || image.strides.x == dense.x) && image.strides.y == dense.y &&
         (image.strides.z == dense.z || image.size.depth == 1);
}

// The image in device memory; a copy if it is on the host, by way of `packed` if it is not dense there.
inline image_view on_device(const image_view& image, cudaStream_t stream, device_memory& copy,
                            buffer<std::byte>& packed, const char* what) {
  if (is_device_memory(image.data)) return image;
  const auto bytes = static_cast<std::size_t>(row_bytes(image.type, image.size) * image.size.rows());
  copy.reserve(bytes, what);
  const void* source = image.data;
  if (!is_dense(image)) {
    packed.reserve(bytes);
    const auto pixel = static_cast<std::int64_t>(size_of(image.type));
    each_row(image, packed.data(), [&](const char* from, char* to) {
      if (image.type == dtype::bit) std::memcpy(to, from, static_cast<std::size_t>(row_bytes(image.type, image.size)));
      else
        for (std::int64_t x = 0; x < image.size.width; ++x)
          std::memcpy(to + x * pixel, from + x * image.strides.x, static_cast<std::size_t>(pixel));
    });
    source = packed.data();
  }
  check_cuda(cudaMemcpyAsync(copy.data(), source, bytes, cudaMemcpyHostToDevice, stream), "upload");
  check_cuda(cudaStreamSynchronize(stream), "upload");  // `packed` may be used again
  return {copy.data(), image.type, image.size};
}

}  // namespace skerry
