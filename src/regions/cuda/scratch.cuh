// SPDX-License-Identifier: Apache-2.0
// What blocking calls on given label images share: memory that they keep, and the numbers of all labels.
#pragma once
#include <string>

#include "engine/cpu/new_memory.hpp"
#include "engine/cuda/copy_to_host.cuh"
#include "engine/cuda/host_images.cuh"
#include "engine/engine_state.hpp"
#include "regions/cuda/launch.cuh"
#include "regions/cuda/small_image.hpp"

namespace skerry::regions::on_device {

// What the CUDA engine keeps from call to call.
struct region_scratch final : job_scratch {
  cuda_stream stream;
  device_memory labels, intensity_image, counts, numbers, row_labels, rows, moments, intensities, patterns, places, out;
  buffer<std::byte> packed;  // an image of the host on its way, or one that goes there
  pinned_memory arrived;     // tables of few rows, with their number
  copy_scratch copies;
  small_scratch small;
  u64 regions = 0;      // in the last call
  u32 slots = 1 << 20;  // of the largest hash table so far

  [[nodiscard]] std::size_t bytes() const override {
    std::size_t sum = packed.bytes() + arrived.bytes() + copies.bytes() + small.bytes();
    for (const device_memory* held : {&labels, &intensity_image, &counts, &numbers, &row_labels, &rows, &moments,
                                      &intensities, &patterns, &places, &out})
      sum += held->bytes();
    return sum;
  }
};

inline region_scratch& scratch_in(std::unique_ptr<job_scratch>& slot) {
  if (slot == nullptr) slot = std::make_unique<region_scratch>();
  return static_cast<region_scratch&>(*slot);
}

// Calls lay(pieces) twice: once to count bytes, once to deal out `memory`, which is reserved in between. Returns the bytes.
template <class Lay>
std::size_t lay_out_in(device_memory& memory, const char* what, Lay lay) {
  pieces counted(nullptr);
  lay(counted);
  memory.reserve(counted.used(), what);
  pieces dealt(memory.data());
  lay(dealt);
  return dealt.used();
}

template <class Numbers>
void lay_out(region_scratch& scratch, Numbers& numbers) {
  lay_out_in(scratch.numbers, "the numbers of labels", [&](pieces& memory) { numbers.lay_out(memory); });
}

inline number_counts counted(const region_launch& on) {
  number_counts counts{};
  check_cuda(cudaMemcpyAsync(&counts, on.counts, sizeof counts, cudaMemcpyDeviceToHost, on.stream), "resolve");
  check_cuda(cudaStreamSynchronize(on.stream), "resolve");
  return counts;
}

// Numbers labels that are dense, in the stream; the host does not know yet how many there are. find() adds the labels.
template <class Find>
void begin_numbers(region_launch& on, region_scratch& scratch, Find find) {
  label_numbers& numbers = on.numbers;
  numbers.order = key_order::of(on.labels.type);
  numbers.is_dense = true;
  numbers.dense = dense_keys(on.labels);
  lay_out(scratch, numbers.dense);
  number_dense(on, find);
}

// How many labels there are, when those that are dense are counted. Others go to a hash table, which grows until they fit.
template <class Find>
u64 number_others(region_launch& on, region_scratch& scratch, number_counts counts, Find find) {
  if (counts.beyond == 0) return counts.rows;
  label_numbers& numbers = on.numbers;
  constexpr u32 most_slots = u32{1} << 30;
  numbers.is_dense = false;
  for (;; scratch.slots *= 4) {
    numbers.sparse = {};
    numbers.sparse.slots = scratch.slots;
    lay_out(scratch, numbers.sparse);
    number_sparse(on, find);
    counts = counted(on);
    if (counts.beyond == 0) return counts.rows;
    if (scratch.slots == most_slots)
      throw invalid_argument("labels: more different ones than the cuda engine can number; use engine::cpu()");
  }
}

// Those of the image.
inline void begin_numbers(region_launch& on, region_scratch& scratch) {
  begin_numbers(on, scratch, [&] { find_labels(on); });
}
inline u64 number_others(region_launch& on, region_scratch& scratch, number_counts counts) {
  return number_others(on, scratch, counts, [&] { find_labels(on); });
}
inline u64 number_labels(region_launch& on, region_scratch& scratch) {
  begin_numbers(on, scratch);
  return number_others(on, scratch, counted(on));
}

template <class Row>
Row* room_for(device_memory& memory, u64 rows, const char* what) {
  memory.reserve(rows * sizeof(Row), what);
  return static_cast<Row*>(memory.data());
}

template <class List>
void download(const device_memory& from, u64 count, cudaStream_t stream, List& to) {
  using row = typename List::value_type;
  resize_in_large_pages(to, count);
  check_cuda(cudaMemcpyAsync(to.data(), from.data(), count * sizeof(row), cudaMemcpyDeviceToHost, stream), "measure");
  check_cuda(cudaStreamSynchronize(stream), "measure");
}

// The label image of a call, in device memory; its labels are not numbered yet.
inline region_launch launch_of(region_scratch& scratch, const image_view& labels, const background& rule) {
  region_launch work{};
  work.stream = scratch.stream;
  work.labels = skerry::on_device(labels, work.stream, scratch.labels, scratch.packed, "labels");
  work.rule = rule;
  work.counts = room_for<number_counts>(scratch.counts, 1, "the counts");
  return work;
}

}  // namespace skerry::regions::on_device
