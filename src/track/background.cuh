// SPDX-License-Identifier: Apache-2.0
// The running background of a stream, CUDA: foreground.cpp, with a thread for each pixel.
#pragma once
#include "engine/cuda/device_memory.cuh"
#include "track/mean.hpp"
#include "track/pixels.cuh"

namespace skerry::track_steps {

#ifdef __CUDACC__

inline constexpr u32 background_threads = 256;

// Pixels are dense. The frame before has left the mean, and the first one has none.
template <class Pixel>
__global__ void compare_with_background_kernel(const Pixel* pixels, const i64 count, const bool truth, const bool first,
                                               const mean_limits limits, i32* mean, u8* mask) {
  for (i64 i = i64{blockIdx.x} * background_threads + threadIdx.x; i < count;
       i += i64{gridDim.x} * background_threads) {
    const i32 value = in_mean_units(pixels[i], truth);
    if (first) {
      mean[i] = value;
      mask[i] = 0;
    } else {
      mask[i] = step_mean(value, limits, mean[i]);
    }
  }
}

// The frame has pixels, and is dense, in device memory.
inline void compare_with_background(const image_view& frame, bool first, const mean_limits& limits, i32* mean, u8* mask,
                                    cudaStream_t stream) {
  const i64 count = frame.size.pixels();
  with_pixels(frame, [&]<class Pixel>(const Pixel* pixels) {
    if constexpr (std::is_integral_v<Pixel> && sizeof(Pixel) <= 2)  // others were refused
      compare_with_background_kernel<<<blocks_for(count, background_threads), background_threads, 0, stream>>>(
          pixels, count, frame.type == dtype::boolean, first, limits, mean, mask);
  });
  check_cuda(cudaGetLastError(), "threshold");
}

#endif

}  // namespace skerry::track_steps
