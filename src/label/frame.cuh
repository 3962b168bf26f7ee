// SPDX-License-Identifier: Apache-2.0
// One small frame at once, CUDA: what the driver calls.
//
//   frame_plan_for   whether a frame is small enough, and how it would be cut: from its size alone
//   frame_runs       whether the current device can run that; asked once for each device
//   launch_frame     one kernel, no allocation, no synchronisation
//
// Reads   u8 (or boolean) pixels that follow each other in rows, or packed bits; rows at any distance
// Writes  rows of the table, offsets, the label image
// Needs   a device of compute capability 9, and frame_scratch_bytes() for frames of very many components
#pragma once
#include <atomic>

#include "label/frame_kernel.cuh"

namespace skerry::label_stages::on_device {

/// How many blocks share a frame: few wait less for each other, many have more processors. `blocks` = 0: as measured best.
template <class Shape>
bool frame_plan_for(i64 height, i64 width, frame_plan& plan, u32 blocks = 0) {
  if (height < 1 || width < 1 || height > frame_most_side || width > frame_most_side) return false;
  plan = {};
  plan.height = static_cast<i32>(height), plan.width = static_cast<i32>(width);
  plan.columns = static_cast<u32>((width + Shape::word_bits - 1) / Shape::word_bits);
  const u32 groups = static_cast<u32>((height + Shape::group_rows - 1) / Shape::group_rows);
  const auto threads = [&](u32 count) { return ((groups + count - 1) / count * plan.columns + 31) / 32 * 32; };
  if (blocks == 0) {
    constexpr u32 comfortable = 256;
    for (blocks = 1; blocks < frame_most_blocks && threads(blocks) > comfortable;) blocks *= 2;
  }
  plan.threads = threads(blocks);
  if (plan.threads > frame_most_threads) return false;
  plan.blocks = blocks;
  plan.groups = (groups + blocks - 1) / blocks;
  const u32 most = plan.threads * (Shape::word_bits / 2), held = frame_capacity<Shape>(plan.threads);
  plan.overflow = most > held ? most - held : 0;
  plan.by_columns = divisor(plan.columns);
  plan.rows_end_in_warps = 32 % plan.columns == 0;
  return true;
}

inline std::size_t frame_scratch_bytes(const frame_plan& plan) {
  return sizeof(frame_record) * plan.blocks * plan.overflow;
}

template <class Shape>
std::size_t frame_shared_bytes(const frame_plan& plan) {
  frame_memory<Shape> memory;
  return frame_memory<Shape>::lay_out(nullptr, plan.threads, plan.columns, memory);
}

template <class Shape, bool Features>
cudaError_t prepare_frame(const frame_plan& plan, cudaLaunchConfig_t& config, cudaLaunchAttribute& cluster) {
  const auto kernel = frame_kernel<Shape, Features>;
  config = {};
  config.gridDim = plan.blocks;
  config.blockDim = plan.threads;
  config.dynamicSmemBytes = frame_shared_bytes<Shape>(plan);
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = plan.blocks;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  config.attrs = &cluster;
  config.numAttrs = plan.blocks > 1;
  // Of the current device, so it cannot be done once for all.
  const cudaError_t ready = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                 static_cast<int>(config.dynamicSmemBytes));
  if (ready != cudaSuccess || plan.blocks <= 8) return ready;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
}

/// Whether the current device runs such frames: it must have room for the largest of them.
template <class Shape, bool Features>
bool frame_runs() {
  enum : int { unknown, yes, no };
  constexpr int most_devices = 64;
  static std::atomic<int> known[most_devices];
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return false;
  if (device < most_devices && known[device].load() != unknown) return known[device].load() == yes;
  frame_plan largest;
  cudaLaunchConfig_t config;
  cudaLaunchAttribute cluster;
  int major = 0, clusters = 0;
  const bool runs = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
                    major >= 9 && frame_plan_for<Shape>(1024, 1024, largest) &&
                    prepare_frame<Shape, Features>(largest, config, cluster) == cudaSuccess &&
                    cudaOccupancyMaxActiveClusters(&clusters, frame_kernel<Shape, Features>, &config) == cudaSuccess &&
                    clusters > 0;
  if (!runs) cudaGetLastError();
  if (device < most_devices) known[device] = runs ? yes : no;
  return runs;
}

/// What `source` must know of its place is set here.
template <class Shape, bool Features>
cudaError_t launch_frame(const frame_plan& plan, frame_source source, const frame_target& target, void* scratch,
                         cudaStream_t stream) {
  const i64 last_row = (plan.height - 1) * source.row_bytes;
  source.begin = source.data + (last_row < 0 ? last_row : 0);
  source.end = source.data + (last_row > 0 ? last_row : 0) + plan.width;
  source.aligned = source.row_bytes % 16 == 0 && reinterpret_cast<std::uintptr_t>(source.data) % 16 == 0;
  source.whole = source.aligned && !source.packed && plan.width % Shape::word_bits == 0;
  source.pieces = 2 * (plan.columns * Shape::halves + (source.aligned ? 0 : 1));
  source.by_pieces = divisor(source.pieces);
  cudaLaunchConfig_t config;
  cudaLaunchAttribute cluster;
  const cudaError_t ready = prepare_frame<Shape, Features>(plan, config, cluster);
  if (ready != cudaSuccess) return ready;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, frame_kernel<Shape, Features>, plan, source, target,
                            static_cast<frame_record*>(scratch));
}

}  // namespace skerry::label_stages::on_device
