// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

#include "support/options.hpp"
#include "support/subject.hpp"

namespace skerry::bench {

/// Name of the counter of a stage, in nanoseconds per pixel: "1_encode ns/px" and so on;
/// number 6 is "rest ns/px", what no stage accounts for.
[[nodiscard]] std::string stage_counter(int stage);

/// Prints nanoseconds per pixel of each stage and its share of the call, medians, one table per job, size, thread count
/// and connectivity.
class stage_reporter : public benchmark::BenchmarkReporter {
 public:
  explicit stage_reporter(const options& what) : what_(what) {}
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  struct timing {
    double stage[7] = {}, wall = 0;  // nanoseconds per pixel
    double runs = 0, scratch_bytes = 0;
  };
  void print_table(subject of);
  void print_footprint(subject of);
  // Calls work(picture's timing) for each image of the table in order; false when there is none.
  template <class Work>
  bool each_image(subject of, Work work) const;

  options what_;
  std::map<subject, timing> medians_;
};

}  // namespace skerry::bench
