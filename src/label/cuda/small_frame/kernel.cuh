// SPDX-License-Identifier: Apache-2.0
// One small frame at once, CUDA: all six stages in one kernel of one cluster. See shape.cuh.
#pragma once
#include "engine/cuda/early_launch.cuh"
#include "label/cuda/small_frame/emit.cuh"

namespace skerry::label_stages::on_device {

/// Waits for all blocks, and sees what they have written; a frame of one block needs no cluster.
__device__ inline void sync_frame(bool alone) {
  if (alone) return __syncthreads();
  arrive_at_cluster();
  wait_for_cluster();
}

template <class Shape, bool Features>
__global__ __launch_bounds__(frame_most_threads, 1) void frame_kernel(const __grid_constant__ frame_plan plan,
                                                                      const __grid_constant__ frame_source source,
                                                                      const __grid_constant__ frame_target target,
                                                                      u32* more) {
  extern __shared__ __align__(16) char frame_bytes[];
  __shared__ frame_counters counters;
  frame_memory<Shape> memory;
  frame_memory<Shape>::lay_out(frame_bytes, plan, memory);
  const bool alone = plan.blocks == 1;
  if (!alone) start_in_cluster();  // nobody writes to a block that does not run yet
  frame_block<Shape> block(plan, memory);
  const frame_records records{memory.records, plan.capacity, more, plan.overflow, plan.words_in_device, block.rank};
  frame_components<Shape, Features> components(block, records, counters);

  wait_for_stream();
  let_next_launch();
  word_in_flight<Shape> pixels;
  if (source.whole) pixels.fetch(source, plan.height, components.y, components.x, block.inside);
  if (block.thread == 0) counters.slots = counters.roots = 0;
  reinterpret_cast<u64*>(memory.first_bits)[block.thread] = 0;
  records.clear(block.thread);
  if (!source.whole) {
    load_frame<Shape>(source, plan, static_cast<i32>(block.rank * plan.groups * Shape::group_rows),
                      reinterpret_cast<u32*>(memory.bits), memory.parent);
  } else if (block.inside) {
    pixels.store(source, plan.height, components.y, block.bits_of_own(), plan.columns);
  }
  __syncthreads();
  block.link();
  __syncthreads();
  block.shorten_links();
  __syncthreads();
  block.unite();
  if (!alone) wait_for_cluster();
  __syncthreads();

  components.begin();
  components.flatten();
  if (!alone) block.show_edges();
  sync_frame(alone);
  if (!alone) components.unite_across();
  components.sum_pieces();
  sync_frame(alone);
  if (!alone) components.join_across();
  __syncthreads();
  components.show_roots();
  if (!alone) arrive_at_cluster();

  // Roots of this block have their first pixels now: what other blocks still join to them comes later in the frame.
  const frame_emitter<Shape, Features> emitter(components, target);
  emitter.mark_first_pixels();
  __syncthreads();
  emitter.count_bits_before();
  if (!alone) wait_for_cluster();
  __syncthreads();
  u32 all = 0;
  const u32 before = emitter.roots_before(all);
  emitter.write_counts(all);
  emitter.number_components(before);
  if (!target.wants_labels()) return;
  sync_frame(alone);
  emitter.label_others();
  sync_frame(alone);
  if (target.labels != nullptr) emitter.write_labels();
  if (target.packed.bits != nullptr) emitter.write_packed();
}

}  // namespace skerry::label_stages::on_device
