// SPDX-License-Identifier: Apache-2.0
// Given label images on a device: what tables, columns, new labels and values of regions take, next to reading the labels. They are
// components of random images, uint32 in device memory.
//
// Calls return with their tables in host memory. "device" is the time between marks in the stream, without the copies of
// tables; "call" is the time of the host, with them.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "data/random_image.hpp"
#include "skerry/skerry.hpp"
#include "support/cuda_clock.hpp"
#include "support/cuda_floor.hpp"
#include "support/cuda_memory.hpp"
#include "support/cuda_options.hpp"
#include "support/cuda_report.hpp"

namespace skerry::bench {
namespace {

// Labels and grey values of one size, on the device and on the host.
struct region_desk {
  explicit region_desk(const extent& shape)
      : size(shape), pixels(static_cast<std::size_t>(shape.pixels())), labels(4 * pixels), written(4 * pixels),
        greys(pixels), host_greys(pixels), host_labels(pixels) {
    for (std::size_t i = 0; i < pixels; ++i)
      host_greys[i] = static_cast<std::uint8_t>(static_cast<std::uint32_t>(i) * 2654435761u >> 24);
    greys.upload(host_greys.data(), pixels);
    on.set_profiling(true);
  }
  // Finds the labels of an image on the CPU.
  void take(const std::vector<std::uint8_t>& image) {
    const label_outputs outputs{.labels = mutable_image(host_labels.data(), size)};
    label(cpu, {image_view(image.data(), size), {.connectivity = 8}, {}}, outputs);
    labels.upload(host_labels.data(), 4 * pixels);
  }
  [[nodiscard]] image_view on_device() const { return {labels.data<std::uint32_t>(), size, residence::device(0)}; }
  [[nodiscard]] image_view greys_on_device() const { return {greys.data<std::uint8_t>(), size, residence::device(0)}; }
  [[nodiscard]] image_view in_host() const { return {host_labels.data(), size}; }
  [[nodiscard]] image_view greys_in_host() const { return {host_greys.data(), size}; }
  [[nodiscard]] mutable_image out() const { return {written.data<std::uint32_t>(), size, residence::device(0)}; }

  extent size;
  std::size_t pixels;
  device_buffer labels, written, greys;
  std::vector<std::uint8_t> host_greys;
  std::vector<std::uint32_t> host_labels;
  engine cpu = engine::cpu(), on = engine::cuda();
};

// A job, which call() does on the device; check() throws when it differs from the CPU's.
struct region_task {
  std::string name;
  bool has_marks;  // an engine tells its device time
  std::function<void()> call;
  std::function<void()> check;
};

void require_same(bool same, const std::string& what) {
  if (!same) throw std::runtime_error(what + " differ from those of the CPU");
}

// Of a region without weight, columns are NaN.
bool are_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

class region_tasks {
 public:
  explicit region_tasks(region_desk& desk) : desk_(desk) {
    add_tables();
    add_columns();
    add_labels_and_values();
  }
  region_tasks(const region_tasks&) = delete;
  region_tasks& operator=(const region_tasks&) = delete;
  std::vector<region_task> all;

 private:
  void add_tables() {
    struct wanted {
      const char* name;
      bool moments, intensities;
    };
    for (const wanted& each :
         {wanted{"area, box, sums", false, false}, wanted{"and moments", true, false}, wanted{"and u8", false, true}}) {
      const auto request = [this, each](const image_view& labels, const image_view& greys) {
        region_request asked{.labels = labels, .features = {.moments = each.moments}};
        if (each.intensities) asked.features.intensity = greys;
        return asked;
      };
      all.push_back(
          {each.name, true,
           [=, this] { measure_regions(desk_.on, request(desk_.on_device(), desk_.greys_on_device()), table_); },
           [=, this] {
             region_table right;
             measure_regions(desk_.cpu, request(desk_.in_host(), desk_.greys_in_host()), right);
             require_same(right.labels == table_.labels && right.features.components == table_.features.components &&
                              right.features.moments == table_.features.moments &&
                              right.features.intensities == table_.features.intensities,
                          "tables");
           }});
    }
  }

  // The first have marks for all that the device does, the others for the table of regions alone.
  void add_columns() {
    struct wanted {
      const char* name;
      std::vector<std::string> columns;
      bool has_marks = false, reads_greys = false;
    };
    for (const wanted& each :
         {wanted{"perimeter, Euler", {"area", "perimeter", "euler_number"}, true},
          wanted{"moments to order 3", {"moments_central"}},
          wanted{"weighted moments", {"moments_weighted_central"}, false, true},
          wanted{"convex area, diameter", {"area_convex", "feret_diameter_max"}},
          wanted{"filled area, holes", {"filled"}}, wanted{"medians of u8", {"intensity_median"}, false, true}})
      add_columns(each.name, each.columns, each.has_marks, each.reads_greys);
  }

  void add_columns(const char* name, const std::vector<std::string>& names, bool has_marks, bool reads_greys) {
    const auto request = [names, reads_greys](const image_view& greys) {
      column_request asked{.columns = names};
      if (reads_greys) asked.intensity = greys;
      return asked;
    };
    all.push_back(
        {name, has_marks,
         [=, this] { measure_columns(desk_.on, desk_.on_device(), request(desk_.greys_on_device()), columns_); },
         [=, this] {
           column_table right;
           measure_columns(desk_.cpu, desk_.in_host(), request(desk_.greys_in_host()), right);
           for (std::size_t c = 0; c < right.columns.size(); ++c)
             require_same(right.columns[c].integers == columns_.columns[c].integers &&
                              std::ranges::equal(right.columns[c].numbers, columns_.columns[c].numbers, are_same),
                          right.columns[c].name);
         }});
  }

