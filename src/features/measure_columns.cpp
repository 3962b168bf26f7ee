// SPDX-License-Identifier: Apache-2.0
// The driver of measure_columns(): check, choose columns, measure regions, walk once more for the groups that need it (a device
// counts patterns in the same pass, and finds runs), turn integers into columns, and pick the labels that were asked for.
#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <string>

#include "core/label_type.hpp"
#include "engine/choose.hpp"
#include "engine/cpu/kept_memory.hpp"
#include "engine/line.hpp"
#include "engine/stop.hpp"
#include "features/column_plan.hpp"
#include "features/groups.hpp"
#include "features/sums_on_cuda.hpp"
#include "features/walk.hpp"
#include "reference/columns.hpp"
#include "regions/check.hpp"
#include "regions/cuda/on_cuda.hpp"
#include "regions/index_rows.hpp"
#include "regions/measure.hpp"
#include "regions/medians.hpp"
#include "skerry/error.hpp"

namespace skerry {
namespace {

using features::chosen_column;

// Channels are columns of single images here, too: the definitions know of one.
void measure_on_reference(const image_view& labels, const column_request& asked, const region_table& rows,
                          const std::vector<chosen_column>& columns, column_table& table) {
  if (asked.channels.empty()) return reference::measure_columns(labels, asked, rows, table);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::size_t channel = columns[c].channel;
    column_request of_one = asked;
    of_one.intensity = asked.channels[channel];
    column_table one;
    one.columns.push_back({columns[c].unnumbered, table.columns[c].is_integer, {}, {}});
    region_table sums{rows.features, rows.labels, rows.signed_labels, {}};
    if (!rows.channels.empty()) {
      sums.features.has_intensities = true;
      sums.features.intensities = rows.channels[channel].intensities;
      sums.features.real_intensities = rows.channels[channel].real_intensities;
    }
    reference::measure_columns(labels, of_one, sums, one);
    one.columns.front().name = table.columns[c].name;
    table.columns[c] = std::move(one.columns.front());
  }
}

// What groups are told, of each channel.
class channel_frames {
 public:
  channel_frames(engine& on, const image_view& labels, const column_request& asked, const region_table& rows,
                 const std::vector<chosen_column>& columns, kept_memory& memory)
      : images_(features::channels_of(asked)), medians_(std::max<std::size_t>(1, images_.size())) {
    const pixel_spacing& side = asked.spacing;
    const int rank = labels.size.rank;
    unsigned wanted = 0;
    for (const chosen_column& column : columns) wanted |= column.column->needs;
    for (std::size_t c = 0; c < medians_.size(); ++c) {
      const image_view image = images_.empty() ? image_view() : images_[c];
      if ((wanted & features::uses_medians) != 0)
        medians_[c] = regions::find_medians(on, {as_plane("labels", labels), image, asked.background});
      frames.push_back({labels.size,
                        &rows,
                        rows.channels.empty() ? &rows.features : &rows.channels[c],
                        {rank == 3 ? side.z : 1, rank == 1 ? 1 : side.y, side.x},
                        wanted,
                        medians_[c].data(),
                        static_cast<int>(8 * size_of(image.type)),
                        &memory});
    }
  }

  [[nodiscard]] const std::vector<image_view>& images() const { return images_; }
  std::vector<features::region_frame> frames;

 private:
  std::vector<image_view> images_;
  std::vector<std::vector<double>> medians_;
};

// The rows of some labels, in their order. The first column has the labels.
void pick(const std::vector<label_bits>& index, bool are_signed, column_table& table) {
  const std::vector<std::int64_t>& labels = table.columns.front().integers;
  const std::vector<std::size_t> rows = regions::rows_of_index(index, {labels.begin(), labels.end()}, are_signed);
  const auto picked = [&](const auto& from, auto nothing) {
    auto to = std::vector(rows.size(), nothing);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i] < from.size()) to[i] = from[rows[i]];
    return to;
  };
  for (table_column& column : table.columns)
    if (column.is_integer) column.integers = picked(column.integers, std::int64_t{0});
    else column.numbers = picked(column.numbers, column.name == "area" ? 0 : std::numeric_limits<double>::quiet_NaN());
  table.columns.front().integers.assign(index.begin(), index.end());
}

// What an engine keeps from call to call.
struct column_scratch final : job_scratch {
  region_table rows;
  kept_memory sums;

  [[nodiscard]] std::size_t bytes() const override {
    std::size_t total =
        sums.bytes() + regions::bytes_of(rows.features) + rows.labels.capacity() * sizeof rows.labels[0];
    for (const feature_table& channel : rows.channels) total += regions::bytes_of(channel);
    return total;
  }
};

