// SPDX-License-Identifier: Apache-2.0
#include "cuda/device_image.hpp"

namespace skerry::test {

bool has_cuda_device() {
  int devices = 0;
  const bool found = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  cudaGetLastError();
  return found;
}

device_bytes::device_bytes(std::size_t bytes) : bytes_(bytes + 256) {
  EXPECT_EQ(cudaMalloc(&data_, bytes_), cudaSuccess);
  forget();
}

// Neither a set nor a copy from pageable memory needs to be complete when it returns, and streams of the library do not
// wait for the default one.
void device_bytes::forget() const {
  EXPECT_EQ(cudaMemset(data_, 0xcd, bytes_), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

void device_bytes::upload(const void* content, std::size_t bytes) const {
  EXPECT_EQ(cudaMemcpy(data_, content, bytes, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

}  // namespace skerry::test
