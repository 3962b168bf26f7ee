// SPDX-License-Identifier: Apache-2.0
// Stage 4, CUDA: enqueues the kernels that drop components and number those that stay.
#pragma once
#include <bit>

#include "label/cuda/launch.cuh"
#include "label/cuda/resolve/drop_border.cuh"
#include "label/cuda/resolve/kernel.cuh"
#include "label/cuda/resolve/select.cuh"

namespace skerry::label_stages::on_device {

/// The units of an image, to be counted in raster order.
struct unit_list {
  u64 units, of_frame;
  u32 frames;
  u32* block_total;
  cudaStream_t stream;
  int device;

  template <class Shape>
  static unit_list of(const launch<Shape>& on) {
    return {on.grid.units, units_of_frame<Shape>(on.grid), on.frames(), on.tables.labels.block_total, on.stream,
            on.device};
  }
  /// Running sums of `count` over the units of each frame to `rank`, and over frames to `offset`.
  template <class Count>
  void number(const Count& count, u32* rank, u64* offset) const {
    static resident_blocks known;
    const u64 blocks = std::min<u64>({(units + 4095) / 4096, known.of(number_kernel<Count>, device), most_blocks});
    check_cuda(launch_together(static_cast<u32>(blocks), stream, number_kernel<Count>, units, of_frame, count, rank,
                               offset, block_total),
               "resolve");
  }
};

/// Keeps the `largest` components of each frame: finds the smallest area that stays by digits of eight bits, from the highest; of
/// equal ones the first components stay.
struct largest_search {
  const unit_list& on;
  const select_tables& t;
  u32* root_bits;
  u64 largest, most_area;

  /// `count_digits(shift)` counts areas by a digit; `drop_smaller()` drops the components that are smaller than what was found, and
  /// marks equal ones.
  template <class CountDigits, class DropSmaller>
  void run(const CountDigits& count_digits, const DropSmaller& drop_smaller) const {
    const auto blocks_for = [](u64 count) { return static_cast<u32>((count + select_threads - 1) / select_threads); };
    check_cuda(cudaMemsetAsync(t.histogram, 0, u64{on.frames} * 256 * sizeof(u32), on.stream), "resolve");
    begin_search_kernel<<<blocks_for(on.frames), select_threads, 0, on.stream>>>(t.search, on.frames, largest);
    for (int shift = (std::bit_width(most_area) - 1) / 8 * 8; shift >= 0; shift -= 8) {
      count_digits(static_cast<u32>(shift));
      choose_digit_kernel<<<on.frames, select_threads, 0, on.stream>>>(t);
    }
    drop_smaller();
    check_cuda(cudaGetLastError(), "resolve");
    on.number(bit_counts{t.tie_bits}, t.tie_rank, t.tie_offset);
    drop_ties_kernel<<<blocks_for(on.units), select_threads, 0, on.stream>>>(on.units, on.of_frame, root_bits, t);
    check_cuda(cudaGetLastError(), "resolve");
  }
};

/// Drops what touches the border; ranks are not counted.
template <class Shape>
void drop_border(const launch<Shape>& on) {
  const u32 blocks = std::min(border_tiles<Shape>::of(on.grid).count(on.grid), drop_border_blocks);
  drop_border_kernel<Shape><<<blocks, Shape::group_words, 0, on.stream>>>(on.grid, on.tables.labels);
  check_cuda(cudaGetLastError(), "resolve");
}

/// Drops what the job does not keep, and numbers the rest.
template <class Shape>
void select(const launch<Shape>& on) {
  const selection& keep = on.work.selection;
  const label_tables& t = on.tables.labels;
  const u32 blocks = (on.grid.tiles + select_tiles - 1) / select_tiles;
  if (selects_by_border_alone(keep)) drop_border(on);
  else
    select_by_size_kernel<Shape>
        <<<blocks, select_threads, 0, on.stream>>>(on.grid, t, {keep.min_area, keep.max_area, keep.clear_border});
  const unit_list units = unit_list::of(on);
  const select_tables& s = on.tables.select;
  if (keep.largest != 0)
    largest_search{units, s, t.root_bits, keep.largest, static_cast<u64>(on.work.image.size.pixels()) / on.frames()}
        .run(
            [&](u32 shift) {
              count_digits_kernel<Shape><<<blocks, select_threads, 0, on.stream>>>(on.grid, t, s, shift);
            },
            [&] {
              check_cuda(cudaMemsetAsync(s.tie_bits, 0, on.grid.units * tile_words * sizeof(u32), on.stream),
                         "resolve");
              drop_smaller_kernel<Shape><<<blocks, select_threads, 0, on.stream>>>(on.grid, t, s);
            });
  check_cuda(cudaGetLastError(), "resolve");
  units.number(bit_counts{t.root_bits}, t.root_rank, t.offset);
}

}  // namespace skerry::label_stages::on_device
