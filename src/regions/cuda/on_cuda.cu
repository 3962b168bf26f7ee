// SPDX-License-Identifier: Apache-2.0
#include "regions/cuda/on_cuda.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "engine/cuda/stage_marks.cuh"
#include "regions/cuda/scratch.cuh"

namespace skerry::regions {
namespace {

using namespace on_device;  // NOLINT: this is their driver

void measure(const region_launch& on, region_scratch& scratch, const region_request& asked, u64 count,
             bool wants_patterns) {
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
    image =
        skerry::on_device(asked.features.intensity, on.stream, scratch.intensity_image, scratch.packed, "intensity");
  write_labels(on, room_for<label_bits>(scratch.row_labels, count, "the table's labels"), count);
  if (wants_patterns)
    measure_patterns(on, rows, room_for<plane_patterns>(scratch.patterns, count, "the table's patterns"));
  if (!wants_patterns || rows.moments != nullptr || rows.intensities != nullptr)  // which come with geometry, too
    measure_rows(on, reals ? image_view() : image, rows);
  if (reals)
    measure_reals(on, image, room_for<real_intensity>(scratch.intensities, count, "the table's intensities"), count);
}

// Where the tables of a call are, and where they go.
struct region_results {
  region_scratch& scratch;
  const region_request& asked;
  region_table& table;
  std::vector<plane_patterns>* patterns;

