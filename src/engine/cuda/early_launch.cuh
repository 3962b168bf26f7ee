// SPDX-License-Identifier: Apache-2.0
// Kernels that are launched while the one before them in the stream still runs (programmatic dependent launch). In such a kernel every block
// calls wait_for_stream() before it reads what that one writes. In a kernel that is launched normally, the call does nothing.
#pragma once
#include "engine/cuda/kernel_facts.cuh"

namespace skerry {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/// Waits for all that the kernel before in the stream writes; if its blocks waited too, also for what came before that one. Such memory must
/// not be read by __ldg(), which takes it for constant while the kernel runs.
__device__ inline void wait_for_stream() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
/// Once all blocks have called this or ended, the next kernel of the stream may be launched, if it is launched early.
__device__ inline void let_next_launch() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

#else

__device__ inline void wait_for_stream() {}
__device__ inline void let_next_launch() {}

#endif

/// Whether a device launches a kernel so.
template <class... Parameters>
bool can_launch_early(void (*kernel)(Parameters...), int device) {
  static number_of_device known;  // of all kernels with these parameters: a build compiles them for the same devices
  return known(device, [=] {
           const bool can = has_code_for_9(kernel, device);
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
