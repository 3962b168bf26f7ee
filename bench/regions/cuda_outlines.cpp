// SPDX-License-Identifier: Apache-2.0
// Times outlines of labels in device memory up to host memory, against the CPU engine on the same labels in host memory. Needs a
// GPU; takes no options. Prints a table.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "data/random_image.hpp"
#include "skerry/skerry.hpp"
#include "support/cuda_clock.hpp"
#include "support/cuda_memory.hpp"

namespace skerry::bench {
namespace {

constexpr extent size(4096, 4096);

// Discs of 34 pixels across, 40 apart.
std::vector<std::uint8_t> discs() {
  std::vector<std::uint8_t> image;
  image.reserve(static_cast<std::size_t>(size.pixels()));
  const auto from_centre = [](std::int64_t place) { return place % 40 - 20; };
  for (std::int64_t y = 0; y < size.height; ++y)
    for (std::int64_t x = 0; x < size.width; ++x)
      image.push_back(from_centre(y) * from_centre(y) + from_centre(x) * from_centre(x) < 17 * 17 ? 1 : 0);
  return image;
}

double milliseconds(int repetitions, const std::function<void()>& call) {
  std::vector<double> spent;
  for (int k = 0; k < repetitions; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    spent.push_back(passed.count());
  }
  return timing_of(spent).median * 1e3;
}

class outline_bench {
 public:
  void time(const std::string& name, const std::vector<std::uint8_t>& image) {
    label(all_, {image_view(image.data(), size), {.connectivity = 4}, {}}, {.labels = {labels_.data(), size}});
    there_.upload(labels_.data(), 4 * labels_.size());
    const outline_request in_host{.labels = image_view(labels_.data(), size), .connectivity = 4};
    const outline_request on_device{.labels = image_view(there_.data<std::uint32_t>(), size, residence::device(0)),
                                    .connectivity = 4};
    outline_table right, found;
    outline(all_, in_host, right);
    outline(gpu_, on_device, found);
    if (found != right) throw std::runtime_error(name + ": outlines differ from those of the CPU");
    const auto calls = [&](engine& on, const outline_request& asked) {
      return milliseconds(repetitions, [&] { outline(on, asked, found); });
    };
    const double cuda = calls(gpu_, on_device);
    const double fresh = milliseconds(repetitions, [&] {
      outline_table new_table;
      outline(gpu_, on_device, new_table);
    });
    const double one = calls(one_, in_host), all = calls(all_, in_host);
    std::printf("%-28s %9zu %9zu %9.2f %9.2f %9.2f %9.2f %9.2f\n", name.c_str(), right.polygons(),
                right.vertices.size(), cuda, fresh, one, all, all / cuda);
  }

 private:
  static constexpr int repetitions = 9;
  engine gpu_ = engine::cuda(), one_ = engine::cpu(1), all_ = engine::cpu();
  std::vector<std::uint32_t> labels_ = std::vector<std::uint32_t>(static_cast<std::size_t>(size.pixels()));
  device_buffer there_{4 * static_cast<std::size_t>(size.pixels())};
};

int run() {
  std::printf(
      "Outlines of labels of 4096², uint32, 4 neighbours; ms, medians of calls that return them in host memory:\n"
      "CUDA: into a reused table; new: into a new one. CPU: labels in host memory, %u processors\n\n"
      "%-28s %9s %9s %9s %9s %9s %9s %9s\n",
      std::thread::hardware_concurrency(), "image", "polygons", "vertices", "CUDA", "new", "1 thread", "all", "ratio");
  outline_bench bench;
  bench.time("discs", discs());
  for (const int granularity : {16, 4, 1})
    for (const int density : {20, 50})
      bench.time("g = " + std::to_string(granularity) + ", " + std::to_string(density) + " %",
                 random_image(size, {granularity, density, 0}));
  return 0;
}

}  // namespace
}  // namespace skerry::bench

int main() {
  try {
    return skerry::bench::run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "skerry_cuda_outlines: %s\n", error.what());
    return 2;
  }
}
