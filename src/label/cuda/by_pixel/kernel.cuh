// SPDX-License-Identifier: Apache-2.0
// A small frame by its pixels, CUDA: all stages in one kernel. See memory.cuh.
#pragma once
#include "engine/cuda/together.cuh"
#include "engine/cuda/warp.cuh"
#include "label/cuda/by_pixel/borders.cuh"
#include "label/cuda/by_pixel/features.cuh"
#include "label/cuda/by_pixel/labels.cuh"

namespace skerry::label_stages::on_device {

/// Tiles that a processor runs at once, of one row for each warp: as many as it has threads for.
inline constexpr int pixel_blocks_at_once = threads_at_once / pixel_threads;

template <int Connectivity, int Rows, class Features, class Source, class Together>
__global__ __launch_bounds__(pixel_threads / Rows, pixel_blocks_at_once* Rows) void by_pixel_kernel(
    const __grid_constant__ pixel_grid grid, const __grid_constant__ Source source,
    const __grid_constant__ pixel_tables tables, const __grid_constant__ frame_target target,
    const cuda::numbering numbering) {
  __shared__ pixel_memory_with<Features> memory;
  const Together all;
  const bool by_place = !Features::wanted && numbering == cuda::numbering::first_pixel;
  pixel_block<Connectivity, Rows> block(grid, tables, memory);
  const auto with_features = [&](const auto& call) {
    if constexpr (Features::wanted) call(pixel_features<Connectivity, Rows>{block, memory.sums, target});
  };
  block.clear_counts();
  block.load(source);
  __syncthreads();
  block.solve();
  block.find_components();
  with_features([](const auto& features) { features.clear(); });
  block.tell(by_place);
  with_features([](const auto& features) { features.tell_count(); });
  auto told = all.arrive();
  with_features([](const auto& features) { features.sum(); });
  all.wait(std::move(told));
  block.count();
  pixel_borders<Connectivity, Rows>{block}.unite_all();
  with_features([](const auto& features) { features.clear_rows(); });
  const pixel_labels<Connectivity, Rows> labels{block, target};
  auto united = all.arrive_once(tables.united);
  const u32 ancestor = labels.ancestor_at_side();
  all.wait_once(tables.united, std::move(united));
  labels.name_components(ancestor, by_place);
  with_features([](const auto& features) { features.write(); });
  if (!Features::wanted || target.labels != nullptr) labels.write();
}

}  // namespace skerry::label_stages::on_device
