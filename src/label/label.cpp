// SPDX-License-Identifier: Apache-2.0
// The driver: check, choose the engine, and the six stages in order.
#include "skerry/label.hpp"

#include <functional>

#include "engine/choose.hpp"
#include "engine/line.hpp"
#include "engine/write_dense.hpp"
#include "label/axis_order.hpp"
#include "label/call.hpp"
#include "label/check.hpp"
#include "label/cpu/strips/strips.hpp"
#include "label/cuda/on_cuda.hpp"
#include "label/line.hpp"
#include "label/select.hpp"
#include "label/slabs/label_slabs.hpp"
#include "reference/reference.hpp"
#include "skerry/measure.hpp"

namespace skerry {
namespace {

using namespace label_stages;

run_edges::form edges_for(i64 width) {
  return width <= 0xffff ? run_edges::form::short_form : run_edges::form::long_form;
}

// With an order, the images are turned, labels and rows are to be those of the image as it was, with this border.
u64 solve(engine::state& on, const label_request& asked, const label_outputs& out, const axis_order* order,
          const image_border& border) {
  const selection& keep = asked.options.selection;
  pixel_source source{asked.image, asked.options.foreground, false, asked.options.joining, asked.options.periodic};
  if (keep.fill_holes) source = with_holes_filled(on, source, asked.options.connectivity);

  const bool measured = out.table != nullptr || selects(keep), lists = measured || out.runs != nullptr;
  const bool emits = out.labels.data != nullptr || out.labels_for, numbers = lists || emits;
  // Where a turned image has runs side by side, its renumbering cannot see their ends in rows of bits.
  const bool needs_edges = lists || source.periodic.x || (order != nullptr && source.joins_by_value());
  const bool geometry_alone =
      measured && out.runs == nullptr && !asked.features.moments && asked.features.intensity.data == nullptr;
  strip_work work(on, source, asked.options.connectivity,
                  {needs_edges ? edges_for(asked.image.size.width) : run_edges::form::none, emits, geometry_alone});
  work.encode_and_local();
  work.merge();
  u64 count = work.resolve();
  mutable_image labels = out.labels;
  if (out.labels_for && !selects(keep)) labels = labels_placed(asked, out, count);
  if (labels.data != nullptr && !selects(keep)) check_count(count, labels.type);
  // A selection needs the table before the count is known: the caller's is not touched as long as labels may not fit.
  const bool aside = out.table == nullptr || (selects(keep) && may_overflow(out));
  feature_table& table = aside ? work.scratch().table : *out.table;
  if (measured) work.measure(asked.features, table);
  else if (numbers && order == nullptr) work.number();
  if (order != nullptr && numbers) work.renumber(*order, border.size, measured ? &table : nullptr);
  if (selects(keep)) count = select(keep, border, work.scratch(), work.components(), table);
  if (out.labels_for && selects(keep)) labels = labels_placed(asked, out, count);
  if (labels.data != nullptr) check_count(count, labels.type);
  if (out.table != nullptr && aside) *out.table = table;  // few rows, unless labels_for() chose a wide type
  if (out.runs != nullptr) work.reserve_runs(*out.runs);
  if (labels.data != nullptr && axis_order::stored(labels).axis_of(2) == 0) work.emit_slices_across(labels);
  else if (labels.data != nullptr) work.emit(labels);
  if (out.runs != nullptr) work.emit_runs(*out.runs);
  return count;
}

// The caller's labels, for an image that is turned.
label_outputs with_labels_turned(const axis_order& order, const label_request& asked, const label_outputs& out) {
  label_outputs turned = out;
  if (out.labels.data != nullptr) turned.labels = order.turned(out.labels);
  if (out.labels_for) turned.labels_for = [&](u64 count) { return order.turned(labels_placed(asked, out, count)); };
  return turned;
}

// An image whose rows are not its memory's is turned, so that it is read in the order of memory; labels are carried across if
// they lie otherwise. Runs are those of rows.
u64 run_on_cpu(engine::state& on, const label_request& asked, const label_outputs& out) {
  const axis_order order = axis_order::stored(asked.image);
  const image_border border{asked.image.size, asked.options.periodic};
  if (!order.turns_rows() || out.runs != nullptr) return solve(on, asked, out, nullptr, border);
  return solve(on, order.turned(asked), with_labels_turned(order, asked, out), &order, border);
}

u64 run_on_reference(const label_request& asked, const label_outputs& out) {
  reference::answer answer = reference::analyse(asked.image, asked.options, asked.features);
  const mutable_image labels = out.labels_for ? labels_placed(asked, out, answer.count) : out.labels;
  if (labels.data != nullptr) {
    check_count(answer.count, labels.type);
    write_dense(answer.labels, labels);
  }
  if (out.runs != nullptr) *out.runs = std::move(answer.runs);
  if (out.table != nullptr) *out.table = std::move(answer.table);
  return answer.count;
}

u64 run_on_engine(engine::state& on, const label_request& asked, const label_outputs& out) {
  if (on.kind == engine_kind::reference) return run_on_reference(asked, out);
  if (on.kind == engine_kind::cuda && out.labels_for)
    return count_then_label(asked, out, [&](const label_outputs& part) { return run_on_cuda(on, asked, part); });
  if (on.kind == engine_kind::cuda) return run_on_cuda(on, asked, out);
  return run_on_cpu(on, asked, out);
}

u64 run_on(engine::state& on, const label_request& asked, const label_outputs& out) {
  const axis_order order = axis_order::stored(asked.image);
  if (asked.options.order == pixel_order::row_major || order.is_row_major()) return run_on_engine(on, asked, out);
  const u64 count = run_on_engine(on, order.turned(asked), with_labels_turned(order, asked, out));
  if (out.table != nullptr) order.turn_back(*out.table);
  return count;
}

u64 label_line(engine& on, const label_request& asked, const label_outputs& outputs) {
  const u64 count = label(on, request_in_plane(asked), outputs_in_plane(outputs));
  if (outputs.table != nullptr) outputs.table->rank = 1;
  return count;
}

}  // namespace

std::uint64_t label(engine& on, const label_request& asked, const label_outputs& outputs) {
  if (is_line(asked.image.size)) return label_line(on, asked, outputs);
  check_call(asked, outputs);
  label_request request = asked;
  if (outputs.table == nullptr) request.features = {};
  engine::state& state =
      engine_for(on, {{"image", request.image}, {"labels", outputs.labels}, {"intensity", request.features.intensity}});
  engine::state& own = on.inside();
  if (takes_slabs(own, request, outputs)) {
    const auto work = [&] { return label_in_slabs(own, request, outputs); };
    return run_call(own, request, outputs, std::ref(work));
  }
  const auto work = [&] { return run_on(state, request, outputs); };
  return run_call(state, request, outputs, std::ref(work));
}

std::uint64_t label(engine& on, const image_view& image, const label_options& options, const mutable_image& labels) {
  if (is_line(image.size)) {
    check_labels(as_plane("image", image), as_plane_beside_line("labels", labels));
  } else {
    check_options(image, options);
    check_labels(image, labels);
  }
  return label(on, {image, options}, {.labels = labels});
}

std::uint64_t label_runs(engine& on, const image_view& image, const label_options& options,
                         std::vector<labelled_run>& runs) {
  return label(on, {image, options}, {.runs = &runs});
}

std::uint64_t count_components(engine& on, const image_view& image, const label_options& options) {
  return label(on, {image, options}, {});
}

std::uint64_t measure(engine& on, const image_view& image, const label_options& options,
                      const measure_options& features, feature_table& table) {
  return label(on, {image, options, features}, {.table = &table});
}

}  // namespace skerry