  void add_labels_and_values() {
    all.push_back(
        {"relabel", true, [this] { originals_ = relabel(desk_.on, desk_.on_device(), {}, desk_.out()); },
         [this] {
           std::vector<std::uint32_t> right(desk_.pixels), found(desk_.pixels);
           const auto originals = relabel(desk_.cpu, desk_.in_host(), {}, mutable_image(right.data(), desk_.size));
           require(cudaMemcpy(found.data(), desk_.written.data(), 4 * desk_.pixels, cudaMemcpyDeviceToHost), "labels");
           require_same(originals == originals_ && right == found, "labels");
         }});
    all.push_back({"extrema", false,
                   [this] {
                     extrema_ = find_extrema(desk_.on, {desk_.on_device(), desk_.greys_on_device()});
                   },
                   [this] {
                     const region_extrema right = find_extrema(desk_.cpu, {desk_.in_host(), desk_.greys_in_host()});
                     const auto same = [](const placed_value& a, const placed_value& b) {
                       return a.value == b.value && a.y == b.y && a.x == b.x;
                     };
                     require_same(right.labels == extrema_.labels &&
                                      std::equal(right.min.begin(), right.min.end(), extrema_.min.begin(), same) &&
                                      std::equal(right.max.begin(), right.max.end(), extrema_.max.begin(), same),
                                  "extrema");
                   }});
    const std::vector<double> edges = equal_bins(0, 256, 8);
    all.push_back({"histograms of 8 bins", false,
                   [=, this] {
                     counts_ = count_histograms(desk_.on, {desk_.on_device(), desk_.greys_on_device()}, edges);
                   },
                   [=, this] {
                     require_same(count_histograms(desk_.cpu, {desk_.in_host(), desk_.greys_in_host()}, edges).counts ==
                                      counts_.counts,
                                  "histograms");
                   }});
  }

  region_desk& desk_;
  region_table table_;
  column_table columns_;
  region_extrema extrema_;
  region_histograms counts_;
  std::vector<label_bits> originals_;
};

struct task_times {
  timing device, call;  // seconds
};

task_times time(const region_task& task, const region_desk& desk, int repetitions) {
  std::vector<double> device, calls;
  task.call();
  task.check();
  for (int k = 0; k < repetitions; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    task.call();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    calls.push_back(passed.count());
    const stage_times stages = desk.on.last_profile();
    device.push_back(std::accumulate(std::begin(stages.milliseconds), std::end(stages.milliseconds), 0.0) * 1e-3);
  }
  return {timing_of(device), timing_of(calls)};
}

void bench_floor(region_desk& desk, int repetitions, cuda_report& report) {
  cudaStream_t stream = nullptr;
  require(cudaStreamCreate(&stream), "cudaStreamCreate");
  const device_buffer sums(sizeof(std::uint32_t));
  {
    const cuda_graph graph(stream, [&] {
      cuda_floors::read(desk.labels.data<std::uint8_t>(), sums.data<std::uint32_t>(), 4 * desk.pixels, stream);
    });
    report.add(cuda_floor{
        "read 4 B/px", static_cast<double>(desk.pixels) / time_replays(graph, std::max(repetitions, 11)).median / 1e9});
  }
  cudaStreamDestroy(stream);
}

void bench_granularity(region_desk& desk, int granularity, const cuda_options& how, cuda_report& report) {
  region_tasks tasks(desk);
  std::vector<cuda_row> rows;
  for (const region_task& task : tasks.all)
    for (const char* const clock : {"device", "call"})
      rows.push_back({"skerry", task.name + ", " + clock, 8, std::to_string(desk.size.width) + "²", granularity});
  for (const int density : how.what.densities) {
    desk.take(random_image(desk.size, {granularity, density, how.what.seed}));
    for (std::size_t k = 0; k < tasks.all.size(); ++k) {
      const task_times found = time(tasks.all[k], desk, how.what.repetitions);
      const auto speed = [&](const timing& of) { return static_cast<double>(desk.pixels) / of.median / 1e9; };
      if (tasks.all[k].has_marks) rows[2 * k].add(density, speed(found.device), found.device.spread);
      rows[2 * k + 1].add(density, speed(found.call), found.call.spread);
    }
  }
  for (const cuda_row& row : rows)
    if (!row.by_density.empty()) report.add(row);
}

// The labels of the first image that is asked for, as they lie in memory.
void write_labels(const cuda_options& how) {
  const options& what = how.what;
  const extent size(what.sizes.front(), what.sizes.front());
  region_desk desk(size);
  desk.take(random_image(size, {what.granularities.front(), what.densities.front(), what.seed}));
  std::ofstream file(how.labels_to, std::ios::binary);
  file.write(reinterpret_cast<const char*>(desk.host_labels.data()), static_cast<std::streamsize>(4 * desk.pixels));
  if (!file.flush()) throw std::runtime_error(how.labels_to + ": could not be written");
}

int run(const cuda_options& how) {
  if (!how.labels_to.empty()) return write_labels(how), 0;
  auto head = device_facts();
  head["repetitions"] = std::to_string(how.what.repetitions);
  head["seed"] = std::to_string(how.what.seed);
  cuda_report report(head);
  for (const int side : how.what.sizes) {
    region_desk desk(extent(side, side));
    bench_floor(desk, how.what.repetitions, report);
    for (const int granularity : how.what.granularities) bench_granularity(desk, granularity, how, report);
  }
  if (!how.json.empty()) report.write_json(how.json);
  std::puts("every output was that of the CPU engine, before it was timed");
  return 0;
}

}  // namespace
}  // namespace skerry::bench

int main(int count, char** arguments) {
  return skerry::bench::cuda_main("skerry_cuda_regions", count, arguments, skerry::bench::run);
}
