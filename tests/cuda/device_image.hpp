// SPDX-License-Identifier: Apache-2.0
// Images in device memory, and the machine they need.
#pragma once
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "skerry/image.hpp"

namespace skerry::test {

bool has_cuda_device();

#define SKERRY_NEEDS_CUDA_DEVICE() \
  if (!has_cuda_device()) GTEST_SKIP() << "no CUDA device"

/// For tests that expect memory of the host to be refused.
#define SKERRY_NEEDS_MEMORY_APART()                                                                \
  int reads_host = 0;                                                                              \
  ASSERT_EQ(cudaDeviceGetAttribute(&reads_host, cudaDevAttrPageableMemoryAccess, 0), cudaSuccess); \
  if (reads_host != 0) GTEST_SKIP() << "this device can use any memory of the host"

/// Device memory with a few bytes more than asked for. Its content is junk.
class device_bytes {
 public:
  explicit device_bytes(std::size_t bytes);
  template <class T>
  explicit device_bytes(const std::vector<T>& content) : device_bytes(content.size() * sizeof(T)) {
    upload(content.data(), content.size() * sizeof(T));
  }
  device_bytes(const device_bytes&) = delete;
  device_bytes& operator=(const device_bytes&) = delete;
  ~device_bytes() { cudaFree(data_); }

  /// Makes junk of it again.
  void forget() const;
  /// Copies host memory to the beginning. The copy is complete, as calls of the library demand.
  void upload(const void* content, std::size_t bytes) const;

  template <class T = void>
  [[nodiscard]] T* data() const {
    return static_cast<T*>(data_);
  }
  template <class T>
  [[nodiscard]] std::vector<T> copied(std::size_t count) const {
    std::vector<T> host(count);
    EXPECT_EQ(cudaMemcpy(host.data(), data_, count * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
    return host;
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

}  // namespace skerry::test
