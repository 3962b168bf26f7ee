// SPDX-License-Identifier: Apache-2.0
// Differential fuzzing of labels, runs and tables: the CPU engine, or a published method, against the reference. An input is
// a small image of any type, extent and strides (negative, 0, misaligned), another of intensities, and options;
// make_corpus has its fields. The image is also taken for given labels, whose regions are measured and relabelled.
//
// Promises: both engines give the same bits, or the same error. Labels are numbered in raster order, runs and rows are those
// of the label image, and no byte between the pixels of a label image is written.

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "engine/cpu/instruction_set.hpp"
#include "engine/cpu/worker_threads.hpp"
#include "engine/engine_state.hpp"
#include "fuzz_image.hpp"
#include "label_facts.hpp"
#include "skerry/error.hpp"
#include "skerry/label.hpp"
#include "skerry/measure.hpp"
#include "skerry/published.hpp"
#include "skerry/regions.hpp"
#include "skerry/relabel.hpp"

namespace {

using namespace skerry;
using fuzz::arranged_image;
using fuzz::input_bytes;
using fuzz::promise;

constexpr std::int64_t most_pixels = 400;

extent take_size(input_bytes& from) {
  const bool volume = from.below(2) != 0;
  const std::int64_t width = from.below(200), height = from.below(64), depth = volume ? from.below(24) : 1;
  const std::int64_t rows = std::min(height, most_pixels / std::max<std::int64_t>(1, width));
  if (!volume) return {rows, width};
  return {std::min(depth, most_pixels / std::max<std::int64_t>(1, width * rows)), rows, width};
}

dtype take_type(input_bytes& from) { return static_cast<dtype>(from.below(static_cast<int>(dtype::f16) + 1)); }

double take_threshold(input_bytes& from) {
  const int kind = from.below(4);
  if (kind == 0) return from.take<double>();
  return from.take<std::int16_t>() * (kind == 1 ? 1.0 : kind == 2 ? 0.5 : 0x1p20);
}

foreground take_foreground(input_bytes& from) {
  foreground rule;
  rule.kind = static_cast<foreground::rule>(from.below(5));
  if (rule.kind != foreground::rule::nonzero) rule.low = take_threshold(from);
  if (rule.kind == foreground::rule::within) rule.high = take_threshold(from);
  return rule;
}

selection take_selection(input_bytes& from) {
  const auto parts = from.take<std::uint8_t>();
  selection keep;
  keep.fill_holes = (parts & 1) != 0;
  keep.clear_border = (parts & 2) != 0;
  if ((parts & 4) != 0) keep.min_area = from.take<std::uint8_t>();
  if ((parts & 8) != 0) keep.max_area = from.take<std::uint8_t>();
  if ((parts & 16) != 0) keep.largest = from.take<std::uint8_t>();
  return keep;
}

joining take_joining(input_bytes& from) {
  const int kind = from.below(3);
  return kind == 0 ? joining::foreground() : kind == 1 ? joining::equal() : joining::within(take_threshold(from));
}

periodic_axes take_periodic(input_bytes& from) {
  const auto axes = from.take<std::uint8_t>();
  return {(axes & 1) != 0, (axes & 2) != 0, (axes & 4) != 0};
}

int take_connectivity(input_bytes& from, int rank) {
  const int chosen = from.below(12);
  if (chosen == 11) return from.take<std::int8_t>();
  constexpr std::array<int, 2> of_images = {4, 8};
  constexpr std::array<int, 3> of_volumes = {6, 18, 26};
  return rank == 2 ? of_images[static_cast<std::size_t>(chosen % 2)] : of_volumes[static_cast<std::size_t>(chosen % 3)];
}

// Engines keep their scratch from input to input. All but the last split images for several threads and then work alone, so
// that the same input takes the same path: ThreadSanitizer's tests look for races.
engine& take_engine(input_bytes& from) {
  static std::vector<engine> engines = [] {
    std::vector<engine> all;
    for (const int threads : {1, 2, 3, 7, 3}) {
      all.push_back(engine::cpu(threads));
      engine::state& inside = all.back().inside();
      inside.least_pixels_per_strip = 1;
      inside.least_shared_nanoseconds = 0;
      if (threads == 2 || threads == 7) inside.least_streamed_bytes = 0;
      if (all.size() < 5) inside.workers.reset();
    }
    return all;
  }();
  static const std::vector<std::string> sets = available_instruction_sets();
  static std::size_t set_in_use = sets.size();
  const auto set = static_cast<std::size_t>(from.below(static_cast<int>(sets.size())));
  if (set != set_in_use) force_instruction_set(sets[set_in_use = set]);
  const int chosen = from.below(32);
  return engines[chosen == 31 ? 4 : static_cast<std::size_t>(chosen % 4)];
}

using question = label_request;

// What a call gives: results, or the text of an error.
struct answer {
  std::optional<std::string> error;
  std::uint64_t count = 0;
  std::vector<std::uint64_t> labels;
  std::vector<labelled_run> runs;
  feature_table table;
};

template <class Work>
void guarded(answer& to, Work work) {
  try {
    to.count = work();
  } catch (const invalid_argument& refused) {  // label_overflow is one
    to.error = refused.what();
  }
}

bool has_runs(const question& asked) { return asked.options.order == pixel_order::row_major; }

answer ask(engine& on, const question& asked, std::string_view method = published::own_method) {
  answer got;
  got.labels.assign(static_cast<std::size_t>(asked.image.size.pixels()), ~std::uint64_t{0});
  const label_outputs outputs = {.labels = {got.labels.data(), asked.image.size},
                                 .runs = has_runs(asked) ? &got.runs : nullptr,
                                 .table = &got.table};
  guarded(got, [&] { return published::label(on, method, asked, outputs); });
  return got;
}

void expect_same(const answer& got, const answer& want) {
  promise(got.error == want.error, "the error is that of the reference", got.error.value_or("none"));
  if (want.error) return;
  promise(got.count == want.count, "the number of components is that of the reference");
  promise(got.labels == want.labels, "labels are those of the reference");
  promise(got.runs == want.runs, "runs are those of the reference");
  promise(fuzz::same_table(got.table, want.table), "the table is that of the reference");
}

// A label image of a smaller type, and in any arrangement.
void expect_label_image(engine& on, const question& asked, const answer& want, input_bytes& from) {
  constexpr std::array<dtype, 8> types = {dtype::u8, dtype::u16, dtype::u32, dtype::u64,
                                          dtype::i8, dtype::i16, dtype::i32, dtype::i64};
  const dtype type = types[static_cast<std::size_t>(from.below(8))];
  const arranged_image labels(from, type, asked.image.size, false);
  const bool overflows = want.count > 0x7f && (type == dtype::i8 || (type == dtype::u8 && want.count > 0xff));
  answer got;
  guarded(got, [&] { return label(on, asked.image, asked.options, labels.target()); });
  promise(got.error.has_value() == overflows, "labels overflow where they must", got.error.value_or("none"));
  if (!overflows) {
    promise(got.count == want.count, "a label image has as many components");
    promise(fuzz::values_of(labels.view()) == want.labels, "a label image has the labels of the reference");
  }
  promise(labels.gaps_untouched(), "nothing is written between labels");
}

void expect_alone(engine& on, const question& asked, const answer& want) {
  if (has_runs(asked)) {
    std::vector<labelled_run> runs;
    promise(label_runs(on, asked.image, asked.options, runs) == want.count && runs == want.runs,
            "runs alone are the same");
  }
  promise(count_components(on, asked.image, asked.options) == want.count, "components counted alone are as many");
  feature_table table;
  promise(measure(on, asked.image, asked.options, asked.features, table) == want.count &&
              fuzz::same_table(table, want.table),
          "the table alone is the same");
}

// What calls about given labels give: a table, or new labels, or the text of an error.
struct region_answer {
  answer measured, relabelled;
  std::vector<label_bits> labels, originals;
};

region_answer ask_regions(engine& on, const region_request& asked, const relabel_options& options,
                          const arranged_image& out) {
  region_answer got;
  region_table table;
  guarded(got.measured, [&] { return measure_regions(on, asked, table); });
  got.measured.table = std::move(table.features);
  got.labels = std::move(table.labels);
  guarded(got.relabelled, [&] {
    got.originals = relabel(on, asked.labels, options, out.target());
    return got.originals.size();
  });
  if (!got.relabelled.error) got.relabelled.labels = fuzz::values_of(out.view());
  promise(out.gaps_untouched(), "nothing is written between new labels");
  return got;
}

// The image as given labels.
void expect_regions(engine& on, engine& reference, const question& asked, input_bytes& from) {
  region_request regions{asked.image, {static_cast<background::rule>(from.below(3)), 0}, asked.features};
  if (const auto label = from.take<std::int8_t>(); regions.background.kind == background::rule::one_label)
    regions.background = background::equal_to(label);
  if (const auto labels = from.take<std::uint8_t>(); labels % 4 == 0) regions.index = {{labels, 0, 1, 5}};
  const auto choice = from.take<std::uint8_t>();
  const relabel_options options{regions.background, static_cast<region_order>(choice % 2)};
  const arranged_image out(from, static_cast<dtype>((choice >> 1) % 13), asked.image.size, false);
  const region_answer want = ask_regions(reference, regions, options, out);
  const region_answer got = ask_regions(on, regions, options, out);
  expect_same(got.measured, want.measured);
  promise(want.measured.error || got.labels == want.labels, "rows are of the regions of the reference");
  expect_same(got.relabelled, want.relabelled);
  promise(want.relabelled.error || got.originals == want.originals, "regions are those of the reference");
}

// Published methods label images of rank 2, all components, and measure no more than places.
std::string_view take_method(input_bytes& from, question& asked) {
  const auto chosen = static_cast<std::size_t>(from.below(32));
  const auto methods = published::methods();
  const label_options& options = asked.options;
  if (asked.image.size.rank != 2 || chosen >= methods.size() || options.foreground.kind == foreground::rule::except ||
      options.joining.kind != joining::rule::foreground || options.periodic.any() || !has_runs(asked))
    return published::own_method;
  const auto& known = methods[chosen].connectivities;
  const auto& engines = methods[chosen].engines;
  if (std::find(known.begin(), known.end(), asked.options.connectivity) == known.end() ||
      std::find(engines.begin(), engines.end(), engine_kind::cpu) == engines.end())
    return published::own_method;
  asked.options.selection = {};
  asked.features = {};
  return methods[chosen].name;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static engine reference = engine::reference();
  input_bytes from(bytes, size);
  engine& on = take_engine(from);
  const dtype type = take_type(from);
  const extent shape = take_size(from);
  const arranged_image image(from, type, shape, true);
  question asked{image.view(), {}, {}};
  asked.options.connectivity = take_connectivity(from, shape.rank);
  asked.options.foreground = take_foreground(from);
  asked.options.selection = take_selection(from);
  const int features = from.below(16), calls = from.below(4);
  asked.features.moments = (features & 1) != 0;
  const arranged_image intensity(from, (features & 2) != 0 ? take_type(from) : dtype::u8, shape, true);
  if ((features & 2) != 0) asked.features.intensity = intensity.view();
  if ((features & 4) != 0) {
    asked.options.joining = take_joining(from);
    asked.options.periodic = take_periodic(from);
  }
  if ((features & 8) != 0) asked.options.order = pixel_order::as_stored;
  const std::string_view method = take_method(from, asked);
  input_bytes outputs(from);
  for (int i = 0; i < (calls == 3 ? 7 : 4); ++i) from.take<std::uint8_t>();  // those of a label image
  fuzz::fill(intensity, from);
  fuzz::fill(image, from);

  if (calls == 3) {
    expect_regions(on, reference, asked, outputs);
    return 0;
  }
  const answer want = ask(reference, asked);
  expect_same(ask(on, asked, method), want);
  if (want.error) return 0;
  if (has_runs(asked)) fuzz::check_labels(want.labels, want.count, shape, want.runs);
  fuzz::check_table(want.labels, shape, want.table, asked.features.intensity);
  if (calls == 1) expect_label_image(on, asked, want, outputs);
  if (calls == 2) expect_alone(on, asked, want);
  return 0;
}
