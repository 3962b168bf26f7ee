// SPDX-License-Identifier: Apache-2.0
// Each paper's tables and figures, by its axes.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "papers/paper_report.hpp"

namespace skerry::bench {

struct paper_options {
  std::vector<std::string> papers = {"002", "000", "001", "003", "004"};
  std::string json;
  int repetitions = 7;  // of 002 and 003
  std::uint32_t seed = 0;
  bool quick = false;                                 // small images, few densities
  std::vector<int> granularities = {1, 2, 4, 8, 16};  // of 002's figures by density

  /// Of 000, 001 and 004, which are quick, or wait for the host.
  [[nodiscard]] int more_repetitions() const { return 2 * repetitions + 1; }
  [[nodiscard]] bool has(const std::string& paper) const {
    return std::find(papers.begin(), papers.end(), paper) != papers.end();
  }
};

/// `wanted`: the defaults, among whose papers `--papers` chooses. Throws std::invalid_argument with a text that names the argument.
[[nodiscard]] paper_options read_paper_options(int count, char** arguments, const char* usage,
                                               paper_options wanted = {});

/// 002, [Lemaitre2021]: throughput by density, by size, and of full images; votes and conflicts.
void bench_taming_votes(const paper_options& how, paper_report& report);
/// 000, [Windisch2023]: time until the features are on the host, by density and size; shares of the phases.
void bench_tree_merge(const paper_options& how, paper_report& report);
/// 001, [Jung2010]: labels by size and by density; iterations.
void bench_six_phases(const paper_options& how, paper_report& report);
/// 003, [BlockFill2011]: labels of large images with both transfers.
void bench_block_fill(const paper_options& how, paper_report& report);
/// 004, [Blin2021]: max-trees of large grey images, and the time of their steps.
void bench_max_tree(const paper_options& how, paper_report& report);

}  // namespace skerry::bench
