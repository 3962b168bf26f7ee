// SPDX-License-Identifier: Apache-2.0
#include "papers/tree_merge.hpp"

#include "papers/density_sweep.hpp"

namespace skerry::bench {
namespace {

struct images {
  int side, granularity;
  std::vector<int> densities;
};

void bench_densities(const std::string& figure, const images& of, bool has_phases, const paper_options& how,
                     paper_report& report) {
  const auto run = [&](const std::string& job, paper_job results, const std::vector<std::string>& methods) {
    const density_sweep sweep{figure,
                              job,
                              results,
                              {4},
                              extent(of.side, of.side),
                              of.granularity,
                              of.densities,
                              methods,
                              host_bytes_of_arrays(of.side)};
    sweep.run(how, report, [&](paper_desk& desk, const std::string& method, paper_sample& sample) {
      desk.time_to_host(method, how.more_repetitions(), sample);
      if (has_phases && method.starts_with("tmk")) desk.time_phases(method, how.more_repetitions(), sample);
    });
  };
  run("features to host", paper_job::features, rivals_to_host);
  run("features of labels to host", paper_job::features_of_labels, rivals_of_labels);
}

}  // namespace

void bench_tree_merge(const paper_options& how, paper_report& report) {
  const std::vector<int> densities =
      how.quick ? std::vector<int>{30, 70} : std::vector<int>{10, 20, 30, 40, 50, 60, 70, 80, 90};
  for (const int side : {256, 2048})
    for (const int granularity : {1, 4, 16})
      if (!how.quick || side == 256) bench_densities("000 density", {side, granularity, densities}, false, how, report);
  for (const int side : {32, 64, 128, 256, 512, 1024, 2048, 4096})
    if (!how.quick || side <= 512)
      bench_densities("000 size", {side, 1, how.quick ? densities : std::vector<int>{10, 30, 50, 70, 90}}, true, how,
                      report);
  bench_frame_streams(how, report);
}

}  // namespace skerry::bench
