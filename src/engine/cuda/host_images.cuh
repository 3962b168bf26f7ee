// SPDX-License-Identifier: Apache-2.0
// Images on their way between host and device.
#pragma once
#include <cstring>

#include "engine/cpu/buffer.hpp"
#include "engine/cuda/device_memory.cuh"
#include "engine/dense_image.hpp"
#include "skerry/image.hpp"

namespace skerry {

// Calls copy(row in the image, row in dense memory) for each row.
template <class Image, class Copy>
void each_row(const Image& image, std::byte* dense, Copy copy) {
  for (std::int64_t z = 0; z < image.size.depth; ++z)
    for (std::int64_t y = 0; y < image.size.height; ++y)
      copy(static_cast<char*>(const_cast<void*>(static_cast<const void*>(image.data))) + z * image.strides.z +
               y * image.strides.y,
           reinterpret_cast<char*>(dense) + (z * image.size.height + y) * row_bytes(image.type, image.size));
}

// An image in host memory without its gaps.
inline void pack(const image_view& image, std::byte* dense) {
  if (is_dense(image)) {
    std::memcpy(dense, image.data, dense_bytes(image));
    return;
  }
  const auto pixel = static_cast<std::int64_t>(size_of(image.type));
  each_row(image, dense, [&](const char* from, char* to) {
    if (image.type == dtype::bit) std::memcpy(to, from, static_cast<std::size_t>(row_bytes(image.type, image.size)));
    else
      for (std::int64_t x = 0; x < image.size.width; ++x)
        std::memcpy(to + x * pixel, from + x * image.strides.x, static_cast<std::size_t>(pixel));
  });
}

// The other way round; not of bits.
inline void unpack(std::byte* dense, const mutable_image& to) {
  if (is_dense(to)) {
    std::memcpy(to.data, dense, dense_bytes(to));
    return;
  }
  const auto pixel = static_cast<std::int64_t>(size_of(to.type));
  each_row(to, dense, [&](char* row, const char* from) {
    for (std::int64_t x = 0; x < to.size.width; ++x)
      std::memcpy(row + x * to.strides.x, from + x * pixel, static_cast<std::size_t>(pixel));
  });
}

// From a dense copy in device memory to an image in host memory, or to a dense one anywhere; waits for it.
inline void copy_from_dense(const device_memory& copy, const mutable_image& to, cudaStream_t stream,
                            buffer<std::byte>& packed) {
  const std::size_t bytes = dense_bytes(to);
  const bool dense = is_dense(to);
  if (!dense) packed.reserve(bytes);
  check_cuda(cudaMemcpyAsync(dense ? to.data : packed.data(), copy.data(), bytes, cudaMemcpyDefault, stream), "emit");
  check_cuda(cudaStreamSynchronize(stream), "emit");
  if (!dense) unpack(packed.data(), to);
}

// The image `name` in device memory. One of the host is copied there, through `packed` if it is not dense.
inline image_view on_device(const image_view& image, cudaStream_t stream, device_memory& copy,
                            buffer<std::byte>& packed, const char* name) {
  if (is_device_memory(image.data)) return image;
  const std::size_t bytes = dense_bytes(image);
  copy.reserve(bytes, name);
  const void* source = image.data;
  if (!is_dense(image)) {
    packed.reserve(bytes);
    pack(image, packed.data());
    source = packed.data();
  }
  check_cuda(cudaMemcpyAsync(copy.data(), source, bytes, cudaMemcpyHostToDevice, stream), "upload");
  check_cuda(cudaStreamSynchronize(stream), "upload");  // `packed` may be used again
  return {copy.data(), image.type, image.size};
}

}  // namespace skerry
