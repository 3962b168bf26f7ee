// SPDX-License-Identifier: Apache-2.0
// Stage 6, CUDA: what did not fit, and the counts of images without pixels.
#pragma once
#include "engine/cuda/device_memory.cuh"
#include "label/cuda/scratch_layout.cuh"

namespace skerry::label_stages::on_device {

__global__ inline void check_overflow_kernel(const u64* offset, u32 frames, u64 row_capacity, u64 most_labels,
                                             const u64* run_offset, u64 run_capacity, u32* overflow) {
  u32 found = offset != nullptr && offset[frames] > row_capacity ? cuda::rows_overflow : 0;
  if (run_offset != nullptr && run_offset[frames] > run_capacity) found |= cuda::runs_overflow;
  for (u32 frame = threadIdx.x; frame < frames; frame += 32)
    if (offset[frame + 1] - offset[frame] > most_labels) found |= cuda::labels_overflow;
  found = __reduce_or_sync(~0u, found);
  if (threadIdx.x == 0) *overflow = found;
}

inline void tell_overflow(const cuda::label_job& work, u32 frames, const u64* offset, const u64* run_offsets,
                          cudaStream_t stream) {
  check_overflow_kernel<<<1, 32, 0, stream>>>(offset, frames, work.rows ? work.row_capacity : ~u64{0},
                                              label_limit(work), work.runs ? run_offsets : nullptr, work.run_capacity,
                                              work.overflow);
  check_cuda(cudaGetLastError(), "emit");
}

/// An image without pixels.
inline void write_nothing(const cuda::label_job& work, u32 frames, cudaStream_t stream) {
  const u64 counts_bytes = (frames + u64{1}) * sizeof(u64);
  if (work.offsets) check_cuda(cudaMemsetAsync(work.offsets, 0, counts_bytes, stream), "encode");
  if (work.run_offsets) check_cuda(cudaMemsetAsync(work.run_offsets, 0, counts_bytes, stream), "encode");
  if (work.overflow) check_cuda(cudaMemsetAsync(work.overflow, 0, sizeof(u32), stream), "encode");
}

}  // namespace skerry::label_stages::on_device
