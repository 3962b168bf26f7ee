// SPDX-License-Identifier: Apache-2.0
// One small frame at once, CUDA: what the driver calls.
//
//   takes_small_frame     whether a job is one that the current device does in this way
//   lay_out_small_frame   the scratch for components that shared memory may not hold
//   label_small_frame     one kernel, no allocation, no synchronisation
//
// Reads   bytes that are neighbours in rows, or packed bits; rows at any distance
// Writes  rows of the table, offsets, overflow, the label image, packed labels
// Needs   a device of compute capability 9
#pragma once
#include "engine/cuda/early_launch.cuh"
#include "label/cuda/small_frame/kernel.cuh"

namespace skerry::label_stages::on_device {

inline constexpr std::size_t frame_most_shared_bytes = 222 * 1024;  // of 227 KiB: kernels have other things besides

/// Components that the shared memory of a block holds beside the rest: all that can be, if there is room.
template <class Shape>
u32 frame_capacity(frame_plan plan) {
  frame_memory<Shape> memory;
  plan.capacity = 0;
  const std::size_t used = frame_memory<Shape>::lay_out(nullptr, plan, memory);
  const u32 most = plan.threads * (Shape::word_bits / 2);
  return static_cast<u32>(std::min<std::size_t>(most, (frame_most_shared_bytes - used) / sizeof(padded_record)));
}

/// How many blocks share a frame: few wait less for each other, many have more processors. `blocks` = 0: as measured best.
/// False when the frame is too large for that. From its size alone.
template <class Shape>
bool frame_plan_for(i64 height, i64 width, frame_plan& plan, u32 blocks = 0) {
  if (height < 1 || width < 1 || height > frame_most_side || width > frame_most_side) return false;
  plan = {};
  plan.height = static_cast<i32>(height), plan.width = static_cast<i32>(width);
  constexpr i64 pixels = Shape::columns_at_once * Shape::word_bits;
  plan.columns = static_cast<u32>((width + pixels - 1) / pixels) * Shape::columns_at_once;
  const u32 groups = static_cast<u32>((height + Shape::group_rows - 1) / Shape::group_rows);
  const auto threads = [&](u32 count) { return ((groups + count - 1) / count * plan.columns + 31) / 32 * 32; };
  if (blocks == 0) {
    constexpr u32 comfortable = 256, alone = Shape::word_bits * Shape::group_rows < 64 ? 512 : comfortable;
    for (blocks = 1; blocks < frame_most_blocks && threads(blocks) > (blocks == 1 ? alone : comfortable);) blocks *= 2;
  }
  plan.threads = threads(blocks);
  if (plan.threads > frame_most_threads) return false;
  plan.blocks = blocks;
  plan.groups = (groups + blocks - 1) / blocks;
  plan.capacity = frame_capacity<Shape>(plan);
  plan.overflow = plan.threads * (Shape::word_bits / 2) - plan.capacity;
  plan.by_columns = divisor(plan.columns);
  plan.rows_end_in_warps = 32 % plan.columns == 0;
  return true;
}

template <class Shape>
std::size_t frame_shared_bytes(const frame_plan& plan) {
  frame_memory<Shape> memory;
  return frame_memory<Shape>::lay_out(nullptr, plan, memory);
}

/// The attributes are for `config`, which points at them.
template <class Shape, bool Features>
cudaError_t prepare_frame(const frame_plan& plan, bool early, cudaLaunchConfig_t& config,
                          cudaLaunchAttribute (&attributes)[2], int device) {
  const auto kernel = frame_kernel<Shape, Features>;
  config = {};
  config.gridDim = plan.blocks;
  config.blockDim = plan.threads;
  config.dynamicSmemBytes = frame_shared_bytes<Shape>(plan);
  config.attrs = attributes;
  if (early) attributes[config.numAttrs++] = launched_early();
  if (plan.blocks > 1) {
    cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = plan.blocks;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  }
  static once_for_device known;
  return known(device, [&] {
    const cudaError_t ready = allow_all_shared_memory(kernel, device);
    return ready != cudaSuccess ? ready
                                : cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  });
}

/// Whether the current device has room for the largest frame.
template <class Shape, bool Features>
bool largest_frame_runs(int device) {
  constexpr i64 side = 1024, groups = side / Shape::group_rows / frame_most_blocks,
                width = frame_most_threads / groups * Shape::word_bits;
  frame_plan largest;
  cudaLaunchConfig_t config;
  cudaLaunchAttribute attributes[2];
  int clusters = 0;
  const bool runs =
      has_code_for_9(frame_kernel<Shape, Features>, device) && frame_plan_for<Shape>(side, width, largest) &&
      prepare_frame<Shape, Features>(largest, false, config, attributes, device) == cudaSuccess &&
      cudaOccupancyMaxActiveClusters(&clusters, frame_kernel<Shape, Features>, &config) == cudaSuccess && clusters > 0;
  if (!runs) cudaGetLastError();
  return runs;
}

/// Whether the current device runs such frames.
template <class Shape, bool Features>
bool frame_runs(int device) {
  static number_of_device known;
  return known(device, [device] { return u32{largest_frame_runs<Shape, Features>(device)}; }) != 0;
}

template <class Shape, bool Features>
void launch_frame(const frame_plan& plan, const frame_source& source, const frame_target& target, u32* more, bool early,
                  cudaStream_t stream, int device) {
  cudaLaunchConfig_t config;
  cudaLaunchAttribute attributes[2];
  check_cuda((prepare_frame<Shape, Features>(plan, early, config, attributes, device)), "local");
  config.stream = stream;
  check_cuda(cudaLaunchKernelEx(&config, frame_kernel<Shape, Features>, plan, source, target, more), "local");
}

/// What the source must know of its place among strips and words.
template <class Shape>
void place_in_frame(frame_source& source, const frame_plan& plan) {
  source.aligned = source.row_bytes % 16 == 0 && reinterpret_cast<std::uintptr_t>(source.data) % 16 == 0;
  source.whole = source.aligned && !source.packed && plan.width % (Shape::columns_at_once * Shape::word_bits) == 0;
  source.pieces = 2 * (plan.columns * Shape::word_bits / 32 + (source.aligned ? 0 : 1));
  source.by_pieces = divisor(source.pieces);
}

/// Calls call(shape) with how a frame is cut: into the narrower words if there are threads enough. With 8 neighbours, objects in
/// frames of up to 2^17 pixels take 5 % longer so; and packed labels are written by threads that have all pixels of a word.
template <class Shape, class Call>
auto with_frame_shape(const cuda::label_job& work, const Call& call) {
  constexpr bool grouped = Shape::axes > 1;
  using narrow = frame_shape<Shape::connectivity, std::conditional_t<grouped, u16, u32>>;
  using wide = frame_shape<Shape::connectivity, std::conditional_t<grouped, u32, u64>>;
  frame_plan plan;
  const bool may_be_narrow = !grouped || (!work.packed.bits && work.image.size.pixels() > i64{1} << 17);
  return may_be_narrow && frame_plan_for<narrow>(work.image.size.height, work.image.size.width, plan) ? call(narrow())
                                                                                                      : call(wide());
}

/// The plan of a job that is better done in one kernel; false for others. A label image is written faster by all
/// processors than by a few, whatever they wait for each other; so is one of large frames with 4 neighbours, whose
/// components are most and do not fit shared memory (1024²: tiles 38 to 72 µs for noise, one kernel 64 to 104).
template <class Shape>
bool plan_small_frame(const cuda::label_job& work, frame_plan& plan) {
  if (!work.one_kernel || work.image.size.depth != 1 || selects(work.selection) || work.moments || work.intensities ||
      work.real_intensities || work.runs || work.run_offsets ||
      (work.labels.data && work.numbering != cuda::numbering::consecutive) ||
      !frame_plan_for<Shape>(work.image.size.height, work.image.size.width, plan))
    return false;
  constexpr i64 large = i64{1} << 19;
  if (work.labels.data != nullptr &&
      (plan.blocks < frame_most_blocks || (Shape::connectivity == 4 && work.image.size.pixels() > large)))
    return false;
  plan.words_in_device = work.rows != nullptr ? sizeof(frame_record) / sizeof(u32) : 2;
  return true;
}

template <class Shape>
bool takes_small_frame(const cuda::label_job& work, int device) {
  if constexpr (Shape::rank == 2) {
    return with_frame_shape<Shape>(work, [&]<class Frame>(Frame) {
      frame_plan plan;
      return plan_small_frame<Frame>(work, plan) &&
             (work.rows ? frame_runs<Frame, true>(device) : frame_runs<Frame, false>(device));
    });
  }
  return false;
}

template <class Shape>
u32* lay_out_small_frame(pieces& scratch, const cuda::label_job& work) {
  u32* more = nullptr;
  if constexpr (Shape::rank == 2)
    with_frame_shape<Shape>(work, [&]<class Frame>(Frame) {
      if (frame_plan plan; plan_small_frame<Frame>(work, plan))
        scratch.take(more, u64{plan.blocks} * plan.overflow * plan.words_in_device);
    });
  return more;
}

/// Of a job that takes_small_frame().
template <class Shape, class Source>
void label_small_frame(const cuda::label_job& work, const Source& from, pieces scratch, cudaStream_t stream,
                       int device) {
  if constexpr (Shape::rank == 2) {
    with_frame_shape<Shape>(work, [&]<class Frame>(Frame) {
      frame_plan plan;
      plan_small_frame<Frame>(work, plan);
      u32* const more = lay_out_small_frame<Shape>(scratch, work);
      frame_source source = frame_source::of(from);
      place_in_frame<Frame>(source, plan);
      const frame_target target = frame_target::of(work);
      if (work.rows != nullptr)
        launch_frame<Frame, true>(plan, source, target, more, work.early_launch, stream, device);
      else launch_frame<Frame, false>(plan, source, target, more, work.early_launch, stream, device);
    });
  }
}

}  // namespace skerry::label_stages::on_device
