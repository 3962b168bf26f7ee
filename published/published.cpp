// SPDX-License-Identifier: Apache-2.0
// The list of published methods, what each cannot do, and the way from a caller's image to a method and back.
//
// A new method is a file that defines its solve function, a line in task.hpp, a row in `all`, and its paper in
// docs/papers.md. A method that runs on several engines is one row that names them. One whose own numbers run out before
// those of labels do has its limit in check_numbers().
#include "skerry/published.hpp"

#include <iterator>
#include <string>

#include "engine/choose.hpp"
#include "label/call.hpp"
#include "label/check.hpp"
#include "label/select.hpp"
#include "published/binary.hpp"
#include "published/label_image.hpp"
#include "published/method_list.hpp"
#include "published/on_cuda.hpp"
#include "published/task.hpp"

namespace skerry::published {
namespace {

constexpr engine_kind on_cpu[] = {engine_kind::cpu}, on_device[] = {engine_kind::cuda};
constexpr int planes[] = {4, 8}, only_4[] = {4}, volumes[] = {6, 18, 26};

constexpr method all[] = {
    {"rosenfeld", "Lemaitre2021", "two passes over pixels, features in a third", on_cpu, planes, false},
    {"rosenfeld-otf", "Lemaitre2021", "two passes over pixels, features move with unions", on_cpu, planes, false},
    {"lsl-std", "Lacassagne2011", "Light Speed Labeling, relative labels of pixels", on_cpu, planes, true},
    {"lsl-rle", "Lacassagne2011", "Light Speed Labeling, segments only", on_cpu, planes, true},
    {"lsl-simd", "Lemaitre2020", "Light Speed Labeling, segments by vector instructions", on_cpu, planes, true},
    {"suzuki", "Suzuki2003", "scans forth and back until no label changes", on_cpu, planes, false},
    {"he", "He2007", "two scans, pixels; sets of labels", on_cpu, planes, false},
    {"he-runs", "He2008", "two scans, runs; sets of labels", on_cpu, planes, false},
    {"naive", "Lemaitre2021", "merging of pixels, each of which votes", on_device, planes, false},
    {"ha", "Lemaitre2021", "sub-runs of 64 pixels", on_device, only_4, false, 2, true},
    {"ha-otf", "Lemaitre2021", "sub-runs, features move with unions", on_device, only_4, false},
    {"ha-cd", "Lemaitre2021", "sub-runs, conflicts of votes detected", on_device, only_4, false, 2, true},
    {"ha-compact", "Windisch2023", "sub-runs; only features of components go to the host", on_device, only_4, false},
    {"flsl", "Lemaitre2021", "whole runs by Faster Light Speed Labeling", on_device, planes, false},
    {"flsl-otf", "Lemaitre2021", "whole runs, features move with unions", on_device, planes, false},
    {"flsl-cd", "Lemaitre2021", "whole runs, conflicts of votes detected", on_device, planes, false},
    {"flsl-cd-compact", "Windisch2023", "as flsl-cd; only features of components go to the host", on_device, planes, false},
    {"flsl-3d", "Lemaitre2021", "flsl-cd in volumes", on_device, volumes, false, 3},
    {"playne-direct", "PlayneHawick2018", "equivalences of pixels, no iterations", on_device, planes, false},
    {"playne-block", "PlayneHawick2018", "the same in blocks first", on_device, planes, false},
    {"tmk", "Windisch2023", "tree merge kernel on playne-block's labels", on_device, planes, false, 2, true},
    {"jung", "Jung2010", "six phases, repeated until all is linked", on_device, planes, false},
    {"block-fill", "BlockFill2011", "flood fill of squares, joined at their borders", on_device, planes, false},
};
// Of the first of them, in the same order: those that the CPU engine runs. The others are in cuda/methods.cu.
constexpr solve_function solve_on_cpu[] = {rosenfeld, rosenfeld_on_the_fly, lsl_std, lsl_rle,
                                           lsl_simd,  suzuki,               he,      he_runs};
static_assert(std::size(solve_on_cpu) <= std::size(all) &&
              all[std::size(solve_on_cpu) - 1].engines.front() == engine_kind::cpu);

constexpr i64 most_pixels = (i64{1} << 32) - 2;  // labels have 32 bits, and 0 is the background

// Labels of HA are places in lines of an even width; colours of squares have room for a chessboard in each.
void check_numbers(const method& which, const extent& size) {
  constexpr i64 most_places = (i64{1} << 32) - 1, most_squares = (i64{1} << 23) - 1, square = 32;
  const i64 places = (size.width + size.width % 2) * size.height;
  if (which.name.starts_with("ha") && places > most_places)
    refuse(which, "takes at most " + std::to_string(most_places) + " pixels with lines made even, not " +
                       std::to_string(places));
  const i64 squares = (size.width + square - 1) / square * ((size.height + square - 1) / square);
  if (which.name == "block-fill" && squares > most_squares)
    refuse(which, "takes at most " + std::to_string(most_squares) + " squares of 32 x 32 pixels, not " +
                       std::to_string(squares));
}

struct room_scratch final : job_scratch {
  buffer<u8> binary;
  buffer<u32> labels;
  std::unique_ptr<job_scratch> of_method;

