// SPDX-License-Identifier: Apache-2.0
// skerry next to OpenCV and to the floors of the memory, on the same images in one process.
//
// Each repetition of each benchmark is one call. Google Benchmark shuffles all of them, so that noise hits every
// program and every image alike, and consecutive calls find another image's bytes in the caches. Outputs go to warm
// buffers.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>

#include "skerry/published.hpp"
#include "skerry/skerry.hpp"
#include "support/floor.hpp"
#include "support/options.hpp"
#include "support/picture.hpp"
#include "support/program.hpp"
#include "support/right_table.hpp"
#include "support/subject.hpp"
#include "support/warm_buffer.hpp"
#include "versus/agreement.hpp"
#include "versus/opencv_peer.hpp"
#include "versus/table_reporter.hpp"

namespace skerry::bench {
namespace {

// The published methods of the CPU; with several threads those that use them.
template <class Work>
void each_published(int connectivity, int threads, Work work) {
  const auto holds = [](const auto& values, auto value) {
    return std::find(values.begin(), values.end(), value) != values.end();
  };
  for (const published::method& method : published::methods())
    if (holds(method.engines, engine_kind::cpu) && holds(method.connectivities, connectivity) &&
        (threads == 1 || method.parallel))
      work(method);
}

class comparison {
 public:
  explicit comparison(const options& what);
  void check_all();
  void register_all();

 private:
  void check(const picture& image, int connectivity);
  void check_threads(const picture& image, int connectivity, int threads, std::uint64_t count);
  void check_peer(const picture& image, int connectivity, std::uint64_t count);
  void check_published(const picture& image, int connectivity, int threads, std::uint64_t count);
  void check_floors(const picture& image, int threads);
  void add(const subject& what, const picture& image, std::function<void()> call) {
    add_benchmark(what, what_, image.pixels.size(), std::move(call));
  }
  void add_floors(const picture& image, int threads);
  void add_labels(const picture& image, int connectivity, int threads);
  void add_features(const picture& image, int connectivity, int threads);
  void add_published(const picture& image, int connectivity, int threads);
  [[nodiscard]] opencv::job peer_job(const picture& image, int connectivity, int algorithm) {
    return {image.pixels.data(), output_.as_signed(), image.side(), image.side(), connectivity, algorithm};
  }
  [[nodiscard]] mutable_image labels_of(const picture& image) { return {output_.data(), image.size}; }
  [[nodiscard]] std::size_t pixels(const picture& image) const { return image.pixels.size(); }

