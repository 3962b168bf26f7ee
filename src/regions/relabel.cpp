// SPDX-License-Identifier: Apache-2.0
// Labels for labels: relabel() and remap(). What can be refused is found in a pass of its own, before anything is written.
#include "skerry/relabel.hpp"

#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "core/label_type.hpp"
#include "engine/begin_call.hpp"
#include "engine/cpu/parallel.hpp"
#include "engine/image_checks.hpp"
#include "engine/line.hpp"
#include "engine/write_dense.hpp"
#include "reference/regions.hpp"
#include "regions/check.hpp"
#include "regions/cuda/on_cuda.hpp"
#include "regions/label_writer.hpp"
#include "regions/region_numbers.hpp"
#include "regions/row_groups.hpp"
#include "skerry/error.hpp"

namespace skerry::regions {
namespace {

void check_map(const label_map& map, const mutable_image& out) {
  if (map.unnamed > unnamed_labels::zero) refuse("map: unknown rule for labels that are not named");
  if (map.from.size() != map.to.size())
    refuse("map: " + std::to_string(map.from.size()) + " labels are given " + std::to_string(map.to.size()) +
           " new ones");
  const bool is_signed = is_signed_label_type(out.type);
  for (const label_bits label : map.to) check_fits("map", label, is_signed, out.type);
}

// Keeps the call from being stopped until the end of the scope: a stop would lose half of an image written in place.
class uninterrupted {
 public:
  explicit uninterrupted(engine::state& on) : on_(on), stop_(std::exchange(on.stop, {})) {}
  uninterrupted(const uninterrupted&) = delete;
  uninterrupted& operator=(const uninterrupted&) = delete;
  ~uninterrupted() { on_.stop = std::move(stop_); }

 private:
  engine::state& on_;
  std::stop_token stop_;
};

// Writes new_label(label) of each run. Works in place: a group of rows is read whole before it is written.
template <class NewLabel>
void write_labels(engine::state& on, const image_view& labels, const mutable_image& out, NewLabel new_label) {
  const std::vector<row_range> shares = split_rows(on, labels.size);
  std::optional<uninterrupted> in_place;
  if (labels.data == out.data) in_place.emplace(on);
  for_each_in_parallel(on, shares.size(), [&](std::size_t s) {
    stage_timer time(on.clock, stage::emit, stage_timer::by::all_threads);
    time.run([&] {
      with_label_type(labels.type, [&]<class Label>(label_type<Label>) {
        std::vector<label_bits> written;
        each_row_group<Label>(labels, shares[s].begin, shares[s].end, [&](const row_group<Label>& group) {
          written.clear();
          for (std::size_t i = 0; i < group.count; ++i) written.push_back(new_label(group.label_of(i)));
          for (std::size_t i = 0; i < group.count; ++i) write_run(out, group.place_of(i), written[i]);
        });
      });
    });
  });
}

std::vector<label_bits> relabel_on_cpu(engine::state& on, const image_view& labels, const relabel_options& options,
                                       const mutable_image& out) {
  const region_numbers numbers(on, labels, options.background, options.order);
  check_numbers(numbers.size(), out);
  if (labels.size.pixels() != 0)
    write_labels(on, labels, out, [&]<class Label>(Label label) -> label_bits {
      const background_test<Label> is_background(options.background);
      return is_background(label) ? 0 : numbers.find(bits_of(label)) + 1;
    });
  return numbers.labels();
}

// A map, ready to be looked up.
class map_reader {
 public:
  map_reader(const label_map& map, const image_view& labels, const mutable_image& out)
      : map_(map), numbers_(map.from, labels), from_signed_(is_signed_label_type(labels.type)), out_(out.type) {
    if (numbers_.size() == map.from.size()) return;
    std::size_t place = 0;  // the first that has been there before
    while (numbers_.find(map.from[place]) == place) ++place;
    refuse("map: label " + text_of_label(map.from[place], from_signed_) + " is named twice");
  }

