// SPDX-License-Identifier: Apache-2.0
// A frame whose tiles all run at once, CUDA: all stages in one kernel. See memory.cuh.
#pragma once
#include "engine/cuda/together.cuh"
#include "label/cuda/resident/borders.cuh"
#include "label/cuda/resident/features.cuh"
#include "label/cuda/resident/labels.cuh"

namespace skerry::label_stages::on_device {

template <class Shape>
inline constexpr int resident_blocks_at_once = Shape::group_words > 256 ? 1 : 4;

template <class Shape, class Source, class Features>
__global__ __launch_bounds__(Shape::group_words, resident_blocks_at_once<Shape>) void resident_kernel(
    const __grid_constant__ tiling grid, const __grid_constant__ Source source,
    const __grid_constant__ resident_tables tables, const __grid_constant__ frame_target target,
    const cuda::numbering numbering) {
  extern __shared__ __align__(16) unsigned char raw[];
  auto& memory = *reinterpret_cast<resident_memory<Shape, Features>*>(raw);
  const blocks_of_grid all;
  const label_tables none{};
  resident_block<Shape, Features> block(grid, none, tables, memory);
  const resident_borders<Shape, Features> borders{block};
  const resident_numbers<Shape, Features> numbers(block);
  block.clear_roots();  // and flags
  block.clear_answers();
  if (threadIdx.x == 0) memory.tile.numbered = memory.tile.numbered_alone = 0;
  source.template load<Shape>(grid, block.at, memory.tile.bits);
  __syncthreads();
  block.number_runs();
  __syncthreads();
  solve_runs(block);
  if constexpr (Features::wanted) block.number_components();
  else block.number_border();
  __syncthreads();
  block.clear_roots();  // where the flags of runs were
  if constexpr (Shape::group_rows > 1) block.lower_first_pixels();
  __syncthreads();
  block.tell_borders();
  auto told = all.arrive();
  if constexpr (Features::wanted) {
    __syncthreads();
    resident_features<Shape>(numbers, target).sum_first();
  }
  all.wait(std::move(told));
  numbers.count();
  borders.unite();
  auto united = all.arrive();
  borders.climb();
  all.wait(std::move(united));
  const auto rows = numbers.load_rows();  // on their way while roots are found
  numbers.sum_bands();
  if constexpr (Features::wanted) memory.cache.clear();
  borders.find_roots();
  __syncthreads();
  if constexpr (Features::wanted) {
    const resident_features<Shape> features(numbers, target);
    features.give_to_roots(memory.cache);
    __syncthreads();
    memory.cache.flush(tables.features);
    auto given = all.arrive();
    numbers.count_before(rows, target);
    features.write_lone();
    features.write_inner();
    all.wait(std::move(given));
    features.write_border();
  } else {
    const bool by_place = numbering == cuda::numbering::first_pixel;
    if (!by_place || target.offsets != nullptr || target.overflow != nullptr) numbers.count_before(rows, target);
    const resident_labels<Shape> labels{block, numbers, target, by_place};
    labels.label_roots();
    __syncthreads();
    labels.label_others();
    __syncthreads();
    labels.write();
  }
}

}  // namespace skerry::label_stages::on_device
