// SPDX-License-Identifier: Apache-2.0
#include "papers/density_sweep.hpp"

namespace skerry::bench {
namespace {

// The last stands for the programs of the text on the CPU: two passes over pixels, as its second one.
const std::vector<std::string> methods = {"skerry", "jung", "playne-direct", "playne-block", "rosenfeld"};

void bench_size(const std::string& figure, const extent& size, int granularity, const std::vector<int>& densities,
                const paper_options& how, paper_report& report) {
  const density_sweep sweep{figure, "labels", paper_job::labels, {8, 4}, size, granularity, densities, methods};
  sweep.run(how, report, [&](paper_desk& desk, const std::string& method, paper_sample& sample) {
    if (method == "rosenfeld") return desk.time_on_host(method, 1, sample);
    desk.time(method, how.more_repetitions(), sample);
    if (method == "jung") desk.time_phases(method, 3, sample);
  });
}

}  // namespace

void bench_six_phases(const paper_options& how, paper_report& report) {
  const std::vector<int> few = how.quick ? std::vector<int>{50} : std::vector<int>{10, 30, 50, 70, 90};
  const std::vector<extent> sizes = {extent(256, 256), extent(512, 512), extent(512, 768), extent(1024, 1024),
                                     extent(2048, 2048)};
  for (const extent& size : sizes)
    for (const int granularity : {1, 4})
      if (!how.quick || size.width < 600) bench_size("001 size", size, granularity, few, how, report);
  bench_size("001 density", extent(384, 384), 1,
             how.quick ? few : std::vector<int>{5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95}, how, report);
}

}  // namespace skerry::bench
