// SPDX-License-Identifier: Apache-2.0
// A small frame by its pixels, CUDA: all stages in one kernel. See memory.cuh.
#pragma once
#include "label/cuda/by_pixel/borders.cuh"
#include "label/cuda/by_pixel/labels.cuh"
#include "label/cuda/together.cuh"

namespace skerry::label_stages::on_device {

/// As many as there are threads for in a processor.
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200)
inline constexpr int pixel_blocks_at_once = 1;
#else
inline constexpr int pixel_blocks_at_once = 2;
#endif

template <int Connectivity, class Source, class Together>
__global__ __launch_bounds__(pixel_threads,
                             pixel_blocks_at_once) void by_pixel_kernel(const __grid_constant__ pixel_grid grid,
                                                                        const __grid_constant__ Source source,
                                                                        const __grid_constant__ pixel_tables tables,
                                                                        const __grid_constant__ frame_target target,
                                                                        const cuda::numbering numbering) {
  __shared__ pixel_memory memory;
  const Together all;
  pixel_block<Connectivity> block(grid, tables, memory);
  if (block.tile == 0 && threadIdx.x < static_cast<u32>(grid.frame.height))
    device_words{tables.counts}.store(threadIdx.x, 0);
  block.load(source);
  __syncthreads();
  block.solve();
  block.find_components();
  block.tell();
  all.sync();
  if (block.lane == 0 && block.firsts != 0) atomicAdd(tables.counts + block.y, count_of(block.firsts));
  pixel_borders<Connectivity>{block}.unite_all();
  all.sync();
  const pixel_labels<Connectivity> labels{block, target};
  labels.name_components(numbering == cuda::numbering::first_pixel);
  labels.write();
}

}  // namespace skerry::label_stages::on_device
