// SPDX-License-Identifier: Apache-2.0
// What every launch of a CUDA kernel of labels knows: the job, its tiles, its tables, the stream.
#pragma once
#include "engine/cuda/device_memory.cuh"
#include "engine/cuda/kernel_facts.cuh"
#include "engine/cuda/stage_progress.cuh"
#include "label/cuda/resolve/number.cuh"
#include "label/cuda/scratch_layout.cuh"

namespace skerry::label_stages::on_device {

/// What a job's kernels are launched with.
template <class Shape>
struct launch {
  const cuda::label_job& work;
  const tiling grid;
  const job_tables tables;
  cudaStream_t stream;
  stage_progress& progress;
  int device;

  void begin(stage next) const { progress.begin(next); }
  [[nodiscard]] u32 frames() const { return frames_in<Shape>(grid); }
};

template <class Shape>
tiling tiling_of(const extent& size) {
  const auto parts = [](std::int64_t side, int tile) { return static_cast<i32>((side + tile - 1) / tile); };
  tiling grid{};
  grid.depth = static_cast<i32>(size.depth), grid.height = static_cast<i32>(size.height),
  grid.width = static_cast<i32>(size.width);
  grid.tiles_z = parts(size.depth, Shape::depth);
  grid.tiles_y = parts(size.height, Shape::height);
  grid.tiles_x = parts(size.width, tile_width);
  const u64 tiles = u64(grid.tiles_z) * grid.tiles_y * grid.tiles_x;
  grid.units = u64(size.depth) * size.height * grid.tiles_x;
  // At most every second pixel begins a run or a component, and both are counted in 32 bits.
  if (tiles * Shape::border_capacity > 0xffffffffu || grid.units > 0xffffffffu || tiles > 0x7fffffffu ||
      size.pixels() / 2 >= 0xffffffff)
    throw invalid_argument("image: more pixels than the cuda engine can number");
  grid.tiles = static_cast<u32>(tiles);
  grid.by_tiles_x = divisor(static_cast<u32>(grid.tiles_x));
  grid.by_tiles_y = divisor(static_cast<u32>(grid.tiles_y));
  return grid;
}

/// Calls with the tile_shape of a connectivity.
template <class Call>
auto with_shape(int connectivity, Call call) {
  switch (connectivity) {
    case 4: return call(tile_shape<4>{});
    case 8: return call(tile_shape<8>{});
    case 6: return call(tile_shape<6>{});
    case 18: return call(tile_shape<18>{});
    case 26: return call(tile_shape<26>{});
    default: throw invalid_argument("connectivity: must be 4, 8, 6, 18 or 26");
  }
}

/// Blocks of a kernel that wait for each other and that a device, the current one, runs at once.
class resident_blocks {
 public:
  template <class... Parameters>
  u32 of(void (*kernel)(Parameters...), int device) {
    return known_(device, [=] {
      int processors = 0, per_processor = 0;
      check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "resolve");
      check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel, resolve_threads, 0), "resolve");
      return static_cast<u32>(processors * per_processor);
    });
  }

 private:
  number_of_device known_;
};

}  // namespace skerry::label_stages::on_device
