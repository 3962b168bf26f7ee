// SPDX-License-Identifier: Apache-2.0
#include "papers/paper_desk.hpp"
#include "papers/paper_sections.hpp"
#include "support/picture_queue.hpp"

namespace skerry::bench {
namespace {

const std::vector<std::string> rivals = {"skerry", "tmk", "ha"};

// Room on the host for all arrays of HA.
std::size_t host_bytes(int side) { return static_cast<std::size_t>(side) * static_cast<std::size_t>(side) * 20; }

void bench_densities(const std::string& figure, int side, int granularity, const std::vector<int>& densities,
                     bool has_phases, const paper_options& how, paper_report& report) {
  const extent size(side, side);
  paper_desk desk(size, std::max(host_bytes(side), std::size_t{1} << 20));
  picture_queue pictures(size, granularity, densities, how.seed);
  for (std::size_t d = 0; d < densities.size(); ++d) {
    const std::vector<std::uint8_t> pixels = pictures.take(d);
    desk.take(pixels.data(), 4, paper_job::features);
    for (const std::string& method : rivals) {
      paper_sample sample{figure, method, "features to host", 4, side, side, granularity, densities[d]};
      desk.time_to_host(method, how.repetitions, sample);
      if (has_phases && method == "tmk") desk.time_phases(method, how.repetitions, sample);
      report.add(sample);
    }
  }
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
