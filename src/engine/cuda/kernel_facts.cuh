// SPDX-License-Identifier: Apache-2.0
// What the driver says of a kernel, asked once for each kernel and device: a question costs as much as a launch.
#pragma once
#include <atomic>

#include "core/portable.hpp"
#include "engine/cuda/device_memory.cuh"

namespace skerry {

inline constexpr int most_known_devices = 64;

/// Calls once(), which returns a cudaError_t, for each device; one beyond those that are known for each call.
class once_for_device {
 public:
  template <class Once>
  cudaError_t operator()(int device, Once once) {
    const u64 bit = u64{1} << (device % most_known_devices);
    const bool is_known = device < most_known_devices;
    if (is_known && (done_.load(std::memory_order_acquire) & bit) != 0) return cudaSuccess;
    const cudaError_t result = once();
    if (result == cudaSuccess && is_known) done_.fetch_or(bit, std::memory_order_release);
    return result;
  }

 private:
  std::atomic<u64> done_ = 0;
};

/// A number that is asked for once for each device; for one beyond those that are known every time.
class number_of_device {
 public:
  template <class Ask>
  u32 operator()(int device, const Ask& ask) {
    if (device >= most_known_devices) return ask();
    std::atomic<u64>& known = one_more_[device];
    if (const u64 found = known.load(std::memory_order_acquire); found != 0) return static_cast<u32>(found - 1);
    const u32 number = ask();
    known.store(u64{number} + 1, std::memory_order_release);
    return number;
  }

 private:
  std::atomic<u64> one_more_[most_known_devices] = {};
};

/// Whether a device is of compute capability 9 or later, and so is the code of a kernel that runs there. A build for older devices runs there
/// too, but has neither clusters nor a wait for the stream.
template <class Kernel>
bool has_code_for_9(Kernel kernel, int device) {
  int major = 0;
  cudaFuncAttributes code{};
  return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess && major >= 9 &&
         cudaFuncGetAttributes(&code, kernel) == cudaSuccess && code.ptxVersion >= 90;
}

/// Room for more than 48 KiB of shared memory in a kernel.
template <class Kernel>
cudaError_t allow_shared_memory(Kernel kernel, std::size_t bytes) {
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
}

/// All that the device gives to a block.
template <class Kernel>
cudaError_t allow_all_shared_memory(Kernel kernel, int device) {
  int most = 0;
  cudaFuncAttributes own{};
  cudaError_t result = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (result == cudaSuccess) result = cudaFuncGetAttributes(&own, kernel);
  if (result != cudaSuccess) return result;
  return allow_shared_memory(kernel, static_cast<std::size_t>(most) - own.sharedSizeBytes);
}

}  // namespace skerry
