// SPDX-License-Identifier: Apache-2.0
#include "regions/cuda/on_cuda.hpp"

#include <optional>
#include <string>

#include "engine/cuda/host_images.cuh"
#include "engine/cuda/stage_marks.cuh"
#include "regions/cuda/launch.cuh"

namespace skerry::regions {
namespace {

using namespace on_device;  // NOLINT: this is their driver

// What the CUDA engine keeps from call to call.
struct region_scratch final : job_scratch {
  cuda_stream stream;
  device_memory labels, intensity_image, counts, numbers, row_labels, rows, moments, intensities;
  buffer<std::byte> packed;  // an image of the host on its way
  u32 slots = 1 << 20;       // of the largest hash table so far

  [[nodiscard]] std::size_t bytes() const override {
    std::size_t sum = packed.bytes();
    for (const device_memory* held :
         {&labels, &intensity_image, &counts, &numbers, &row_labels, &rows, &moments, &intensities})
      sum += held->bytes();
    return sum;
  }
};

region_scratch& scratch_in(std::unique_ptr<job_scratch>& slot) {
  if (slot == nullptr) slot = std::make_unique<region_scratch>();
  return static_cast<region_scratch&>(*slot);
}

template <class Numbers>
void lay_out(region_scratch& scratch, Numbers& numbers) {
  pieces counted(nullptr);
  numbers.lay_out(counted);
  scratch.numbers.reserve(counted.used(), "the numbers of labels");
  pieces memory(scratch.numbers.data());
  numbers.lay_out(memory);
}

number_counts counted(const region_launch& on) {
  number_counts counts{};
  check_cuda(cudaMemcpyAsync(&counts, on.counts, sizeof counts, cudaMemcpyDeviceToHost, on.stream), "resolve");
  check_cuda(cudaStreamSynchronize(on.stream), "resolve");
  return counts;
}

// Numbers the labels, and returns how many there are. Labels that are not dense go to a hash table, which grows until they fit.
u64 number_labels(region_launch& on, region_scratch& scratch) {
  label_numbers& numbers = on.numbers;
  numbers.order = key_order::of(on.labels.type);
  numbers.is_dense = true;
  numbers.dense = dense_keys(on.labels);
  lay_out(scratch, numbers.dense);
  number_dense(on);
  number_counts counts = counted(on);
  if (counts.beyond == 0) return counts.rows;
  constexpr u32 most_slots = u32{1} << 30;
  numbers.is_dense = false;
  for (;; scratch.slots *= 4) {
    numbers.sparse = {};
    numbers.sparse.slots = scratch.slots;
    lay_out(scratch, numbers.sparse);
    number_sparse(on);
    counts = counted(on);
    if (counts.beyond == 0) return counts.rows;
    if (scratch.slots == most_slots)
      throw invalid_argument("labels: more different ones than the cuda engine can number; use engine::cpu()");
  }
}

template <class Row>
Row* room_for(device_memory& memory, u64 rows, const char* what) {
  memory.reserve(rows * sizeof(Row), what);
  return static_cast<Row*>(memory.data());
}

template <class Row, class List>
void download(const device_memory& from, u64 count, cudaStream_t stream, List& to) {
  to.resize(count);
  check_cuda(cudaMemcpyAsync(to.data(), from.data(), count * sizeof(Row), cudaMemcpyDeviceToHost, stream), "measure");
  check_cuda(cudaStreamSynchronize(stream), "measure");
}

void measure(const region_launch& on, region_scratch& scratch, const region_request& asked, u64 count) {
  const bool has_image = asked.features.intensity.data != nullptr;
  const bool reals = has_image && sums_reals(asked.features.intensity.type);
  region_rows rows{};
  rows.capacity = count;
  rows.is_volume = asked.labels.size.rank == 3;
  rows.components = room_for<geometry>(scratch.rows, count, "the table");
  if (asked.features.moments) rows.moments = room_for<second_moments>(scratch.moments, count, "the table's moments");
  if (has_image && !reals)
    rows.intensities = room_for<intensity>(scratch.intensities, count, "the table's intensities");
  image_view image;
  if (has_image)
    image = skerry::on_device(asked.features.intensity, on.stream, scratch.intensity_image, scratch.packed,
                              "the intensity image");
  write_labels(on, room_for<label_bits>(scratch.row_labels, count, "the table's labels"), count);
  measure_rows(on, reals ? image_view() : image, rows);
  if (reals)
    measure_reals(on, image, room_for<real_intensity>(scratch.intensities, count, "the table's intensities"), count);
}

}  // namespace

bool is_on_device(const image_view& image) { return image.data != nullptr && is_device_memory(image.data); }

void measure_on_cuda(engine::state& on, const region_request& asked, region_table& table) {
  const current_device here(on.device);
  region_scratch& scratch = scratch_in(on.region_scratch);
  region_launch work{};
  work.stream = scratch.stream;
  work.labels = skerry::on_device(asked.labels, work.stream, scratch.labels, scratch.packed, "the label image");
  work.rule = asked.background;
  work.counts = room_for<number_counts>(scratch.counts, 1, "the counts");
  std::optional<stage_marks> marks;
  if (on.clock.on()) marks.emplace(work.stream);
  if (marks) marks->end_of_previous(stage::local);
  const u64 count = number_labels(work, scratch);
  if (marks) marks->end_of_previous(stage::measure);
  if (count != 0) measure(work, scratch, asked, count);
  if (marks) marks->finish(on.clock);
  const measure_options& features = asked.features;
  if (count == 0) return;
  download<label_bits>(scratch.row_labels, count, work.stream, table.labels);
  download<geometry>(scratch.rows, count, work.stream, table.features.components);
  if (features.moments) download<second_moments>(scratch.moments, count, work.stream, table.features.moments);
  if (features.intensity.data == nullptr) return;
  if (sums_reals(features.intensity.type))
    download<real_intensity>(scratch.intensities, count, work.stream, table.features.real_intensities);
  else download<intensity>(scratch.intensities, count, work.stream, table.features.intensities);
}

}  // namespace skerry::regions