column_scratch& column_scratch_of(engine::state& on) {
  if (on.column_scratch == nullptr) on.column_scratch = std::make_unique<column_scratch>();
  return static_cast<column_scratch&>(*on.column_scratch);
}

void measure_on(engine& on, engine::state& inside, const image_view& labels, const column_request& asked,
                const std::vector<chosen_column>& columns, column_table& table) {
  const bool on_cuda = inside.kind == engine_kind::cuda;
  column_scratch& scratch = column_scratch_of(inside);
  region_table& rows = scratch.rows;
  std::vector<regions::plane_patterns> patterns;
  const bool counts_patterns =
      on_cuda && labels.size.rank == 2 && std::any_of(columns.begin(), columns.end(), [](const chosen_column& chosen) {
        return chosen.group->of_plane != nullptr;
      });
  regions::measure_with_patterns(inside, features::regions_asked(labels, asked, columns), rows,
                                 counts_patterns ? &patterns : nullptr);
  for (const chosen_column& chosen : columns)
    table.columns.push_back({chosen.name, chosen.column->integer != nullptr, {}, {}});
  if (inside.kind == engine_kind::reference) {
    measure_on_reference(labels, asked, rows, columns, table);
    return;
  }
  const image_view in_plane = as_plane("labels", labels);
  const channel_frames of(on, labels, asked, rows, columns, scratch.sums);
  features::walk_job job = {in_plane, asked.background, of.images(), of.frames, features::groups_with_sums(columns)};
  features::sums_of_groups sums;
  if (!job.groups.empty() && rows.size() != 0)
    sums = on_cuda ? features::sums_on_cuda(inside, job, patterns) : features::walk(inside, job);
  features::fill_columns(inside, of.frames, job.groups, sums, columns, table.columns);
  sums.clear();
  scratch.sums.end_call();
}

}  // namespace

const table_column& column_table::column(std::string_view name) const {
  for (const table_column& each : columns)
    if (each.name == name) return each;
  throw invalid_argument("name: the table has no column '" + std::string(name) + "'");
}

std::vector<std::string> column_groups() {
  std::vector<std::string> names;
  for (const features::feature_group* group : features::all_groups()) names.emplace_back(group->name);
  return names;
}

std::uint64_t measure_columns(engine& on, const image_view& labels, const column_request& asked, column_table& table) {
  table.columns.clear();
  try {
    regions::check_label_image("labels", as_plane("labels", labels));
    regions::check_background(asked.background);
    const std::vector<chosen_column> columns = features::checked_columns("labels", labels, asked);
    table.rank = labels.size.rank;
    engine::state& inside = engine_for(on, {{"labels", labels}, {"intensity", asked.intensity}}, asked.channels);
    const stop_scope stoppable(inside.stop);
    measure_on(on, inside, labels, asked, columns, table);
    if (asked.index.has_value()) pick(*asked.index, is_signed_label_type(labels.type), table);
  } catch (const std::bad_alloc&) {
    table.columns.clear();
    throw out_of_memory("out of memory: the columns of regions do not fit");
  } catch (...) {
    table.columns.clear();
    throw;
  }
  return table.size();
}

std::uint64_t measure_columns(engine& on, const image_view& image, const label_options& options,
                              const column_request& asked, column_table& table) {
  table.columns.clear();
  check_image("image", as_plane("image", image));
  (void)features::checked_columns("image", image, asked);  // before the image is labelled
  engine::state& inside = engine_for(on, {{"image", image}, {"intensity", asked.intensity}}, asked.channels);
  const bool on_cuda = inside.kind == engine_kind::cuda;
  std::vector<std::uint32_t> pixels;
  mutable_image labels;
  label_outputs outputs;
  outputs.labels_for = [&](std::uint64_t count) {
    if (count > ~std::uint32_t{0}) refuse("image: has more components than labels of 32 bits");
    pixels.resize(static_cast<std::size_t>(image.size.pixels()));
    return labels = mutable_image(pixels.data(), image.size);
  };
  if (on_cuda) {
    labels = outputs.labels = regions::label_image_on_cuda(inside, image.size);
    outputs.labels_for = nullptr;  // it would count components in a pass of its own
  }
  label(on, {image, options, {}}, outputs);
  column_request of_labels = asked;
  of_labels.background = background::zero_and_below();
  return measure_columns(on, labels, of_labels, table);
}

}  // namespace skerry
