// SPDX-License-Identifier: Apache-2.0
// Memory of the device, and of the host where the device reaches it fast.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace skerry::bench {

/// Throws std::runtime_error with what was done and CUDA's text.
inline void require(cudaError_t result, const char* what) {
  if (result != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(result));
}

class device_buffer {
 public:
  device_buffer() = default;
  explicit device_buffer(std::size_t bytes) : bytes_(bytes) {
    if (bytes != 0) require(cudaMalloc(&data_, bytes), "cudaMalloc");
  }
  device_buffer(device_buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  device_buffer& operator=(device_buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~device_buffer() { cudaFree(data_); }

  template <class T = void>
  [[nodiscard]] T* data() const {
    return static_cast<T*>(data_);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  void upload(const void* from, std::size_t bytes) const {
    require(cudaMemcpy(data_, from, bytes, cudaMemcpyHostToDevice), "upload");
    require(cudaDeviceSynchronize(), "upload");  // pageable memory may be on its way still
  }
  /// Makes whatever is not written later look wrong.
  void spoil(cudaStream_t stream) const { require(cudaMemsetAsync(data_, 0xa5, bytes_, stream), "cudaMemset"); }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Host memory that copies to and from the device at the full speed of the link.
class pinned_buffer {
 public:
  explicit pinned_buffer(std::size_t bytes) { require(cudaMallocHost(&data_, bytes), "cudaMallocHost"); }
  pinned_buffer(const pinned_buffer&) = delete;
  pinned_buffer& operator=(const pinned_buffer&) = delete;
  ~pinned_buffer() { cudaFreeHost(data_); }
  template <class T>
  [[nodiscard]] T* data() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
};

}  // namespace skerry::bench
