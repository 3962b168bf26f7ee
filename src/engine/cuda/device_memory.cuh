// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <utility>

#include "skerry/error.hpp"

namespace skerry {

inline void check_cuda(cudaError_t result, const char* stage) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // an error that does not stick must not be met again
  throw device_error(std::string("stage ") + stage + ": " + cudaGetErrorString(result));
}

inline bool is_device_memory(const void* data) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, data) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
}

// Makes a device the current one for a while, if it is not.
class current_device {
 public:
  explicit current_device(int device) {
    check_cuda(cudaGetDevice(&before_), "start");
    if (before_ == device) before_ = already;
    else check_cuda(cudaSetDevice(device), "start");
  }
  current_device(const current_device&) = delete;
  current_device& operator=(const current_device&) = delete;
  ~current_device() {
    if (before_ != already) cudaSetDevice(before_);
  }

 private:
  static constexpr int already = -1;
  int before_ = 0;
};

// Device memory that only grows and does not keep what it held.
class device_memory {
 public:
  device_memory() = default;
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;
  ~device_memory() { cudaFree(data_); }

  void reserve(std::size_t bytes, const char* what) {
    if (bytes <= bytes_) return;
    cudaFree(std::exchange(data_, nullptr));
    bytes_ = 0;
    if (cudaMalloc(&data_, bytes) != cudaSuccess) {
      cudaGetLastError();
      data_ = nullptr;
      throw out_of_memory("out of device memory: " + std::to_string(bytes) + " bytes for " + what);
    }
    bytes_ = bytes;
  }
  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Memory of the host that copies run to at the full speed of the link, and that the device reaches. Only grows, and does not
// keep what it held.
class pinned_memory {
 public:
  pinned_memory() = default;
  pinned_memory(const pinned_memory&) = delete;
  pinned_memory& operator=(const pinned_memory&) = delete;
  ~pinned_memory() { cudaFreeHost(data_); }

  void reserve(std::size_t bytes, const char* what) {
    if (bytes <= bytes_) return;
    cudaFreeHost(std::exchange(data_, nullptr));
    bytes_ = 0;
    if (cudaHostAlloc(&data_, bytes, cudaHostAllocPortable | cudaHostAllocMapped) != cudaSuccess) {
      cudaGetLastError();
      data_ = nullptr;
      throw out_of_memory("out of memory: " + std::to_string(bytes) + " bytes of pinned memory for " + what);
    }
    bytes_ = bytes;
  }
  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// A stream of its own, which does not wait for the default stream.
class cuda_stream {
 public:
  cuda_stream() { check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "start"); }
  cuda_stream(const cuda_stream&) = delete;
  cuda_stream& operator=(const cuda_stream&) = delete;
  ~cuda_stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace skerry
