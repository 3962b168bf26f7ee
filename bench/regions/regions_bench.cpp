// SPDX-License-Identifier: Apache-2.0
// What a table of a given label image costs, next to reading it: components of random images, numbered in raster order and at
// random; and columns of scikit-image's that read neighbours, without and with central moments. Sides, granularities, densities,
// threads (the largest number) and repetitions are those of the other benches.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>

#include "skerry/skerry.hpp"
#include "support/floor.hpp"
#include "support/options.hpp"
#include "support/picture.hpp"
#include "support/program.hpp"

namespace skerry::bench {
namespace {

struct label_picture {
  std::vector<std::uint32_t> labels, shuffled;
  extent size;
  feature_table table;  // of the labels
};

label_picture labelled(engine& on, const picture& image) {
  label_picture result{std::vector<std::uint32_t>(image.pixels.size()), {}, image.size, {}};
  const label_outputs outputs{.labels = mutable_image(result.labels.data(), image.size), .table = &result.table};
  label(on, {image.view(), {.connectivity = 8}, {.moments = true}}, outputs);
  std::vector<std::uint32_t> number(result.table.size() + 1);
  std::iota(number.begin(), number.end(), 0u);
  std::shuffle(number.begin() + 1, number.end(), std::mt19937(1));
  for (const std::uint32_t label : result.labels) result.shuffled.push_back(number[label]);
  return result;
}

void require_right(engine& on, const label_picture& image) {
  region_table table;
  measure_regions(on, {.labels = image_view(image.labels.data(), image.size), .features = {.moments = true}}, table);
  if (table.features.components != image.table.components || table.features.moments != image.table.moments)
    throw std::runtime_error("measure_regions() differs from measure()");
  measure_regions(on, {.labels = image_view(image.shuffled.data(), image.size)}, table);
  if (table.size() != image.table.size()) throw std::runtime_error("regions are missing");
}

// The median time of a call in nanoseconds per pixel.
double time(const std::function<void()>& call, const label_picture& image, int repetitions) {
  std::vector<double> spent;
  for (int k = 0; k <= repetitions; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - begin;
    if (k > 0) spent.push_back(passed.count() / static_cast<double>(image.labels.size()));
  }
  const auto middle = spent.begin() + static_cast<std::ptrdiff_t>(spent.size() / 2);
  std::nth_element(spent.begin(), middle, spent.end());
  return *middle;
}

int run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin() + 1, "--sizes=2048");  // unless the user says otherwise
  const options what = read_options(arguments);
  if (arguments.size() > 1) throw std::invalid_argument("'" + arguments[1] + "' is not an option\n" + usage);
  const int threads = *std::max_element(what.threads.begin(), what.threads.end());
  engine on = engine::cpu(threads);
  std::printf("ns per pixel of uint32 labels on %d threads\n%6s%4s%6s%10s%9s%9s%9s%9s%9s%9s%9s\n", threads, "side", "g",
              "", "regions", "read", "area…", "moments", "uint8", "shuffled", "patterns", "and c.m.");
  std::uint64_t sum = 0;
  for (const picture& image : make_pictures(what)) {
    const label_picture given = labelled(on, image);
    require_right(on, given);
    region_table table;
    column_table columns;
    const column_request patterns{.columns = {"perimeter", "euler_number"}};
    const column_request with_moments{.columns = {"perimeter", "euler_number", "moments_central"}};
    const image_view labels(given.labels.data(), given.size), shuffled(given.shuffled.data(), given.size);
    const auto bytes = reinterpret_cast<const std::uint8_t*>(given.labels.data());
    const std::function<void()> calls[] = {
        [&] { sum += floors::read(bytes, given.labels.size() * 4, threads); },
        [&] { measure_regions(on, {.labels = labels}, table); },
        [&] { measure_regions(on, {.labels = labels, .features = {.moments = true}}, table); },
        [&] { measure_regions(on, {.labels = labels, .features = {.intensity = image.view()}}, table); },
        [&] { measure_regions(on, {.labels = shuffled}, table); },
        [&] { measure_columns(on, labels, patterns, columns); },
        [&] { measure_columns(on, labels, with_moments, columns); },
    };
    std::printf("%6d%4d%4d %%%10zu", image.side(), image.granularity, image.density, given.table.size());
    for (const auto& call : calls) std::printf("%9.3f", time(call, given, what.repetitions));
    std::printf("\n");
    std::fflush(stdout);
  }
  return sum == 0 ? 1 : 0;
}

}  // namespace
}  // namespace skerry::bench

int main(int count, char** arguments) {
  return skerry::bench::program("skerry_regions", count, arguments, skerry::bench::run);
}
