// SPDX-License-Identifier: Apache-2.0
#include "regions/cuda/on_cuda.hpp"

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
    image = skerry::on_device(asked.features.intensity, on.stream, scratch.intensity_image, scratch.packed,
                              "the intensity image");
  write_labels(on, room_for<label_bits>(scratch.row_labels, count, "the table's labels"), count);
  if (wants_patterns)
    measure_patterns(on, rows, room_for<plane_patterns>(scratch.patterns, count, "the table's patterns"));
  if (!wants_patterns || rows.moments != nullptr || rows.intensities != nullptr)  // which come with geometry, too
    measure_rows(on, reals ? image_view() : image, rows);
  if (reals)
    measure_reals(on, image, room_for<real_intensity>(scratch.intensities, count, "the table's intensities"), count);
}

}  // namespace

void measure_on_cuda(engine::state& on, const region_request& asked, region_table& table,
                     std::vector<plane_patterns>* patterns) {
  const current_device here(on.device);
  region_scratch& scratch = scratch_in(on.region_scratch);
  region_launch work = launch_of(scratch, asked.labels, asked.background);
  std::optional<stage_marks> marks;
  if (on.clock.on()) marks.emplace(work.stream);
  if (marks) marks->end_of_previous(stage::local);
  const u64 count = number_labels(work, scratch);
  if (marks) marks->end_of_previous(stage::measure);
  if (count != 0) measure(work, scratch, asked, count, patterns != nullptr);
  if (marks) marks->finish(on.clock);
  const measure_options& features = asked.features;
  if (count == 0) return;
  download<label_bits>(scratch.row_labels, count, work.stream, table.labels);
  download<geometry>(scratch.rows, count, work.stream, table.features.components);
  if (patterns != nullptr) download<plane_patterns>(scratch.patterns, count, work.stream, *patterns);
  if (features.moments) download<second_moments>(scratch.moments, count, work.stream, table.features.moments);
  if (features.intensity.data == nullptr) return;
  if (sums_reals(features.intensity.type))
    download<real_intensity>(scratch.intensities, count, work.stream, table.features.real_intensities);
  else download<intensity>(scratch.intensities, count, work.stream, table.features.intensities);
}

mutable_image label_image_on_cuda(engine::state& on, const extent& size) {
  const current_device here(on.device);
  auto* const pixels =
      room_for<u32>(scratch_in(on.region_scratch).labels, static_cast<u64>(size.pixels()), "the label image");
  return {pixels, size, residence::device(on.device)};
}

}  // namespace skerry::regions
