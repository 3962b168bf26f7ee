// SPDX-License-Identifier: Apache-2.0
// Where the time of label() and measure() goes: the six stages, from the profile that every engine can take, and the
// scratch per run. Images or, with --volumes, volumes.
#include <benchmark/benchmark.h>

#include <map>
#include <stdexcept>

#include "label/stage_reporter.hpp"
#include "skerry/skerry.hpp"
#include "support/options.hpp"
#include "support/picture.hpp"
#include "support/program.hpp"
#include "support/subject.hpp"
#include "support/warm_buffer.hpp"

namespace skerry::bench {
namespace {

class stage_bench {
 public:
  explicit stage_bench(const options& what)
      : what_(what), pictures_(make_pictures(what)), output_(most_pixels(pictures_)),
        expected_(most_pixels(pictures_)) {
    for (const int threads : what.threads) {
      engine_.emplace(threads, engine::cpu(threads)).first->second.set_profiling(true);
    }
  }
  void check_all();
  void register_all();

 private:
  struct footprint {
    double runs, scratch_bytes;
  };

  void check(const picture& image, int connectivity);
  void add(const picture& image, int connectivity, int threads, const std::string& job, bool labels, bool table);
  [[nodiscard]] footprint footprint_of(const picture& image, int connectivity, int threads);
  [[nodiscard]] mutable_image labels_of(const picture& image) { return {output_.data(), image.size}; }

  options what_;
  std::vector<picture> pictures_;
  std::map<int, engine> engine_;  // by threads
  warm_buffer output_, expected_;
  feature_table table_, expected_table_;
};

void stage_bench::check_all() {
  for (const picture& image : pictures_)
    for (const int connectivity : what_.connectivities) check(image, connectivity);
}

void stage_bench::check(const picture& image, int connectivity) {
  const label_options how{.connectivity = connectivity};
  engine oracle = engine::reference();
  label(oracle, {image.view(), how}, {.labels = {expected_.data(), image.size}, .table = &expected_table_});
  for (const int threads : what_.threads) {
    engine& on = engine_.at(threads);
    const std::size_t pixels = image.pixels.size();
    const auto require_labels = [&] {
      if (!std::equal(expected_.data(), expected_.data() + pixels, output_.data()))
        throw std::runtime_error("wrong labels, " + image.name());
      std::fill_n(output_.data(), pixels, warm_buffer::unwritten);
    };
    if (label(on, image.view(), how, labels_of(image)) != expected_table_.size())
      throw std::runtime_error("wrong count, " + image.name());
    require_labels();
    label(on, {image.view(), how}, {.labels = labels_of(image), .table = &table_});
    require_labels();
    if (table_.components != expected_table_.components) throw std::runtime_error("wrong table, " + image.name());
    measure(on, image.view(), how, {}, table_);
    if (table_.components != expected_table_.components) throw std::runtime_error("wrong table, " + image.name());
  }
}

// A new engine, since scratch only grows.
stage_bench::footprint stage_bench::footprint_of(const picture& image, int connectivity, int threads) {
  const label_options how{.connectivity = connectivity};
  engine on = engine::cpu(threads);
  label(on, image.view(), how, labels_of(image));
  const auto scratch = static_cast<double>(on.scratch_bytes());
  std::vector<labelled_run> runs;
  label_runs(on, image.view(), how, runs);
  return {static_cast<double>(runs.size()), scratch};
}

void stage_bench::register_all() {
  for (const picture& image : pictures_)
    for (const int threads : what_.threads)
      for (const int connectivity : what_.connectivities) {
        add(image, connectivity, threads, "label", true, false);
        add(image, connectivity, threads, "measure", false, true);
        add(image, connectivity, threads, "label and measure", true, true);
      }
}

void stage_bench::add(const picture& image, int connectivity, int threads, const std::string& job, bool labels,
                      bool table) {
  const label_options how{.connectivity = connectivity};
  engine& on = engine_.at(threads);
  const auto call = [this, &image, &on, how, labels, table] {
    if (!table) {
      label(on, image.view(), how, labels_of(image));
    } else {
      label(on, {image.view(), how}, {.labels = labels ? labels_of(image) : mutable_image{}, .table = &table_});
    }
  };
  const footprint cost = job == "label" ? footprint_of(image, connectivity, threads) : footprint{};
  const auto note = [&on, cost, pixels = static_cast<double>(image.pixels.size())](benchmark::State& state,
                                                                                   double seconds) {
    const stage_times times = on.last_profile();
    double rest = seconds * 1e9 / pixels;
    for (int stage = 0; stage < 6; ++stage) {
      const double spent = times.milliseconds[stage] * 1e6 / pixels;
      state.counters[stage_counter(stage)] = spent;
      rest -= spent;
    }
    state.counters[stage_counter(6)] = rest;
    if (cost.runs == 0) return;
    state.counters["runs"] = cost.runs;
    state.counters["scratch_bytes"] = cost.scratch_bytes;
  };
  add_benchmark(subject(job, connectivity, image, threads, "skerry"), what_, image.pixels.size(), call, note);
}

int run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin() + 1, "--sizes=4096");  // unless the user says otherwise
  const options what = read_options(arguments);
  if (!initialise(arguments, what)) return 2;
  check_and_time<stage_bench, stage_reporter>(what, "all outputs are those of the reference");
  return 0;
}

}  // namespace
}  // namespace skerry::bench

int main(int count, char** arguments) {
  return skerry::bench::program("skerry_stages", count, arguments, skerry::bench::run);
}
