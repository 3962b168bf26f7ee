// SPDX-License-Identifier: Apache-2.0
// Stage 4, CUDA: enqueues the kernels that drop components and number those that stay.
#pragma once
#include <bit>

#include "label/cuda/launch.cuh"
#include "label/cuda/resolve/kernel.cuh"
#include "label/cuda/resolve/select.cuh"

namespace skerry::label_stages::on_device {

/// Running sums of `count` over the units of each frame to `rank`, and over frames to `offset`.
template <class Count, class Shape>
void number(const launch<Shape>& on, const Count& count, u32* rank, u64* offset) {
  static resident_blocks known;
  const u64 useful = (on.grid.units + 4095) / 4096;
  const u64 blocks = std::min<u64>({useful, known.of(number_kernel<Count>, on.device), most_blocks});
  check_cuda(launch_together(static_cast<u32>(blocks), on.stream, number_kernel<Count>, on.grid.units,
                             units_of_frame<Shape>(on.grid), count, rank, offset, on.tables.labels.block_total),
             "resolve");
}

/// Finds the smallest area that stays by digits of eight bits, from the highest; of equal ones the first components stay.
template <class Shape>
void keep_largest(const launch<Shape>& on, u32 blocks) {
  const select_tables& t = on.tables.select;
  const label_tables& labels = on.tables.labels;
  check_cuda(cudaMemsetAsync(t.histogram, 0, u64{on.frames()} * 256 * sizeof(u32), on.stream), "resolve");
  check_cuda(cudaMemsetAsync(t.tie_bits, 0, on.grid.units * tile_words * sizeof(u32), on.stream), "resolve");
  begin_search_kernel<<<(on.frames() + select_threads - 1) / select_threads, select_threads, 0, on.stream>>>(
      t.search, on.frames(), on.work.selection.largest);
  const u64 most = static_cast<u64>(on.work.image.size.pixels()) / on.frames();
  for (int shift = (std::bit_width(most) - 1) / 8 * 8; shift >= 0; shift -= 8) {
    count_digits_kernel<Shape><<<blocks, select_threads, 0, on.stream>>>(on.grid, labels, t, shift);
    choose_digit_kernel<<<on.frames(), select_threads, 0, on.stream>>>(t);
  }
  drop_smaller_kernel<Shape><<<blocks, select_threads, 0, on.stream>>>(on.grid, labels, t);
  number(on, bit_counts{t.tie_bits}, t.tie_rank, t.tie_offset);
  const auto unit_blocks = static_cast<u32>((on.grid.units + select_threads - 1) / select_threads);
  drop_ties_kernel<<<unit_blocks, select_threads, 0, on.stream>>>(on.grid.units, units_of_frame<Shape>(on.grid), labels,
                                                                  t);
}

/// Drops what the job does not keep, and numbers the rest.
template <class Shape>
void select(const launch<Shape>& on) {
  const selection& keep = on.work.selection;
  const label_tables& t = on.tables.labels;
  const u32 blocks = (on.grid.tiles + select_tiles - 1) / select_tiles;
  select_by_size_kernel<Shape>
      <<<blocks, select_threads, 0, on.stream>>>(on.grid, t, {keep.min_area, keep.max_area, keep.clear_border});
  if (keep.largest != 0) keep_largest(on, blocks);
  check_cuda(cudaGetLastError(), "resolve");
  number(on, bit_counts{t.root_bits}, t.root_rank, t.offset);
}

}  // namespace skerry::label_stages::on_device
