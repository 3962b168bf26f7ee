// SPDX-License-Identifier: Apache-2.0
// Calls that only enqueue work on a CUDA stream: no allocation, no synchronisation; they can be captured in a graph.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "skerry/feature.hpp"
#include "skerry/image.hpp"
#include "skerry/label.hpp"

namespace skerry::cuda {

/// What an enqueued call does; all of it is known on the host before anything runs.
struct job {
  image_view image;      // device memory; u8, boolean, u16, i16, f32 or bit; any strides that keep pixels aligned
  int connectivity = 0;  // 4 or 8: the slices of a rank 3 image are the frames of a batch; 6, 18 or 26: a volume
  skerry::foreground foreground;
  mutable_image labels;              // device memory, same extent, u8 to u64, or without data
  geometry* rows = nullptr;          // device memory; one row per component in label order, frame after frame; or null
  std::uint64_t row_capacity = 0;    // components that `rows` can hold
  std::uint64_t* offsets = nullptr;  // device memory, frames + 1: components before each frame; the last is n; or null
};

/// Bytes of device memory that the call needs while it runs.
/// Throws invalid_argument naming the argument.
[[nodiscard]] std::size_t scratch_bytes(const job& work);

/// Labels and measures as in label() and measure().
///
///   work      arrays must stay valid until the stream has passed the call
///   scratch   device memory of `bytes` >= scratch_bytes(work), at a multiple of 256
///   stream    of the current device
///
/// When n exceeds `row_capacity` or the range of the label type, `offsets` still tells the true count; rows and labels
/// are then not to be used.
/// Throws invalid_argument, also for arrays that the device cannot reach, that end too early or lie askew: their first
/// and last byte are asked for, nothing waits. Throws device_error when a launch is refused.
void enqueue(const job& work, void* scratch, std::size_t bytes, cudaStream_t stream);

}  // namespace skerry::cuda
