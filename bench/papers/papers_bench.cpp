// SPDX-License-Identifier: Apache-2.0
// The tables and figures of the papers again, on this machine, with the library's own method in each.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>

#include "papers/paper_sections.hpp"
#include "support/cuda_report.hpp"

namespace skerry::bench {
namespace {

constexpr const char* usage_text =
    "options: [--quick] [--papers=002,000,001,003,004] [--granularities=1,2,4,8,16] [--repetitions=7] [--seed=0]\n"
    "         [--json=FILE]\n"
    "  --quick          small images, few densities: seconds\n"
    "  --repetitions    of 002 and 003; of the others twice as many and one\n"
    "  --granularities  of the first paper's figures by density; with others than all, nothing else of it is "
    "measured\n";

int run(const paper_options& how) {
  auto head = device_facts();
  head["repetitions"] =
      std::to_string(how.repetitions) + ", of 000, 001 and 004 " + std::to_string(how.more_repetitions());
  head["seed"] = std::to_string(how.seed);
  head["images"] = how.quick ? "small" : "of the papers' sizes";
  paper_report report(head);
  std::string seconds;
  const auto repeat = [&](const std::string& paper, auto bench) {
    if (!how.has(paper)) return;
    const auto begin = std::chrono::steady_clock::now();
    bench(how, report);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    seconds += (seconds.empty() ? "" : ", ") + paper + ' ' + std::to_string(std::lround(taken.count()));
    report.note("seconds", seconds);
    if (!how.json.empty()) report.write_json(how.json);
  };
  repeat("002", bench_taming_votes);
  repeat("000", bench_tree_merge);
  repeat("001", bench_six_phases);
  repeat("003", bench_block_fill);
  repeat("004", bench_max_tree);
  std::puts("every output was that of the CPU engine before it was timed");
  return 0;
}

}  // namespace
}  // namespace skerry::bench

int main(int count, char** arguments) try {
  return skerry::bench::run(skerry::bench::read_paper_options(count, arguments, skerry::bench::usage_text));
} catch (const std::exception& error) {
  std::fprintf(stderr, "skerry_papers: %s\n", error.what());
  return 2;
}
