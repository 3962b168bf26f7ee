// SPDX-License-Identifier: Apache-2.0
// The caller's label image, where kernels cannot write it directly: labels are written dense first, and then brought there.
#pragma once
#include "engine/cuda/device_memory.cuh"
#include "skerry/image.hpp"

namespace skerry {

/// Kernels write pixels where they lie only at multiples of their size.
inline bool is_aligned(const mutable_image& image) {
  const auto pixel = static_cast<std::int64_t>(size_of(image.type));
  const auto fits = [&](std::int64_t count, std::int64_t step) { return count <= 1 || step % pixel == 0; };
  return reinterpret_cast<std::uintptr_t>(image.data) % size_of(image.type) == 0 &&
         fits(image.size.depth, image.strides.z) && fits(image.size.height, image.strides.y) &&
         fits(image.size.width, image.strides.x);
}

inline constexpr unsigned spread_threads = 256;

__global__ inline void spread_labels_kernel(const std::byte* dense, const mutable_image labels,
                                            const std::uint32_t bytes) {
  const std::int64_t i = std::int64_t{blockIdx.x} * spread_threads + threadIdx.x;
  const extent& size = labels.size;
  const std::int64_t row = i / size.width;
  if (row >= size.depth * size.height) return;
  std::byte* const to = static_cast<std::byte*>(labels.data) + row / size.height * labels.strides.z +
                        row % size.height * labels.strides.y + i % size.width * labels.strides.x;
  for (std::uint32_t k = 0; k < bytes; ++k) to[k] = dense[i * bytes + k];
}

/// From a dense copy to memory of the same device at any strides.
inline void spread_labels(const device_memory& dense, const mutable_image& labels, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((labels.size.pixels() + spread_threads - 1) / spread_threads);
  spread_labels_kernel<<<blocks, spread_threads, 0, stream>>>(static_cast<const std::byte*>(dense.data()), labels,
                                                              static_cast<std::uint32_t>(size_of(labels.type)));
  check_cuda(cudaGetLastError(), "emit");
}

}  // namespace skerry