  [[nodiscard]] std::size_t bytes() const override {
    return binary.bytes() + labels.bytes() + (of_method != nullptr ? of_method->bytes() : 0);
  }
};

room_scratch& scratch_of(engine::state& on) {
  if (on.published_scratch == nullptr) on.published_scratch = std::make_unique<room_scratch>();
  return static_cast<room_scratch&>(*on.published_scratch);
}

void check(engine_kind on, std::string_view by, const label_request& asked) {
  const extent& size = asked.image.size;
  const method& which = find_method(all, by);
  check_engine(which, on);
  if (size.rank != which.rank)
    refuse(which, which.rank == 2 ? "labels images of rank 2 only, not volumes" : "labels volumes only, not images of rank 2");
  check_connectivity(which, asked.options.connectivity);
  if (size.pixels() > most_pixels)
    refuse(which, "takes at most " + std::to_string(most_pixels) + " pixels, not " + std::to_string(size.pixels()));
  check_numbers(which, size);
  if (asked.options.selection.fill_holes || label_stages::selects(asked.options.selection))
    refuse(which, "has no selection (fill_holes, min_area, max_area, clear_border, largest)");
  if (asked.options.order != pixel_order::row_major) refuse(which, "numbers components in row-major order only");
  if (asked.features.moments) refuse(which, "measures area, box and coordinate sums, no moments");
  if (asked.features.intensity.data != nullptr)
    refuse(which, "measures area, box and coordinate sums, no intensity");
}

u64 run_on_cpu(engine::state& on, std::string_view by, const label_request& asked, const label_outputs& out) {
  const image_view& image = asked.image;
  room_scratch& scratch = scratch_of(on);
  binary_rows binary;
  if (is_binary(image, asked.options.foreground)) binary = rows_of(image);
  else on.clock.phase("threshold", [&] { binary = binary_of(image, asked.options.foreground, scratch.binary); });

  label_rows labels;
  const bool direct = out.labels.data != nullptr && is_label_rows(out.labels);
  if (direct) {
    labels = {static_cast<std::byte*>(out.labels.data), out.labels.strides.y};
  } else if (out.labels.data != nullptr || out.runs != nullptr) {
    scratch.labels.reserve(static_cast<std::size_t>(image.size.pixels()));
    labels = {reinterpret_cast<std::byte*>(scratch.labels.data()), image.size.width * static_cast<i64>(sizeof(u32))};
  }
  const task work{on,
                  scratch.of_method,
                  binary,
                  asked.options.connectivity,
                  labels,
                  out.table != nullptr ? &out.table->components : nullptr,
                  [&](u64 count) {
                    if (out.labels.data != nullptr) check_count(count, out.labels.type);
                  }};
  const u64 count = solve_on_cpu[&find_method(all, by) - all](work);
  if (!direct && out.labels.data != nullptr) on.clock.phase("copy", [&] { copy_labels(labels, out.labels); });
  if (out.runs != nullptr) on.clock.phase("runs", [&] { list_runs(labels, image.size, *out.runs); });
  return count;
}

u64 run(engine::state& on, std::string_view by, const label_request& asked, const label_outputs& out,
        const method_options& how) {
  if (out.table != nullptr) {
    out.table->moments.clear();
    out.table->intensities.clear();
    out.table->real_intensities.clear();
  }
  return on.kind == engine_kind::cuda ? run_on_cuda(on, by, asked, out, how) : run_on_cpu(on, by, asked, out);
}

}  // namespace

u64 label(engine& on, std::string_view by, const label_request& asked, const label_outputs& outputs,
          const method_options& how) {
  if (by == own_method) return skerry::label(on, asked, outputs);
  check_input(asked.image, asked.options);
  label_request request = asked;
  if (outputs.table == nullptr) request.features = {};
  check(on.kind(), by, request);
  check_options(find_method(all, by), how);
  check_call(asked, outputs);
  engine::state& state = engine_for_method(on, find_method(all, by).engines.front(),
                                           {{"image", request.image}, {"labels", outputs.labels}});
  // Methods fill the table before they know whether labels fit: where they may not, that is another table.
  feature_table aside;
  const bool is_aside = outputs.table != nullptr && may_overflow(outputs);
  const auto run_method = [&](const label_outputs& part) { return run(state, by, request, part, how); };
  const auto work = [&] {
    label_outputs into = outputs;
    if (is_aside) into.table = &aside;
    const u64 count = outputs.labels_for ? count_then_label(request, into, run_method) : run_method(into);
    if (is_aside) *outputs.table = aside;
    return count;
  };
  return run_call(state, request, outputs, std::ref(work));
}

std::span<const method> methods() { return all; }

std::string method_names() { return names_of(all); }

}  // namespace skerry::published
