// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace skerry::test {

/// A stream that waits for no other.
class test_stream {
 public:
  test_stream() { EXPECT_EQ(cudaStreamCreateWithFlags(&id_, cudaStreamNonBlocking), cudaSuccess); }
  test_stream(const test_stream&) = delete;
  test_stream& operator=(const test_stream&) = delete;
  ~test_stream() { cudaStreamDestroy(id_); }

  operator cudaStream_t() const { return id_; }
  void wait() const { ASSERT_EQ(cudaStreamSynchronize(id_), cudaSuccess); }

 private:
  cudaStream_t id_ = nullptr;
};

}  // namespace skerry::test