  // Whether they are geometry and nothing else.
  [[nodiscard]] bool are_geometry() const {
    return patterns == nullptr && !asked.features.moments && asked.features.intensity.data == nullptr &&
           asked.channels.empty();
  }
  // Calls visit(memory on the device, list on the host) for each.
  template <class Visit>
  void each(const Visit& visit) const {
    visit(scratch.row_labels, table.labels);
    visit(scratch.rows, table.features.components);
    if (patterns != nullptr) visit(scratch.patterns, *patterns);
    if (asked.features.moments) visit(scratch.moments, table.features.moments);
    if (asked.features.intensity.data == nullptr) return;
    if (sums_reals(asked.features.intensity.type)) visit(scratch.intensities, table.features.real_intensities);
    else visit(scratch.intensities, table.features.intensities);
  }
};

template <class List>
constexpr std::size_t row_bytes_of(const List&) {
  return sizeof(typename List::value_type);
}

// Copies of tables of `rows` rows in pinned memory, behind the counts; they have arrived when the stream is done.
void copy_to_pinned(const region_launch& on, const region_results& results, u64 rows) {
  pinned_memory& arrived = results.scratch.arrived;
  std::size_t bytes = sizeof(number_counts);
  results.each([&](const device_memory&, const auto& list) { bytes += rows * row_bytes_of(list); });
  arrived.reserve(bytes, "tables on their way");
  auto* to = static_cast<std::byte*>(arrived.data());
  const auto copy = [&](const void* from, std::size_t size) {
    check_cuda(cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost, on.stream), "measure");
    to += size;
  };
  copy(on.counts, sizeof(number_counts));
  results.each([&](const device_memory& from, const auto& list) { copy(from.data(), rows * row_bytes_of(list)); });
}

void take_from_pinned(const region_results& results, u64 copied, u64 rows) {
  const auto* from = static_cast<const std::byte*>(results.scratch.arrived.data()) + sizeof(number_counts);
  results.each([&](const device_memory&, auto& list) {
    list.resize(rows);
    if (rows != 0) std::memcpy(list.data(), from, rows * row_bytes_of(list));
    from += copied * row_bytes_of(list);
  });
}

void bring(engine::state& on, const region_launch& work, const region_results& results, u64 rows) {
  std::vector<list_to_host> lists;
  results.each([&](const device_memory& from, auto& list) { lists.push_back(room_for_list(list, from.data(), rows)); });
  copy_to_host(on, results.scratch.copies, lists, work.stream);
}

// Of the rows that are copied not all may get a label.
void clear_labels(const region_launch& on, region_scratch& scratch, u64 rows) {
  auto* const labels = room_for<label_bits>(scratch.row_labels, rows, "the table's labels");
  check_cuda(cudaMemsetAsync(labels, 0, rows * sizeof(label_bits), on.stream), "measure");
}

// As many rows as there may be in a small image, by the last call; 0 where it is better to count first: a table that does not
// fit is measured twice.
u64 expected_rows(const region_request& asked, const region_scratch& scratch) {
  constexpr u64 least = 256, most = 1 << 14;
  constexpr i64 small = 1 << 20;
  const u64 expected = std::max(scratch.regions + scratch.regions / 4, least);
  return asked.labels.size.pixels() <= small && expected <= most ? expected : 0;
}

// The tables of labels that are to be numbered first.
void measure_numbered(engine::state& on, region_launch& work, const region_results& results) {
  region_scratch& scratch = results.scratch;
  const region_request& asked = results.asked;
  const bool wants_patterns = results.patterns != nullptr;
  std::optional<stage_marks> marks;
  if (on.clock.on()) marks.emplace(work.stream);
  if (marks) marks->end_of_previous(stage::local);
  const u64 expected = expected_rows(asked, scratch);
  begin_numbers(work, scratch);
  number_counts counts{};
  if (expected != 0) {
    if (marks) marks->end_of_previous(stage::measure);
    clear_labels(work, scratch, expected);
    measure(work, scratch, asked, expected, wants_patterns);
    copy_to_pinned(work, results, expected);
    check_cuda(cudaStreamSynchronize(work.stream), "measure");
    std::memcpy(&counts, scratch.arrived.data(), sizeof counts);
  } else {
    counts = counted(work);
  }
  const u64 count = scratch.regions = number_others(work, scratch, counts);
  const bool has_arrived = counts.beyond == 0 && count <= expected;
  if (marks && expected == 0) marks->end_of_previous(stage::measure);
  if (count != 0 && !has_arrived) measure(work, scratch, asked, count, wants_patterns);
  if (marks) marks->finish(on.clock);
  if (has_arrived) take_from_pinned(results, expected, count);
  else bring(on, work, results, count);
}

// All but the channels. Labels are numbered then where there are channels.
void measure_features(engine::state& on, region_launch& work, const region_results& results) {
  small_scratch& small = results.scratch.small;
  const bool may_be = results.are_geometry() && may_be_small(results.asked.labels.size);
  if (may_be && !small.had_large_labels && measure_small_image(on, small, work, results.table)) {
    results.scratch.regions = results.table.size();
    return;
  }
  measure_numbered(on, work, results);
  const std::vector<label_bits>& labels = results.table.labels;
  if (may_be)  // negative ones, which come first, are large as well
    small.had_large_labels =
        !labels.empty() && std::max(labels.front(), labels.back()) >=
                               small_labels_of(results.asked.labels.size, results.asked.labels.type);
}

// The intensities of labels that are numbered. Those of integers come with geometry, which is the same again.
void measure_channel(const region_launch& on, region_scratch& scratch, const image_view& channel, u64 count) {
  const image_view image = skerry::on_device(channel, on.stream, scratch.intensity_image, scratch.packed, "intensity");
  if (sums_reals(channel.type)) {
    auto* const sums = room_for<real_intensity>(scratch.intensities, count, "the table's intensities");
    return measure_reals(on, image, sums, count);
  }
  region_rows rows{};
  rows.capacity = count;
  rows.is_volume = on.labels.size.rank == 3;
  rows.components = room_for<geometry>(scratch.rows, count, "the table");
  rows.intensities = room_for<intensity>(scratch.intensities, count, "the table's intensities");
  measure_rows(on, image, rows);
}

// One after the other, in the memory of one.
void measure_channels(engine::state& on, const region_launch& work, const region_results& results, u64 count) {
  const device_memory& from = results.scratch.intensities;
  const auto take = [&](auto& list) {
    copy_to_host(on, results.scratch.copies, {room_for_list(list, from.data(), count)}, work.stream);
  };
  for (std::size_t c = 0; c < results.asked.channels.size(); ++c) {
    const image_view& channel = results.asked.channels[c];
    measure_channel(work, results.scratch, channel, count);
    feature_table& table = results.table.channels[c];
    if (sums_reals(channel.type)) take(table.real_intensities);
    else take(table.intensities);
  }
}

}  // namespace

void measure_on_cuda(engine::state& on, const region_request& asked, region_table& table,
                     std::vector<plane_patterns>* patterns) {
  const current_device here(on.device);
  region_scratch& scratch = scratch_in(on.region_scratch);
  region_launch work = launch_of(scratch, asked.labels, asked.background);
  const region_results results{scratch, asked, table, patterns};
  measure_features(on, work, results);
  if (scratch.regions != 0) measure_channels(on, work, results, scratch.regions);
}

mutable_image label_image_on_cuda(engine::state& on, const extent& size) {
  const current_device here(on.device);
  auto* const pixels =
      room_for<u32>(scratch_in(on.region_scratch).labels, static_cast<u64>(size.pixels()), "the label image");
  return {pixels, size, residence::device(on.device)};
}

}  // namespace skerry::regions