  [[nodiscard]] label_bits operator()(label_bits label) const {
    const u32 number = numbers_.find(label);
    if (number != region_numbers::none) return map_.to[number];
    return map_.unnamed == unnamed_labels::keep ? label : 0;
  }
  // Whether there can be labels, of an image of this type, that are refused.
  [[nodiscard]] bool may_refuse(dtype labels) const {
    return map_.unnamed == unnamed_labels::refuse || (map_.unnamed == unnamed_labels::keep && labels != out_);
  }
  // Whether a label cannot become another.
  [[nodiscard]] bool refuses(label_bits label) const {
    if (label == 0 || numbers_.find(label) != region_numbers::none) return false;
    if (map_.unnamed == unnamed_labels::refuse) return true;
    return map_.unnamed == unnamed_labels::keep && !fits(label, from_signed_, out_);
  }
  [[noreturn]] void refuse_label(label_bits label) const {
    const std::string text = "map: label " + text_of_label(label, from_signed_);
    if (map_.unnamed == unnamed_labels::keep) refuse(text + " is kept and does not fit " + name_of(out_));
    refuse(text + " of the image is not named; name it, or choose to keep such labels or to make them 0");
  }

 private:
  const label_map& map_;
  region_numbers numbers_;
  bool from_signed_;
  dtype out_;
};

// The least label that is refused is the same for every number of threads.
void require_named(engine::state& on, const image_view& labels, const map_reader& map) {
  const region_numbers found(on, labels, background::none(), region_order::ascending);
  for (const label_bits label : found.labels())
    if (map.refuses(label)) map.refuse_label(label);
}

std::vector<label_bits> relabel_on_reference(const image_view& labels, const relabel_options& options,
                                             const mutable_image& out) {
  reference::relabelled result = reference::relabel(labels, options);
  check_numbers(result.originals.size(), out);
  write_dense(result.labels, out);
  return result.originals;
}

}  // namespace
}  // namespace skerry::regions

namespace skerry {

std::vector<label_bits> relabel(engine& on, const image_view& labels, const relabel_options& options,
                                const mutable_image& out) {
  using namespace regions;
  if (is_line(labels.size)) return relabel(on, as_plane("labels", labels), options, as_plane_beside_line("out", out));
  check_label_image("labels", labels);
  check_background(options.background);
  if (options.order > region_order::ascending) refuse("order: unknown rule");
  check_label_output("out", out, labels);
  engine::state& inside = engine_for(on, {{"labels", labels}, {"out", out}});
  const running_call call(inside);
  return with_memory([&] {
    if (on.kind() == engine_kind::reference) return relabel_on_reference(labels, options, out);
    if (labels.size.pixels() != 0 && inside.kind == engine_kind::cuda)
      return relabel_on_cuda(inside, labels, options, out);
    return relabel_on_cpu(inside, labels, options, out);
  });
}

void remap(engine& on, const image_view& labels, const label_map& map, const mutable_image& out) {
  using namespace regions;
  if (is_line(labels.size)) return remap(on, as_plane("labels", labels), map, as_plane_beside_line("out", out));
  check_label_image("labels", labels);
  check_label_output("out", out, labels);
  check_map(map, out);
  engine::state& inside = engine_for(on, {{"labels", labels}, {"out", out}});
  const running_call call(inside);
  with_memory([&] {
    const map_reader reader(map, labels, out);
    if (labels.size.pixels() != 0 && inside.kind == engine_kind::cuda) {
      return remap_on_cuda(
          inside, labels,
          [&](label_bits label) {
            if (reader.refuses(label)) reader.refuse_label(label);
            return reader(label);
          },
          out);
    }
    if (reader.may_refuse(labels.type)) require_named(inside, labels, reader);
    if (on.kind() == engine_kind::reference) write_dense(reference::remap(labels, map), out);
    else if (labels.size.pixels() != 0)
      write_labels(inside, labels, out, [&](auto label) { return reader(bits_of(label)); });
  });
}

}  // namespace skerry
