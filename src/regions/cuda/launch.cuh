// SPDX-License-Identifier: Apache-2.0
// The kernels of given label images, launched: where their tables lie in scratch memory, and in which order they run.
#pragma once
#include <algorithm>

#include "core/label_type.hpp"
#include "engine/cuda/device_memory.cuh"
#include "regions/cuda/measure.cuh"
#include "regions/cuda/measure_reals.cuh"
#include "regions/cuda/patterns.cuh"

namespace skerry::regions::on_device {

// A label image and its background, as kernels have them.
struct region_launch {
  image_view labels;
  background rule;
  label_numbers numbers;
  number_counts* counts;
  cudaStream_t stream;

  // Calls work(background test) for the unsigned type of the labels' size.
  template <class Work>
  void with_labels(Work work) const {
    with_label_type(labels.type, [&]<class Label>(label_type<Label>) { work(background_test<Label>(rule).of_bits()); });
  }
  [[nodiscard]] label_source source() const { return label_source::of(labels); }
  [[nodiscard]] tile_grid grid() const { return tile_grid::of(labels.size); }
};

inline constexpr unsigned list_blocks = 1024, list_threads = 256;

// ---- numbers ------------------------------------------------------------------------------------------------------

// Keys that are dense: all of narrow types, and of others those of labels from 0 on, of which there is room for twice the
// pixels.
[[nodiscard]] inline dense_numbers dense_keys(const image_view& labels) {
  constexpr u64 least = u64{1} << 24, most = u64{1} << 31, of_block = 32 * dense_numbers::words_of_block;
  dense_numbers numbers{};
  if (size_of(labels.type) > 2) {
    numbers.begin = key_order::of(labels.type).key_of(0);
    numbers.keys = std::clamp(2 * static_cast<u64>(labels.size.pixels()), least, most);
  } else {
    numbers.keys = u64{1} << 8 * size_of(labels.type);
  }
  numbers.keys = (numbers.keys + of_block - 1) / of_block * of_block;
  return numbers;
}

// Of all pixels.
inline void find_labels(const region_launch& on) {
  on.with_labels([&]<class Label>(const background_test<Label>& test) {
    find_labels_kernel<Label>
        <<<on.grid().blocks(), tile_threads, 0, on.stream>>>(on.source(), on.grid(), test, on.numbers, on.counts);
  });
  check_cuda(cudaGetLastError(), "local");
}

// Labels that find(), which launches kernels, adds to the numbers of `on`.
template <class Find>
void number_dense(const region_launch& on, Find find) {
  const dense_numbers& numbers = on.numbers.dense;
  check_cuda(cudaMemsetAsync(on.counts, 0, sizeof(number_counts), on.stream), "local");
  check_cuda(cudaMemsetAsync(numbers.bits, 0, numbers.keys / 8, on.stream), "local");
  find();
  number_marks(numbers, on.counts, on.stream);
}

// Sorts by the lower halves of keys, and those of 64 bits by the upper halves next.
inline void sort_slots(const region_launch& on) {
  const sparse_numbers& numbers = on.numbers.sparse;
  constexpr u32 digits = 4;
  pieces memory(numbers.sort_memory);
  const sort_tables tables(memory, numbers.most_rows());
  const auto from = [&](u32 side) { return pairs_in_memory<u32>{numbers.key_words[side], numbers.listed[side]}; };
  const auto to = [&](u32 side) { return pairs_to_memory<u32>{numbers.key_words[side], numbers.listed[side], 0}; };
  const auto sort = [&](const auto& first) {
    digit_sort sorted(tables, numbers.most_rows(), digits, on.stream);
    check_cuda(sorted.count(first), "resolve");
    check_cuda(sorted.pass(first, to(1), 0), "resolve");
    for (u32 digit = 1; digit < digits; ++digit)
      check_cuda(sorted.pass(from(digit % 2), to(1 - digit % 2), digit * digit_bits), "resolve");
  };
  sort(from(0));
  if (size_of(on.labels.type) == 8) sort(upper_halves{numbers});
}

template <class Find>
void number_sparse(const region_launch& on, Find find) {
  const sparse_numbers& numbers = on.numbers.sparse;
  check_cuda(cudaMemsetAsync(numbers.keys, 0, (u64{numbers.slots} + 1) * sizeof(u64), on.stream), "local");
  check_cuda(cudaMemsetAsync(numbers.rows, 0xff, (u64{numbers.slots} + 1) * sizeof(u32), on.stream), "local");
  for (u32* const list : {numbers.key_words[0], numbers.listed[0]})
    check_cuda(cudaMemsetAsync(list, 0xff, u64{numbers.most_rows()} * sizeof(u32), on.stream), "local");
  check_cuda(cudaMemsetAsync(on.counts, 0, sizeof(number_counts), on.stream), "local");
  find();
  list_slots_kernel<<<list_blocks, list_threads, 0, on.stream>>>(numbers, on.counts);
  check_cuda(cudaGetLastError(), "resolve");
  sort_slots(on);
  number_slots_kernel<<<list_blocks, list_threads, 0, on.stream>>>(numbers, on.counts);
  check_cuda(cudaGetLastError(), "resolve");
}

// The label of each row, of `rows` that there are.
inline void write_labels(const region_launch& on, label_bits* labels, u64 rows) {
  const label_numbers& numbers = on.numbers;
  if (numbers.is_dense)
    write_dense_labels_kernel<<<list_blocks, list_threads, 0, on.stream>>>(numbers.dense, numbers.order, labels, rows);
  else
    write_sparse_labels_kernel<<<list_blocks, list_threads, 0, on.stream>>>(numbers.sparse, numbers.order, labels,
                                                                            rows);
  check_cuda(cudaGetLastError(), "measure");
}

// ---- rows ---------------------------------------------------------------------------------------------------------

template <class Row>
void empty_rows(const region_launch& on, Row* rows, u64 count, const Row& nothing = {}) {
  if (rows == nullptr) return;
  empty_region_rows_kernel<<<list_blocks, list_threads, 0, on.stream>>>(rows, count, nothing);
  check_cuda(cudaGetLastError(), "measure");
}

// Geometry, and what else has rows; `intensities` is an image of integers, or without data.
inline void measure_rows(const region_launch& on, const image_view& intensities, const region_rows& to) {
  empty_rows(on, to.components, to.capacity, empty_geometry(on.labels.size.rank));
  empty_rows(on, to.moments, to.capacity);
  empty_rows(on, to.intensities, to.capacity);
  const bool is_all = to.moments != nullptr || to.intensities != nullptr;
  const moved_intensities read = moved_intensities::of(intensities);
  on.with_labels([&]<class Label>(const background_test<Label>& test) {
    constexpr auto geometry_only = measure_regions_kernel<Label, word::words_of_geometry>;
    constexpr auto all = measure_regions_kernel<Label, word::words_of_all>;
    const auto kernel = is_all ? all : geometry_only;
    kernel<<<on.grid().blocks(), tile_threads, 0, on.stream>>>(on.source(), on.grid(), test, on.numbers, read, to);
  });
  check_cuda(cudaGetLastError(), "measure");
}

// Geometry and patterns, of a plane.
inline void measure_patterns(const region_launch& on, const region_rows& to, plane_patterns* patterns) {
  empty_rows(on, to.components, to.capacity, empty_geometry(2));
  empty_rows(on, patterns, to.capacity);
  const overlapping_tiles tiles = overlapping_tiles::of(on.labels.size);
  on.with_labels([&]<class Label>(const background_test<Label>& test) {
    measure_patterns_kernel<Label>
        <<<tiles.grid.blocks(), tile_threads, 0, on.stream>>>(on.source(), tiles, test, on.numbers, to, patterns);
  });
  check_cuda(cudaGetLastError(), "measure");
}

inline void measure_reals(const region_launch& on, const image_view& intensities, real_intensity* rows, u64 count) {
  empty_rows(on, rows, count);
  const real_work work{
      on.numbers, {static_cast<const char*>(intensities.data), intensities.strides, intensities.type}, rows, count};
  on.with_labels([&]<class Label>(const background_test<Label>& test) {
    const u32 blocks = on.grid().blocks();
    find_ranges_kernel<Label><<<blocks, tile_threads, 0, on.stream>>>(on.source(), on.grid(), test, work);
    constexpr auto narrow = add_digits_kernel<Label, true>, wide = add_digits_kernel<Label, false>;
    const auto kernel = size_of(intensities.type) <= 4 ? narrow : wide;
    kernel<<<blocks, tile_threads, 0, on.stream>>>(on.source(), on.grid(), test, work);
  });
  check_cuda(cudaGetLastError(), "measure");
}

}  // namespace skerry::regions::on_device
