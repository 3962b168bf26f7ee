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

void device_bytes::forget() const { EXPECT_EQ(cudaMemset(data_, 0xcd, bytes_), cudaSuccess); }

device_bytes::device_bytes(const std::vector<std::uint8_t>& content) : device_bytes(content.size()) {
  EXPECT_EQ(cudaMemcpy(data_, content.data(), content.size(), cudaMemcpyHostToDevice), cudaSuccess);
}

}  // namespace skerry::test
