// SPDX-License-Identifier: Apache-2.0
#include "label/call.hpp"

#include <new>

#include "core/feature_groups.hpp"
#include "core/label_type.hpp"
#include "engine/image_checks.hpp"
#include "engine/stop.hpp"
#include "label/check.hpp"
#include "skerry/error.hpp"

namespace skerry {
namespace {

// A part of the rows would look like an answer.
void empty(const label_outputs& outputs) {
  if (outputs.runs != nullptr) outputs.runs->clear();
  if (outputs.table != nullptr) each_feature_group([&](auto group) { (outputs.table->*group.rows).clear(); });
}

// What a table holds, for every engine: rows cannot say it where there are none.
void describe(const label_request& asked, feature_table& table) {
  table.rank = asked.image.size.rank;
  table.has_moments = asked.features.moments;
  table.has_intensities = asked.features.intensity.data != nullptr;
}

}  // namespace

void check_call(const label_request& asked, const label_outputs& outputs) {
  check_options(asked.image, asked.options);
  if (asked.options.order == pixel_order::as_stored && outputs.runs != nullptr)
    throw invalid_argument("order: runs are numbered in row-major order only");
  const bool reads_intensity = outputs.table != nullptr;
  if (outputs.table != nullptr) check_features(asked.image, asked.features);
  if (outputs.labels.data == nullptr) return;
  if (outputs.labels_for) refuse("labels: labels_for is given as well");
  check_labels(asked.image, outputs.labels, reads_intensity ? asked.features.intensity : image_view());
}

mutable_image labels_placed(const label_request& asked, const label_outputs& outputs, std::uint64_t count) {
  const mutable_image labels = outputs.labels_for(count);
  check_labels(asked.image, labels, outputs.table != nullptr ? asked.features.intensity : image_view());
  check_count(count, labels.type);
  return labels;
}

std::uint64_t count_then_label(const label_request& asked, const label_outputs& outputs,
                               const std::function<std::uint64_t(const label_outputs&)>& run) {
  label_outputs placed = outputs;
  placed.labels = labels_placed(asked, outputs, run({}));
  stop_point();
  placed.labels_for = {};
  return run(placed);
}

bool may_overflow(const label_outputs& outputs) {
  if (outputs.labels_for) return true;
  return outputs.labels.data != nullptr && largest_label(outputs.labels.type) < largest_label(dtype::u32);
}

std::uint64_t run_call(engine::state& on, const label_request& asked, const label_outputs& outputs,
                       const std::function<std::uint64_t()>& work) {
  const stop_scope stoppable(on.stop);
  stop_point();
  on.clock.start(on.profiling && on.kind != engine_kind::reference, on.threads);
  try {
    const bool has_pixels = asked.image.size.pixels() != 0;
    if (!has_pixels) empty(outputs);
    if (!has_pixels && outputs.labels_for) static_cast<void>(labels_placed(asked, outputs, 0));
    const std::uint64_t count = has_pixels ? work() : 0;
    if (outputs.table != nullptr) describe(asked, *outputs.table);
    return count;
  } catch (const out_of_memory&) {  // which is a bad_alloc, too
    empty(outputs);
    throw;
  } catch (const std::bad_alloc&) {
    empty(outputs);
    throw out_of_memory("out of memory: the table or the list of runs does not fit");
  } catch (const cancelled&) {
    empty(outputs);
    throw;
  } catch (const device_error&) {
    empty(outputs);
    throw;
  }
}

}  // namespace skerry
