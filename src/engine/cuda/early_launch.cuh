// SPDX-License-Identifier: Apache-2.0
// Kernels that are launched while the one before them in the stream still runs (programmatic dependent launch). Such a kernel waits for what that one
// writes, in every block, before it reads it. In others nothing here does anything.
#pragma once
#include "engine/cuda/kernel_facts.cuh"

namespace skerry {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/// Waits for all that the kernel before in the stream writes. Such memory is not to be read by __ldg(), which takes it for constant while the
/// kernel runs.
__device__ inline void wait_for_stream() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
/// Once all blocks have said so or ended, the next kernel of the stream may be launched, if it is launched early.
__device__ inline void let_next_launch() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

#else

__device__ inline void wait_for_stream() {}
__device__ inline void let_next_launch() {}

#endif

/// Whether a device launches kernels so, and this one was compiled to wait: a build for older devices is not, wherever it runs.
template <class... Parameters>
bool can_launch_early(void (*kernel)(Parameters...), int device) {
  static number_of_device known;  // kernels of one build are compiled for the same devices
  return known(device, [=] {
           int major = 0;
           cudaFuncAttributes code{};
           const bool can = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
                            cudaFuncGetAttributes(&code, kernel) == cudaSuccess && major >= 9 && code.ptxVersion >= 90;
           if (!can) cudaGetLastError();
           return u32{can};
         }) != 0;
}

inline cudaLaunchAttribute launched_early() {
  cudaLaunchAttribute early;
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  return early;
}

/// Launches a kernel, early if `early` says so.
template <class... Parameters, class... Arguments>
cudaError_t launch_kernel(bool early, void (*kernel)(Parameters...), u32 blocks, u32 threads, cudaStream_t stream,
                          const Arguments&... arguments) {
  cudaLaunchAttribute attribute = launched_early();
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = early;
  return cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}

}  // namespace skerry
