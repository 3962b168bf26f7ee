// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

#include "support/options.hpp"
#include "support/subject.hpp"

namespace skerry::bench {

/// Prints Mpx/s medians as one small table per size, thread count and connectivity, when all is done.
class table_reporter : public benchmark::BenchmarkReporter {
 public:
  explicit table_reporter(const options& what) : what_(what) {}
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  using row = std::map<std::pair<int, int>, double>;  // (granularity, density) → Mpx/s

  [[nodiscard]] subject of_table(const char* job, int size, int threads, int connectivity, const char* method) const;
  void print_head(int size, int threads, int connectivity);
  void print_table(int size, int threads, int connectivity);
  void print_published(const char* job, int size, int threads, int connectivity);
  [[nodiscard]] row values(subject of) const;
  [[nodiscard]] row best_peer(subject of) const;
  [[nodiscard]] double mean(const row& values, int granularity) const;
  void print_row(const std::string& title, const row& values);
  void print_ratio(const std::string& title, const row& over, const row& under);

  options what_;
  std::map<subject, double> medians_;
};

}  // namespace skerry::bench
