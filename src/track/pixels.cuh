// SPDX-License-Identifier: Apache-2.0
// What the kernels that read a frame's pixels share.
#pragma once
#include <algorithm>

#include "core/pixel_type.hpp"
#include "core/portable.hpp"
#include "engine/cuda/device_memory.cuh"
#include "skerry/image.hpp"
#include "track/frame_steps.hpp"

namespace skerry::track_steps {

// Blocks with a thread for each pixel, or a few for many.
inline u32 blocks_for(i64 pixels, u32 threads) {
  return static_cast<u32>(std::clamp<i64>((pixels + threads - 1) / threads, 1, 1024));
}

// Calls work(pixels) with a pointer to the frame's pixels. Not for bits.
template <class Work>
void with_pixels(const image_view& frame, Work work) {
  with_pixel_type(frame.type, [&]<class Pixel>(pixel_type<Pixel>) { work(static_cast<const Pixel*>(frame.data)); });
}

#ifdef __CUDACC__

// Bytes of an image of any strides, put side by side: `pixel` bytes of each of size.width pixels, or of packed bits.
__global__ inline void gather_kernel(const char* from, const extent size, const byte_strides step, const i64 pixel,
                                     char* to) {
  const i64 row = size.width * pixel, count = size.depth * size.height * row;
  for (i64 i = i64{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += i64{gridDim.x} * blockDim.x) {
    const i64 y = i / row % size.height, z = i / row / size.height, x = i % row;
    to[i] = from[z * step.z + y * step.y + x / pixel * step.x + x % pixel];
  }
}

// Enqueues the copy of a frame into memory of the device, side by side: of any strides if it is in device memory, else of one that
// is dense.
inline void copy_by_stream(const image_view& frame, char* to, cudaStream_t stream) {
  if (is_dense(frame)) {
    const std::size_t bytes = dense_bytes(frame.type, frame.size);
    check_cuda(cudaMemcpyAsync(to, frame.data, bytes, cudaMemcpyDefault, stream), "upload");
    return;
  }
  const bool bits = frame.type == dtype::bit;
  extent size = frame.size;
  byte_strides step = frame.strides;
  if (bits) size.width = (size.width + 7) / 8, step.x = 1;
  const i64 pixel = bits ? 1 : static_cast<i64>(size_of(frame.type));
  gather_kernel<<<blocks_for(size.pixels() * pixel, 256), 256, 0, stream>>>(static_cast<const char*>(frame.data), size,
                                                                            step, pixel, to);
  check_cuda(cudaGetLastError(), "upload");
}

#endif

}  // namespace skerry::track_steps
