// SPDX-License-Identifier: Apache-2.0
// What columns need beside the tables of regions, and beside runs (runs_on_cuda.cu).
#include "regions/cuda/on_cuda.hpp"
#include "regions/cuda/powers.cuh"
#include "regions/cuda/scratch.cuh"
#include "regions/cuda/volume_patterns.cuh"

namespace skerry::regions {

using namespace on_device;  // NOLINT: this is their driver

std::vector<volume_patterns> count_volume_patterns_on_cuda(engine::state& on, const image_view& labels,
                                                           const background& rule) {
  const current_device here(on.device);
  region_scratch& scratch = scratch_in(on.region_scratch);
  region_launch work = launch_of(scratch, labels, rule);
  const u64 count = number_labels(work, scratch);
  std::vector<volume_patterns> found;
  if (count == 0) return found;
  const window_rows rows{work.numbers, room_for<volume_patterns>(scratch.patterns, count, "the table's patterns")};
  check_cuda(cudaMemsetAsync(rows.rows, 0, count * sizeof(volume_patterns), work.stream), "measure");
  const window_grid grid = window_grid::of(labels.size);
  work.with_labels([&]<class Label>(const background_test<Label>& test) {
    count_volume_patterns_kernel<Label>
        <<<grid.blocks(), window_threads, 0, work.stream>>>(work.source(), labels.size.depth, grid, test, rows);
  });
  check_cuda(cudaGetLastError(), "measure");
  download(scratch.patterns, count, work.stream, found);
  return found;
}

void add_powers_on_cuda(engine::state& on, const power_request& asked, std::vector<u64>& sums) {
  const current_device here(on.device);
  region_scratch& scratch = scratch_in(on.region_scratch);
  region_launch work = launch_of(scratch, asked.labels, asked.rule);
  number_labels(work, scratch);
  const u64 rows = asked.anchors.size(), words = rows * asked.sums() * words_of_sum;
  sums.clear();
  if (rows == 0) return;
  const image_view weights =
      asked.weights.data == nullptr
          ? image_view()
          : skerry::on_device(asked.weights, work.stream, scratch.intensity_image, scratch.packed, "intensity");
  auto* const anchors = room_for<sums_anchor>(scratch.moments, rows, "the corners of regions");
  check_cuda(
      cudaMemcpyAsync(anchors, asked.anchors.data(), asked.anchors.size_bytes(), cudaMemcpyHostToDevice, work.stream),
      "measure");
  auto* const to = room_for<u64>(scratch.rows, words, "the sums of powers");
  check_cuda(cudaMemsetAsync(to, 0, words * sizeof(u64), work.stream), "measure");
  const power_work powers{work.numbers,
                          {static_cast<const char*>(weights.data), weights.strides, weights.type},
                          anchors,
                          to,
                          rows,
                          static_cast<u32>(asked.rank),
                          digits_of_weight(asked.weight_bits),
                          asked.has_halves()};
  work.with_labels([&]<class Label>(const background_test<Label>& test) {
    add_powers_kernel<Label>
        <<<work.grid().blocks(), tile_threads, 0, work.stream>>>(work.source(), work.grid(), test, powers);
  });
  check_cuda(cudaGetLastError(), "measure");
  download(scratch.rows, words, work.stream, sums);
}

}  // namespace skerry::regions
