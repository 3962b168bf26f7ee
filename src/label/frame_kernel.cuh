// SPDX-License-Identifier: Apache-2.0
// One small frame at once, CUDA: all six stages in one kernel of one cluster. See frame_shape.cuh.
#pragma once
#include "label/frame_emit.cuh"

namespace skerry::label_stages::on_device {

/// Waits for all blocks, and sees what they have written; a frame of one block needs no cluster.
__device__ inline void sync_frame(const frame_plan& plan) {
  if (plan.blocks == 1) return __syncthreads();
  arrive_at_cluster();
  wait_for_cluster();
}

template <class Shape, bool Features>
__global__ __launch_bounds__(frame_most_threads, 1) void frame_kernel(const __grid_constant__ frame_plan plan,
                                                                      const __grid_constant__ frame_source source,
                                                                      const __grid_constant__ frame_target target,
                                                                      u32* more) {
  extern __shared__ __align__(16) char raw[];
  __shared__ frame_counters counters;
  frame_memory<Shape> memory;
  frame_memory<Shape>::lay_out(raw, plan.threads, plan.columns, memory);
  const bool alone = plan.blocks == 1;
  if (!alone) arrive_at_cluster();  // nobody writes to a block that does not run yet
  frame_block<Shape> block(plan, memory);
  const frame_sums<Shape> sums{memory.sums, frame_capacity<Shape>(plan.threads), more, plan.overflow, block.rank};
  if (block.thread == 0) counters.slots = counters.roots = 0;
  reinterpret_cast<u64*>(memory.first_bits)[block.thread] = 0;
  sums.template clear<Features>(block.thread);

  load_frame<Shape>(source, plan, static_cast<i32>(block.rank * plan.groups * Shape::group_rows),
                    reinterpret_cast<u32*>(memory.bits), memory.parent);
  __syncthreads();
  block.link();
  __syncthreads();
  block.shorten_links();
  __syncthreads();
  block.unite();
  if (!alone) wait_for_cluster();
  __syncthreads();

  frame_components<Shape, Features> components(block, sums, counters);
  components.begin();
  components.flatten();
  if (!alone) block.show_edges();
  sync_frame(plan);
  if (!alone) components.unite_across();
  components.sum_pieces();
  sync_frame(plan);
  components.join_across();
  __syncthreads();
  if (!alone) {
    components.show_roots();
    sync_frame(plan);
  } else {
    if (block.thread == 0) counters.roots_of[0] = counters.roots;
  }

  const frame_emitter<Shape, Features> emitter(components, target);
  emitter.mark_first_pixels();
  __syncthreads();
  emitter.count_in_warps();
  __syncthreads();
  emitter.count_in_block();
  __syncthreads();
  u32 all = 0;
  const u32 before = emitter.roots_before(all);
  emitter.write_offsets(all);
  emitter.number_components(before);
  if (target.labels == nullptr) return;
  sync_frame(plan);
  emitter.label_others();
  sync_frame(plan);
  emitter.write_labels();
}

}  // namespace skerry::label_stages::on_device
