// SPDX-License-Identifier: Apache-2.0
#include "engine/cuda/device.hpp"

#include "engine/cuda/device_memory.cuh"

namespace skerry {

void require_cuda_device(int device) {
  int devices = 0;
  if (const cudaError_t result = cudaGetDeviceCount(&devices); result != cudaSuccess) {
    cudaGetLastError();
    throw device_error(std::string("engine cuda: ") + cudaGetErrorString(result));
  }
  if (device < 0 || device >= devices)
    throw device_error("engine cuda: no device " + std::to_string(device) + " among " + std::to_string(devices));
}

}  // namespace skerry
