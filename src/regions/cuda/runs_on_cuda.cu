// SPDX-License-Identifier: Apache-2.0
// Runs of regions, for the host, and the holes that a device finds with them.
#include <optional>

#include "regions/cuda/holes.cuh"
#include "regions/cuda/on_cuda.hpp"
#include "regions/cuda/runs.cuh"
#include "regions/cuda/scratch.cuh"
#include "regions/label_slots.hpp"

namespace skerry::regions {

using namespace on_device;  // NOLINT: this is their driver

namespace {

// A label image whose labels are numbered, and whose runs are counted.
struct counted_runs {
  region_launch work;
  row_segments segments;
  u64 regions;
  u64* before;  // the runs that begin before each segment, and behind these all there are

  counted_runs(region_scratch& scratch, const image_view& labels, const background& rule)
      : work(launch_of(scratch, labels, rule)), segments(row_segments::of(labels.size)),
        regions(number_labels(work, scratch)),
        before(room_for<u64>(scratch.moments, segments.all + 1, "the runs of segments")) {
    work.with_labels([&]<class Label>(const background_test<Label>& test) {
      count_runs_kernel<Label>
          <<<segments.blocks(), run_threads, 0, work.stream>>>(work.source(), segments, test, before);
    });
    add_up_runs_kernel<<<1, run_threads, 0, work.stream>>>(segments.all, before);
    check_cuda(cudaGetLastError(), "measure");
  }

  template <class Runs>
  void write(const Runs& to) const {
    work.with_labels([&]<class Label>(const background_test<Label>& test) {
      write_runs_kernel<Label>
          <<<segments.blocks(), run_threads, 0, work.stream>>>(work.source(), segments, test, work.numbers, before, to);
    });
    check_cuda(cudaGetLastError(), "measure");
  }

  [[nodiscard]] u64 all() const {
    u64 count = 0;
    check_cuda(cudaMemcpyAsync(&count, before + segments.all, sizeof count, cudaMemcpyDeviceToHost, work.stream),
               "measure");
    check_cuda(cudaStreamSynchronize(work.stream), "measure");
    return count;
  }
};

// Runs in raster order become runs by region, in raster order each. Returns the regions of these, and room for a parent of each.
gap_work sort_runs(const hole_tables& tables, u32 runs, u64 regions, cudaStream_t stream) {
  const u32 digits = digits_of_regions(regions), end = (digits - 1) % 2;
  digit_sort sort(tables.sort, runs, digits, stream);
  const auto pass = [&](const auto& from, u32 digit) {
    const u32 side = digit % 2, shift = digit * digit_bits;
    if (digit + 1 == digits)
      check_cuda(sort.pass(from, runs_by_region{tables.found, tables.sorted, tables.keys[end]}, shift), "measure");
    else check_cuda(sort.pass(from, pairs_to_memory<u32>{tables.keys[side], tables.places[side], 0}, shift), "measure");
  };
  const found_runs found{tables.found_regions};
  check_cuda(sort.count(found), "measure");
  pass(found, 0);
  for (u32 digit = 1; digit < digits; ++digit) {
    const u32 other = 1 - digit % 2;
    pass(pairs_in_memory<u32>{tables.keys[other], tables.places[other]}, digit);
  }
  return {tables.sorted, tables.keys[end], tables.firsts, tables.places[end], runs};
}

image_runs runs_on_host(region_scratch& scratch, const counted_runs& counted) {
  const row_segments& segments = counted.segments;
  std::vector<u64> of_segments;
  download(scratch.moments, segments.all + 1, counted.work.stream, of_segments);
  image_runs found;
  for (u64 segment = 0; segment <= segments.all; segment += segments.of_row)
    found.first.push_back(of_segments[segment]);
  const u64 count = found.first.back();
  if (count == 0) return found;
  counted.write(runs_to_host{room_for<region_runs::run>(scratch.rows, count, "the runs")});
  download(scratch.rows, count, counted.work.stream, found.runs);
  return found;
}

// Adds background runs between the runs of regions.
outline_runs with_background(const image_runs& found, const std::vector<label_bits>& labels, const image_view& image) {
  const bool is_signed = is_signed_label_type(image.type);
  const auto width = static_cast<u32>(image.size.width);
  outline_runs all;
  all.runs.reserve(2 * found.runs.size() + static_cast<std::size_t>(2 * image.size.height));
  for (i64 row = 0; row < image.size.height; ++row) {
    all.tops.push_back(row);
    all.firsts.push_back(all.runs.size());
    u32 end = 0;
    for (const region_runs::run& run : found.of(row)) {
      if (run.begin != end) all.runs.push_back({0, end, false});
      all.runs.push_back({order_of_label(labels[run.number], is_signed), run.begin, true});
      end = run.end;
    }
    if (end != width) all.runs.push_back({0, end, false});
    all.runs.push_back({0, width, false});
  }
  all.tops.push_back(image.size.height);
  all.firsts.push_back(all.runs.size());
  return all;
}

}  // namespace

image_runs find_runs_on_cuda(engine::state& on, const image_view& labels, const background& rule) {
  const current_device here(on.device);
  region_scratch& scratch = scratch_in(on.region_scratch);
  return runs_on_host(scratch, counted_runs(scratch, labels, rule));
}

outline_runs find_outline_runs_on_cuda(engine::state& on, const outline_request& asked) {
  const current_device here(on.device);
  region_scratch& scratch = scratch_in(on.region_scratch);
  const counted_runs counted(scratch, asked.labels, asked.background);
  const image_runs found = runs_on_host(scratch, counted);
  std::vector<label_bits> labels;
  if (counted.regions != 0) {
    write_labels(counted.work, room_for<label_bits>(scratch.row_labels, counted.regions, "the labels"),
                 counted.regions);
    download(scratch.row_labels, counted.regions, counted.work.stream, labels);
  }
  return with_background(found, labels, asked.labels);
}

std::vector<region_holes> find_holes_on_cuda(engine::state& on, const image_view& labels, const background& rule) {
  const current_device here(on.device);
  region_scratch& scratch = scratch_in(on.region_scratch);
  const counted_runs counted(scratch, labels, rule);
  const cudaStream_t stream = counted.work.stream;
  std::vector<region_holes> found;
  const u64 count = counted.all();
  if (count == 0) return found;
  if (count >> 31 != 0)
    throw invalid_argument("labels: have more runs than the cuda engine can sort; use engine::cpu()");
  const auto runs = static_cast<u32>(count);
  std::optional<hole_tables> laid_out;
  lay_out_in(scratch.rows, "the runs", [&](pieces& memory) { laid_out.emplace(memory, runs, counted.regions); });
  const hole_tables& tables = *laid_out;
  auto* const to = room_for<region_holes>(scratch.patterns, counted.regions, "the table's holes");
  check_cuda(cudaMemsetAsync(to, 0, counted.regions * sizeof(region_holes), stream), "measure");
  counted.write(runs_to_sort{tables.found, tables.found_regions});
  const gap_work work = sort_runs(tables, runs, counted.regions, stream);
  const u32 blocks = blocks_of((count + list_threads - 1) / list_threads);
  begin_gaps_kernel<<<blocks, list_threads, 0, stream>>>(work, counted.regions);
  join_gaps_kernel<<<blocks, list_threads, 0, stream>>>(work, labels.size);
  count_holes_kernel<<<blocks, list_threads, 0, stream>>>(work, to);
  check_cuda(cudaGetLastError(), "measure");
  download(scratch.patterns, counted.regions, stream, found);
  return found;
}

}  // namespace skerry::regions
