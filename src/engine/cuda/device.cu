// SPDX-License-Identifier: Apache-2.0
#include "engine/cuda/device.hpp"

#include "engine/cuda/device_memory.cuh"

namespace skerry {
namespace {

// Compiled for the same devices as every kernel of the library.
__global__ void any_kernel() {}

[[noreturn]] void refuse_device(const std::string& why) {
  cudaGetLastError();
  throw device_error("engine cuda: " + why);
}

}  // namespace

void require_cuda_device(int device) {
  int devices = 0;
  if (const cudaError_t result = cudaGetDeviceCount(&devices); result != cudaSuccess)
    refuse_device(cudaGetErrorString(result));
  if (device < 0 || device >= devices)
    refuse_device("no device " + std::to_string(device) + " among " + std::to_string(devices));
  const current_device here(device);
  cudaFuncAttributes attributes{};
  if (const cudaError_t result = cudaFuncGetAttributes(&attributes, any_kernel); result != cudaSuccess)
    refuse_device("device " + std::to_string(device) + ": " + cudaGetErrorString(result));
}

}  // namespace skerry
