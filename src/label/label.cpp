// SPDX-License-Identifier: Apache-2.0
// The driver: check, choose the engine, and the six stages in order.
#include "skerry/label.hpp"

#include <cstring>

#include "core/feature_groups.hpp"
#include "label/check.hpp"
#include "label/on_cuda.hpp"
#include "label/select.hpp"
#include "label/strips.hpp"
#include "published/published.hpp"
#include "reference/reference.hpp"
#include "skerry/error.hpp"
#include "skerry/measure.hpp"

namespace skerry {
namespace {

using namespace label_stages;

// What a caller wants; each may be left out.
struct wanted {
  mutable_image labels;
  std::vector<labelled_run>* runs = nullptr;
  feature_table* table = nullptr;
};

bool may_overflow(const mutable_image& labels) { return labels.data != nullptr && size_of(labels.type) < sizeof(u32); }

run_edges::form edges_for(const wanted& out, const selection& keep, i64 width) {
  if (out.runs == nullptr && out.table == nullptr && !selects(keep)) return run_edges::form::none;
  return width <= 0xffff ? run_edges::form::short_form : run_edges::form::long_form;
}

u64 run_on_cpu(engine::state& on, const image_view& image, const label_options& options,
               const measure_options& features, const wanted& out) {
  const selection& keep = options.selection;
  pixel_source source{image, options.foreground, false};
  if (keep.fill_holes) source = with_holes_filled(on, source, options.connectivity);

  strip_work work(on, source, options.connectivity, edges_for(out, keep, image.size.width));
  work.encode_and_local();
  work.merge();
  u64 count = work.resolve();
  if (out.labels.data != nullptr && !selects(keep)) check_count(count, out.labels.type);
  // A selection needs the table before the count is known: the caller's is not touched as long as labels may not fit.
  const bool aside = out.table == nullptr || (selects(keep) && may_overflow(out.labels));
  feature_table& table = aside ? work.scratch().table : *out.table;
  if (out.table != nullptr || selects(keep)) work.measure(features, table);
  else if (out.labels.data != nullptr || out.runs != nullptr) work.number();
  if (selects(keep)) count = select(keep, image.size, work.scratch(), work.components(), table);
  if (out.labels.data != nullptr) check_count(count, out.labels.type);
  if (out.table != nullptr && aside) *out.table = table;  // few rows: their labels fit 16 bits
  if (out.runs != nullptr) work.reserve_runs(*out.runs);
  if (out.labels.data != nullptr) work.emit(out.labels);
  if (out.runs != nullptr) work.emit_runs(*out.runs);
  return count;
}

void write_labels(const std::vector<std::uint64_t>& labels, const mutable_image& out) {
  auto next = labels.begin();
  for (i64 z = 0; z < out.size.depth; ++z)
    for (i64 y = 0; y < out.size.height; ++y)
      for (i64 x = 0; x < out.size.width; ++x, ++next) {
        std::byte* at = static_cast<std::byte*>(out.data) + z * out.strides.z + y * out.strides.y + x * out.strides.x;
        const u64 label = *next;  // the low bytes come first
        std::memcpy(at, &label, size_of(out.type));
      }
}

u64 run_on_reference(const image_view& image, const label_options& options, const measure_options& features,
                     const wanted& out) {
  reference::answer answer = reference::analyse(image, options, features);
  if (out.labels.data != nullptr) {
    check_count(answer.count, out.labels.type);
    write_labels(answer.labels, out.labels);
  }
  if (out.runs != nullptr) *out.runs = std::move(answer.runs);
  if (out.table != nullptr) *out.table = std::move(answer.table);
  return answer.count;
}

// What a table holds, for every engine: rows cannot say it where there are none.
void describe(const image_view& image, const measure_options& features, feature_table& table) {
  table.rank = image.size.rank;
  table.has_moments = features.moments;
  table.has_intensities = features.intensity.data != nullptr;
}

// Methods fill the table before they know whether labels fit: where they may not, that is another table.
u64 run_as_published(engine::state& on, const image_view& image, const label_options& options, const wanted& out) {
  if (out.table == nullptr || !may_overflow(out.labels))
    return published::run(on, image, options, {out.labels, out.runs, out.table, check_count});
  feature_table table;
  const u64 count = published::run(on, image, options, {out.labels, out.runs, &table, check_count});
  *out.table = table;
  return count;
}

u64 run_on(engine::state& on, const image_view& image, const label_options& options, const measure_options& features,
           const wanted& out) {
  if (options.method != own_method) return run_as_published(on, image, options, out);
  if (on.kind == engine_kind::reference) return run_on_reference(image, options, features, out);
  if (on.kind == engine_kind::cuda) return run_on_cuda(on, image, options, {out.labels, out.runs, out.table, features});
  return run_on_cpu(on, image, options, features, out);
}

// A part of the rows would look like an answer.
void empty(const wanted& out) {
  if (out.runs != nullptr) out.runs->clear();
  if (out.table != nullptr) each_feature_group([&](auto group) { (out.table->*group.rows).clear(); });
}

// An image without pixels has no components; tables and lists are emptied all the same.
u64 run_on_nothing(const image_view& image, const measure_options& features, const wanted& out) {
  if (out.runs != nullptr) out.runs->clear();
  if (out.table != nullptr) {
    *out.table = {};
    describe(image, features, *out.table);
  }
  return 0;
}

u64 run(engine& on, const image_view& image, const label_options& options, const measure_options& features,
        const wanted& out) {
  engine::state& state = on.inside();
  state.clock.start(state.profiling && state.kind != engine_kind::reference, state.threads);
  if (image.size.pixels() == 0) return run_on_nothing(image, features, out);
  try {
    const u64 count = run_on(state, image, options, features, out);
    if (out.table != nullptr) describe(image, features, *out.table);
    return count;
  } catch (const out_of_memory&) {
    empty(out);
    throw;
  } catch (const std::bad_alloc&) {
    empty(out);
    throw out_of_memory("out of memory: the table or the list of runs does not fit");
  }
}

void check_method(engine& on, const image_view& image, const label_options& options, const measure_options& features) {
  if (options.method != own_method) published::check(on.kind(), image, options, features);
}

}  // namespace

std::uint64_t label(engine& on, const image_view& image, const label_options& options, const mutable_image& labels) {
  check_input(image, options);
  check_method(on, image, options, {});
  check_labels(image, labels);
  return run(on, image, options, {}, {labels, nullptr, nullptr});
}

std::uint64_t label_runs(engine& on, const image_view& image, const label_options& options,
                         std::vector<labelled_run>& runs) {
  check_input(image, options);
  check_method(on, image, options, {});
  return run(on, image, options, {}, {{}, &runs, nullptr});
}

std::uint64_t count_components(engine& on, const image_view& image, const label_options& options) {
  check_input(image, options);
  check_method(on, image, options, {});
  return run(on, image, options, {}, {});
}

std::uint64_t measure(engine& on, const image_view& image, const label_options& options,
                      const measure_options& features, feature_table& table, const measure_outputs& outputs) {
  check_input(image, options);
  check_method(on, image, options, features);
  check_features(image, features);
  if (outputs.labels.data != nullptr) check_labels(image, outputs.labels, features.intensity);
  return run(on, image, options, features, {outputs.labels, outputs.runs, &table});
}

}  // namespace skerry