  options what_;
  std::vector<picture> pictures_;
  std::map<int, engine> engine_;  // by threads
  std::map<std::pair<const picture*, int>, std::uint64_t> count_;
  warm_buffer output_, expected_;
  feature_table table_;
  opencv::statistics statistics_;
};

comparison::comparison(const options& what)
    : what_(what), pictures_(make_pictures(what)), output_(most_pixels(pictures_)), expected_(most_pixels(pictures_)) {
  for (const int threads : what.threads) engine_.emplace(threads, engine::cpu(threads));
}

void comparison::check_all() {
  for (const picture& image : pictures_) {
    for (const int threads : what_.threads) check_floors(image, threads);
    for (const int connectivity : what_.connectivities) check(image, connectivity);
  }
}

void comparison::check_floors(const picture& image, int threads) {
  using copy = void (*)(const std::uint8_t*, std::uint32_t*, std::size_t, int);
  for (const copy work : {copy{floors::copy_plain}, copy{floors::copy_streamed}}) {
    std::fill_n(output_.data(), pixels(image), warm_buffer::unwritten);
    work(image.pixels.data(), output_.data(), pixels(image), threads);
    if (!std::equal(image.pixels.begin(), image.pixels.end(), output_.data()))
      throw std::runtime_error("the copy floor copies wrongly: " + image.name());
  }
  const auto set = static_cast<std::uint64_t>(std::count(image.pixels.begin(), image.pixels.end(), 1));
  require_same_count("read floor, " + image.name(), floors::read(image.pixels.data(), pixels(image), threads), set);
}

// One thread's labels are compared with the independent program; everything else with them.
void comparison::check(const picture& image, int connectivity) {
  const label_options how{.connectivity = connectivity};
  const mutable_image expected{expected_.data(), image.size};
  const std::uint64_t count = label(engine_.at(what_.threads.front()), image.view(), how, expected);
  count_[{&image, connectivity}] = count;
  if (opencv::algorithms(connectivity).empty()) {
    engine oracle = engine::reference();
    require_same_count("skerry, " + image.name(), label(oracle, image.view(), how, labels_of(image)), count);
    require_same_labels("skerry, " + image.name(), output_.data(), expected_.data(), pixels(image));
  }
  measure(engine_.at(what_.threads.front()), image.view(), how, {.moments = true}, table_);
  require_right_table("skerry, " + image.name(), expected_.data(), image.size, table_);
  check_peer(image, connectivity, count);
  for (const int threads : what_.threads) {
    check_threads(image, connectivity, threads, count);
    check_published(image, connectivity, threads, count);
  }
}

void comparison::check_published(const picture& image, int connectivity, int threads, std::uint64_t count) {
  each_published(connectivity, threads, [&](const published::method& method) {
    const std::string who = std::string(method.name) + " with " + std::to_string(threads) + " threads, " + image.name();
    const label_request asked = {image.view(), {.connectivity = connectivity}};
    engine& on = engine_.at(threads);
    std::fill_n(output_.data(), pixels(image), warm_buffer::unwritten);
    require_same_count(who, published::label(on, method.name, asked, {.labels = labels_of(image)}), count);
    require_same_labels(who, output_.data(), expected_.data(), pixels(image));
    require_same_count(who, published::label(on, method.name, asked, {.table = &table_}), count);
    require_right_table(who, expected_.data(), image.size, table_);
  });
}

void comparison::check_peer(const picture& image, int connectivity, std::uint64_t count) {
  statistics_.reserve(count);
  for (const int threads : what_.threads) {
    opencv::set_threads(threads);
    for (const opencv::algorithm& algorithm : opencv::algorithms(connectivity)) {
      const std::string who = "OpenCV " + algorithm.name + " next to skerry, " + image.name();
      const opencv::job job = peer_job(image, connectivity, algorithm.number);
      require_same_count(who, opencv::label(job), count);
      require_same_partition(who, job.labels, expected_.data(), pixels(image), count);
      require_same_count(who, statistics_.label_and_measure(job, count), count);
      const auto label_of = require_same_partition(who, job.labels, expected_.data(), pixels(image), count);
      require_same_geometry(who, statistics_, label_of, table_);
    }
  }
}

void comparison::check_threads(const picture& image, int connectivity, int threads, std::uint64_t count) {
  const std::string who = "skerry with " + std::to_string(threads) + " threads, " + image.name();
  const label_options how{.connectivity = connectivity};
  engine& on = engine_.at(threads);
  const auto require_labels = [&] {
    require_same_labels(who, output_.data(), expected_.data(), pixels(image));
    std::fill_n(output_.data(), pixels(image), warm_buffer::unwritten);
  };
  require_same_count(who, label(on, image.view(), how, labels_of(image)), count);
  require_labels();
  require_same_count(who, count_components(on, image.view(), how), count);
  for (const bool moments : {false, true}) {
    require_same_count(who, measure(on, image.view(), how, {.moments = moments}, table_), count);
    require_right_table(who, expected_.data(), image.size, table_);
  }
  label(on, {image.view(), how}, {.labels = labels_of(image), .table = &table_});
  require_labels();
  require_right_table(who, expected_.data(), image.size, table_);
}

void comparison::register_all() {
  for (const picture& image : pictures_)
    for (const int threads : what_.threads) {
      add_floors(image, threads);
      for (const int connectivity : what_.connectivities) {
        add_labels(image, connectivity, threads);
        add_features(image, connectivity, threads);
        add_published(image, connectivity, threads);
      }
    }
}

void comparison::add_floors(const picture& image, int threads) {
  const auto named = [&](const char* method) { return subject("floor", 0, image, threads, method); };
  add(named("copy plain"), image,
      [&, threads] { floors::copy_plain(image.pixels.data(), output_.data(), pixels(image), threads); });
  add(named("copy streamed"), image,
      [&, threads] { floors::copy_streamed(image.pixels.data(), output_.data(), pixels(image), threads); });
  add(named("read"), image,
      [&, threads] { benchmark::DoNotOptimize(floors::read(image.pixels.data(), pixels(image), threads)); });
}

void comparison::add_labels(const picture& image, int connectivity, int threads) {
  subject what("labels", connectivity, image, threads, "skerry");
  const label_options how{.connectivity = connectivity};
  engine& on = engine_.at(threads);
  add(what, image, [&, how] { label(on, image.view(), how, labels_of(image)); });
  for (const opencv::algorithm& algorithm : opencv::algorithms(connectivity)) {
    what.method = "OpenCV " + algorithm.name;
    add(what, image, [this, threads, job = peer_job(image, connectivity, algorithm.number)] {
      opencv::set_threads(threads);
      opencv::label(job);
    });
  }
}

void comparison::add_features(const picture& image, int connectivity, int threads) {
  subject what("features", connectivity, image, threads, "skerry");
  const label_options how{.connectivity = connectivity};
  engine& on = engine_.at(threads);
  add(what, image, [&, how] { measure(on, image.view(), how, {}, table_); });
  what.method = "skerry with moments";
  add(what, image, [&, how] { measure(on, image.view(), how, {.moments = true}, table_); });
  what.method = "skerry with labels";
  add(what, image, [&, how] { label(on, {image.view(), how}, {.labels = labels_of(image), .table = &table_}); });
  what.method = "skerry count";
  add(what, image, [&, how] { benchmark::DoNotOptimize(count_components(on, image.view(), how)); });
  const std::uint64_t count = count_.at({&image, connectivity});
  for (const opencv::algorithm& algorithm : opencv::algorithms(connectivity)) {
    what.method = "OpenCV " + algorithm.name;
    add(what, image, [this, threads, count, job = peer_job(image, connectivity, algorithm.number)] {
      opencv::set_threads(threads);
      statistics_.label_and_measure(job, count);
    });
  }
}

void comparison::add_published(const picture& image, int connectivity, int threads) {
  each_published(connectivity, threads, [&](const published::method& method) {
    const std::string name = "published " + std::string(method.name);
    const label_request asked = {image.view(), {.connectivity = connectivity}};
    engine& on = engine_.at(threads);
    add(subject("labels", connectivity, image, threads, name), image,
        [&, asked, method] { published::label(on, method.name, asked, {.labels = labels_of(image)}); });
    add(subject("features", connectivity, image, threads, name), image,
        [&, asked, method] { published::label(on, method.name, asked, {.table = &table_}); });
  });
}

int run(std::vector<std::string> arguments) {
  const options what = read_options(arguments);
  if (what.volumes) throw std::invalid_argument("--volumes: OpenCV labels images only");
  if (!initialise(arguments, what)) return 2;
  benchmark::AddCustomContext("OpenCV", opencv::version());
  if (opencv::version() == "absent") std::fputs("OpenCV is absent from this build: its rows are left out\n", stderr);
  check_and_time<comparison, table_reporter>(what, "all outputs agree");
  return 0;
}

}  // namespace
}  // namespace skerry::bench

int main(int count, char** arguments) {
  return skerry::bench::program("skerry_versus", count, arguments, skerry::bench::run);
}
