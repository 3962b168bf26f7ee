// SPDX-License-Identifier: Apache-2.0
#include "papers/density_sweep.hpp"

namespace skerry::bench {
namespace {

// The library's own first.
const std::vector<std::string> variants = {"skerry", "naive", "ha", "ha-otf", "ha-cd", "flsl", "flsl-otf", "flsl-cd"};
const std::vector<int> tenths = {5, 15, 25, 35, 45, 55, 65, 75, 85, 95};

std::vector<int> densities_of(const paper_options& how) { return how.quick ? std::vector<int>{25, 75} : tenths; }

// Some of them, so that means over these can be compared with the same means of the largest size; even about 50 %.
std::vector<int> fewer_densities_of(const paper_options& how) {
  return how.quick ? std::vector<int>{25, 75} : std::vector<int>{5, 25, 45, 55, 75, 95};
}

// All methods on images of all densities; HA is for 4 neighbours.
void bench_densities(const std::string& figure, const extent& size, int granularity, const std::vector<int>& densities,
                     const std::vector<int>& connectivities, const paper_options& how, paper_report& report) {
  const density_sweep sweep{figure, "features",  paper_job::features, connectivities,
                            size,   granularity, densities,           variants};
  sweep.run(how, report, [&](paper_desk& desk, const std::string& method, paper_sample& sample) {
    desk.time(method, how.repetitions, sample);
    if (method == "flsl-cd" || method == "flsl" || method == "flsl-otf")
      desk.time_phases(method, std::min(how.repetitions, 3), sample);
  });
}

// Labels without features, and both in one call: the methods that label in different ways. HA is for 4 neighbours.
void bench_labels(const extent& size, int granularity, const paper_options& how, paper_report& report) {
  const auto time_all = [&](const std::string& figure, const std::string& job, paper_job results,
                            const std::vector<std::string>& methods) {
    const density_sweep sweep{figure, job, results, {4, 8}, size, granularity, densities_of(how), methods};
    sweep.run(how, report, [&](paper_desk& desk, const std::string& method, paper_sample& sample) {
      desk.time(method, how.repetitions, sample);
    });
  };
  time_all("002 labels", "labels", paper_job::labels,
           {"skerry", "ha", "flsl", std::string(paper_desk::own_first_pixel)});
  time_all("002 both", "labels and features", paper_job::both,
           {"skerry", "ha", "ha-otf", "ha-cd", "flsl", "flsl-otf", "flsl-cd"});
}

void count_votes(const extent& size, int granularity, const paper_options& how, paper_report& report) {
  const density_sweep sweep{"002 votes", "features",  paper_job::features, {4},
                            size,        granularity, densities_of(how),   {variants.begin() + 1, variants.end()}};
  sweep.run(how, report, [](paper_desk& desk, const std::string& method, paper_sample& sample) {
    sample.components = desk.components();
    desk.count_votes(method, sample);
  });
}

// The text's outlook.
void bench_volumes(const paper_options& how, paper_report& report) {
  const int side = how.quick ? 64 : 384;  // more than the cache
  const std::vector<int> densities = how.quick ? std::vector<int>{25, 75} : std::vector<int>{25, 55, 75};
  for (const auto& [results, job] : {std::pair{paper_job::features, "features"}, {paper_job::labels, "labels"}})
    for (const int granularity : {1, 4}) {
      const density_sweep sweep{"002 volumes",
                                job,
                                results,
                                {6, 26},
                                extent(side, side, side),
                                granularity,
                                densities,
                                {"skerry", "flsl-3d", std::string(paper_desk::own_first_pixel)}};
      sweep.run(how, report, [&](paper_desk& desk, const std::string& method, paper_sample& sample) {
        desk.time(method, how.repetitions, sample);
      });
    }
}

}  // namespace

void bench_taming_votes(const paper_options& how, paper_report& report) {
  const int large = how.quick ? 1024 : 8192;
  for (const int granularity : how.granularities) {
    const bool has_both = granularity != 2 && granularity != 8;
    bench_densities("002 density", extent(large, large), granularity, densities_of(how),
                    has_both ? std::vector<int>{4, 8} : std::vector<int>{4}, how, report);
  }
  if (how.granularities != paper_options().granularities) return;
  for (const int granularity : {1, 4, 16}) bench_labels(extent(large, large), granularity, how, report);
  bench_densities("002 full", extent(large, large), 16, {100}, {4, 8}, how, report);
  for (const int side : {256, 512, 1024, 2048, 4096})
    if (side < large)
      for (const int granularity : {1, 4, 16})
        bench_densities("002 size", extent(side, side), granularity, fewer_densities_of(how), {4}, how, report);
  bench_volumes(how, report);
  for (const int granularity : {1, 4})
    count_votes(extent(std::min(large, 2048), std::min(large, 2048)), granularity, how, report);
}

}  // namespace skerry::bench
