// SPDX-License-Identifier: Apache-2.0
#include "data/spiral_image.hpp"
#include "papers/density_sweep.hpp"

namespace skerry::bench {
namespace {

const std::vector<std::string> on_device = {
    "skerry", "jung", "playne-direct", "playne-block", "naive", "ha", "flsl", std::string(paper_desk::own_first_pixel)};

void measure(paper_desk& desk, const std::string& method, const paper_options& how, paper_sample& sample) {
  desk.time(method, how.more_repetitions(), sample);
  if (method == "jung") desk.time_phases(method, 3, sample);
}

void bench_size(const std::string& figure, const extent& size, int granularity, const std::vector<int>& densities,
                const paper_options& how, paper_report& report) {
  const density_sweep sweep{figure, "labels", paper_job::labels, {8, 4}, size, granularity, densities, on_device};
  sweep.run(how, report, [&](paper_desk& desk, const std::string& method, paper_sample& sample) {
    measure(desk, method, how, sample);
  });
}

void bench_spiral(std::int64_t side, const paper_options& how, paper_report& report) {
  paper_desk desk(extent(side, side));
  const std::vector<std::uint8_t> pixels = spiral_image(side);
  for (const int connectivity : {8, 4}) {
    desk.take(pixels.data(), connectivity, paper_job::labels);
    for (const std::string& method : on_device) {
      if (method == "ha" && connectivity == 8) continue;
      paper_sample sample{"001 spiral", method, "labels", connectivity, side, side};
      sample.look = "spiral";
      measure(desk, method, how, sample);
      report.add(sample);
    }
  }
}

}  // namespace

void bench_six_phases(const paper_options& how, paper_report& report) {
  const std::vector<int> few = how.quick ? std::vector<int>{50} : std::vector<int>{10, 30, 50, 70, 90};
  const std::vector<extent> sizes = {extent(128, 128), extent(256, 256),   extent(512, 512),
                                     extent(512, 768), extent(1024, 1024), extent(2048, 2048)};
  for (const extent& size : sizes)
    for (const int granularity : {1, 4})
      if (!how.quick || size.width < 600) bench_size("001 size", size, granularity, few, how, report);
  bench_size("001 density", extent(384, 384), 1,
             how.quick ? few : std::vector<int>{5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95}, how, report);
  for (std::int64_t side = 128; side <= (how.quick ? 256 : 2048); side += 128) bench_spiral(side, how, report);
}

}  // namespace skerry::bench
