// SPDX-License-Identifier: Apache-2.0
// What the papers have of a CPU, on this one: the rivals of [Jung2010] on its noise and spirals, the model of [BlockFill2011], and
// the max-tree of a CPU that [Blin2021] compares with, for which the library's own stands in.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <thread>

#include "data/grey_pictures.hpp"
#include "data/random_image.hpp"
#include "data/spiral_image.hpp"
#include "papers/paper_sections.hpp"
#include "skerry/published.hpp"
#include "skerry/skerry.hpp"
#include "support/warm_buffer.hpp"

namespace skerry::bench {
namespace {

constexpr const char* usage_text =
    "options: [--quick] [--papers=001,003,004] [--repetitions=7] [--seed=0] [--json=FILE]\n"
    "  --quick        small images, few densities: seconds\n"
    "  --repetitions  of 003 and 004; of 001 twice as many and one\n";

struct timed_call {
  paper_sample sample;
  std::function<void()> call;
};

// Calls take turns, so that other work on the machine affects all alike. One call of each before warms up.
void time_in_turn(std::vector<timed_call>& calls, int repetitions, paper_report& report) {
  std::vector<std::vector<double>> seconds(calls.size());
  for (int turn = -1; turn < repetitions; ++turn)
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const auto begin = std::chrono::steady_clock::now();
      calls[i].call();
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
      if (turn >= 0) seconds[i].push_back(taken.count());
    }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    std::vector<double>& each = seconds[i];
    std::sort(each.begin(), each.end());
    paper_sample& sample = calls[i].sample;
    sample.seconds = each[each.size() / 2];
    sample.calls = repetitions;
    sample.spread = (each.back() - each.front()) / sample.seconds;
    report.add(sample);
  }
}

const std::vector<std::string> label_methods = {"skerry", "suzuki", "he", "he-runs", "rosenfeld"};

// Labels of one image by all methods, one thread, each compared with the library's own first.
void bench_labels(const paper_sample& what, const std::vector<std::uint8_t>& pixels, const paper_options& how,
                  paper_report& report) {
  const extent size(what.height, what.width);
  engine on = engine::cpu(1);
  warm_buffer labels(pixels.size());
  for (const int connectivity : {8, 4}) {
    const label_request asked = {{pixels.data(), size}, {.connectivity = connectivity}};
    const label_outputs into = {.labels = {labels.data(), size}};
    std::vector<std::uint32_t> right;
    std::vector<timed_call> calls;
    calls.reserve(label_methods.size());
    for (const std::string& method : label_methods) {
      paper_sample sample = what;
      sample.method = method;
      sample.connectivity = connectivity;
      sample.components = published::label(on, method, asked, into);
      if (right.empty()) right.assign(labels.data(), labels.data() + pixels.size());
      else if (!std::equal(right.begin(), right.end(), labels.data()))
        throw std::runtime_error(method + " and " + label_methods.front() + " differ: " + what.figure);
      calls.push_back({sample, [&on, &method, asked, into] { published::label(on, method, asked, into); }});
    }
    time_in_turn(calls, how.more_repetitions(), report);
  }
}

void bench_noise(const std::string& figure, const extent& size, int granularity, const std::vector<int>& densities,
                 const paper_options& how, paper_report& report) {
  for (const int density : densities)
    bench_labels({.figure = figure,
                  .method = {},
                  .job = "labels",
                  .height = size.height,
                  .width = size.width,
                  .granularity = granularity,
                  .density = density},
                 random_image(size, {granularity, density, how.seed}), how, report);
}

void bench_rivals(const paper_options& how, paper_report& report) {
  const std::vector<int> few = how.quick ? std::vector<int>{50} : std::vector<int>{10, 30, 50, 70, 90};
  const std::vector<extent> sizes = {extent(128, 128), extent(256, 256),   extent(512, 512),
                                     extent(512, 768), extent(1024, 1024), extent(2048, 2048)};
  for (const extent& size : sizes)
    for (const int granularity : {1, 4})
      if (!how.quick || size.width < 300) bench_noise("001 cpu size", size, granularity, few, how, report);
  if (!how.quick)
    bench_noise("001 cpu density", extent(384, 384), 1, {5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95}, how, report);
  for (std::int64_t side = 128; side <= (how.quick ? 256 : 2048); side += 128)
    bench_labels(
        {.figure = "001 cpu spiral", .method = {}, .job = "labels", .height = side, .width = side, .look = "spiral"},
        spiral_image(side), how, report);
}

