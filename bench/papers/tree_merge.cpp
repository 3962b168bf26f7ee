// SPDX-License-Identifier: Apache-2.0
#include "papers/density_sweep.hpp"

namespace skerry::bench {
namespace {

const std::vector<std::string> rivals = {"skerry", "tmk", "ha"};

// Room on the host for all arrays of HA.
std::size_t host_bytes(int side) { return static_cast<std::size_t>(side) * static_cast<std::size_t>(side) * 20; }

void bench_densities(const std::string& figure, int side, int granularity, const std::vector<int>& densities,
                     bool has_phases, const paper_options& how, paper_report& report) {
  const density_sweep sweep{figure,
                            "features to host",
                            paper_job::features,
                            {4},
                            extent(side, side),
                            granularity,
                            densities,
                            rivals,
                            std::max(host_bytes(side), std::size_t{1} << 20)};
  sweep.run(how, report, [&](paper_desk& desk, const std::string& method, paper_sample& sample) {
    desk.time_to_host(method, how.more_repetitions(), sample);
    if (has_phases && method == "tmk") desk.time_phases(method, how.more_repetitions(), sample);
  });
}

}  // namespace

void bench_tree_merge(const paper_options& how, paper_report& report) {
  const std::vector<int> densities =
      how.quick ? std::vector<int>{30, 70} : std::vector<int>{10, 20, 30, 40, 50, 60, 70, 80, 90};
  for (const int side : {256, 2048})
    for (const int granularity : {1, 4, 16})
      if (!how.quick || side == 256) bench_densities("000 density", side, granularity, densities, false, how, report);
  for (const int side : {32, 64, 128, 256, 512, 1024, 2048, 4096})
    if (!how.quick || side <= 512)
      bench_densities("000 size", side, 1, how.quick ? densities : std::vector<int>{10, 30, 50, 70, 90}, true, how,
                      report);
}

}  // namespace skerry::bench