// The loop of the text, pixel by pixel, columns outside. Stores must stay as they are printed, so the image is volatile.
void model(volatile std::uint32_t* image, std::int64_t side) {
  for (std::int64_t x = 0; x < side; ++x)
    for (std::int64_t y = 0; y < side; ++y) image[x + side * y] = 0;
}

// The same in one loop, as the text says it could be.
void model_in_one_loop(volatile std::uint32_t* image, std::int64_t side) {
  for (std::int64_t i = 0; i < side * side; ++i) image[i] = 0;
}

void bench_model(const paper_options& how, paper_report& report) {
  const std::int64_t side = how.quick ? 1024 : 8192;
  const extent size(side, side);
  warm_buffer image(static_cast<std::size_t>(side * side));
  const std::vector<std::uint8_t> pixels = random_image(size, {16, 50, how.seed});
  engine on = engine::cpu(1);
  const paper_sample what{.figure = "003 cpu",
                          .method = "model",
                          .job = "labels",
                          .connectivity = 4,
                          .height = side,
                          .width = side,
                          .granularity = 16,
                          .density = 50};
  std::vector<timed_call> calls(3, {what, {}});
  calls[0].call = [&] { model(image.data(), side); };
  calls[1].sample.method = "model, one loop";
  calls[1].call = [&] { model_in_one_loop(image.data(), side); };
  calls[2].sample.method = "skerry";
  calls[2].call = [&] { label(on, {pixels.data(), size}, {.connectivity = 4}, {image.data(), size}); };
  time_in_turn(calls, how.repetitions, report);
}

void bench_trees(const paper_options& how, paper_report& report) {
  const std::vector<std::string> looks = {"natural", "blurred", "noise"};
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::vector<extent> sizes = {extent(1080, 1920)};
  if (!how.quick) sizes.push_back(extent(4000, 6000));
  engine alone = engine::cpu(1), all = engine::cpu(threads);
  for (const extent& size : sizes) {
    const std::vector<grey_picture> pictures = grey_pictures(size, {"u8"}, looks, how.seed);
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      max_tree one_tree, tree;
      build(alone, pictures[i].view(), {4}, one_tree);
      build(all, pictures[i].view(), {4}, tree);
      if (one_tree != tree) throw std::runtime_error("trees depend on threads: " + pictures[i].name);
      paper_sample sample{.figure = "004 cpu",
                          .method = "skerry, 1 thread",
                          .job = "tree",
                          .connectivity = 4,
                          .height = size.height,
                          .width = size.width};
      sample.look = looks[i];
      sample.nodes = tree.nodes();
      std::vector<timed_call> calls(2, {sample, {}});
      calls[0].call = [&] { build(alone, pictures[i].view(), {4}, one_tree); };
      calls[1].sample.method = "skerry, all threads";
      calls[1].call = [&] { build(all, pictures[i].view(), {4}, tree); };
      time_in_turn(calls, how.repetitions, report);
    }
  }
}

std::string processor() {
  std::ifstream facts("/proc/cpuinfo");
  for (std::string line; std::getline(facts, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

int run(const paper_options& how) {
  paper_report report(
      {{"device", processor()},
       {"processors", std::to_string(std::thread::hardware_concurrency())},
       {"instruction set", engine::cpu(1).instruction_set()},
       {"skerry", version},
       {"repetitions", std::to_string(how.repetitions) + ", of 001 " + std::to_string(how.more_repetitions())},
       {"seed", std::to_string(how.seed)},
       {"images", how.quick ? "small" : "of the papers' sizes"}});
  if (how.has("001")) bench_rivals(how, report);
  if (how.has("003")) bench_model(how, report);
  if (how.has("004")) bench_trees(how, report);
  if (!how.json.empty()) report.write_json(how.json);
  std::puts("labels of all methods were the same before they were timed, and trees those of one thread");
  return 0;
}

}  // namespace
}  // namespace skerry::bench

int main(int count, char** arguments) try {
  skerry::bench::paper_options wanted;
  wanted.papers = {"001", "003", "004"};
  return skerry::bench::run(skerry::bench::read_paper_options(count, arguments, skerry::bench::usage_text, wanted));
} catch (const std::exception& error) {
  std::fprintf(stderr, "skerry_papers_cpu: %s\n", error.what());
  return 2;
}
