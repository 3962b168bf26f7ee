// SPDX-License-Identifier: Apache-2.0
#include "label/stage_reporter.hpp"

#include <cstdio>

#include "skerry/engine.hpp"

namespace skerry::bench {

std::string stage_counter(int stage) {
  if (stage == 6) return "rest ns/px";
  return std::to_string(stage + 1) + "_" + std::string(stage_names[stage]) + " ns/px";
}

void stage_reporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.aggregate_name != "median") continue;
    timing& found = medians_[subject::parse(run.run_name.function_name)];
    for (int stage = 0; stage < 7; ++stage) found.stage[stage] = run.counters.at(stage_counter(stage));
    found.wall = 1e3 / run.counters.at("Mpx/s");
    if (!run.counters.contains("runs")) continue;
    found.runs = run.counters.at("runs");
    found.scratch_bytes = run.counters.at("scratch_bytes");
  }
}

void stage_reporter::Finalize() {
  for (const int size : what_.sizes)
    for (const int threads : what_.threads)
      for (const int connectivity : what_.connectivities)
        for (const char* job : {"label", "measure", "label and measure"}) {
          subject of;
          of.job = job;
          of.connectivity = connectivity;
          of.size = size;
          of.threads = threads;
          of.method = "skerry";
          print_table(of);
        }
}

template <class Work>
bool stage_reporter::each_image(subject of, Work work) const {
  bool any = false;
  for (const int granularity : what_.granularities)
    for (const int density : what_.densities) {
      of.granularity = granularity;
      of.density = density;
      const auto at = medians_.find(of);
      if (at == medians_.end()) continue;
      work(of, at->second);
      any = true;
    }
  return any;
}

void stage_reporter::print_table(subject of) {
  timing sum;
  double images = 0;
  const bool any = each_image(of, [&](const subject&, const timing& t) {
    for (int stage = 0; stage < 7; ++stage) sum.stage[stage] += t.stage[stage];
    sum.wall += t.wall;
    ++images;
  });
  if (!any) return;
  std::printf("\n%s, side %d, %d-connectivity, %d thread%s, ns per pixel\n%-12s", of.job.c_str(), of.size,
              of.connectivity, of.threads, of.threads == 1 ? "" : "s", "g / density");
  each_image(of, [](const subject& s, const timing&) { std::printf(" %3d/%-3d", s.granularity, s.density); });
  std::printf("    mean  share\n");
  for (int stage = 0; stage < 7; ++stage) {
    const std::string counter = stage_counter(stage);
    std::printf("%-12s", counter.substr(0, counter.find(' ')).c_str());
    each_image(of, [&](const subject&, const timing& t) { std::printf(" %7.3f", t.stage[stage]); });
    std::printf(" %7.3f %4.0f %%\n", sum.stage[stage] / images, 100 * sum.stage[stage] / sum.wall);
  }
  std::printf("%-12s", "call");
  each_image(of, [](const subject&, const timing& t) { std::printf(" %7.3f", t.wall); });
  std::printf(" %7.3f\n%-12s", sum.wall / images, "Mpx/s");
  each_image(of, [](const subject&, const timing& t) { std::printf(" %7.0f", 1e3 / t.wall); });
  std::printf("\n");
  if (of.job == "label") print_footprint(of);
}

void stage_reporter::print_footprint(subject of) {
  std::printf("%-12s", "runs / 1000");
  each_image(of, [](const subject&, const timing& t) { std::printf(" %7.0f", t.runs / 1e3); });
  std::printf("\n%-12s", "scratch MiB");
  each_image(of, [](const subject&, const timing& t) { std::printf(" %7.2f", t.scratch_bytes / (1 << 20)); });
  std::printf("\n%-12s", "bytes / run");
  each_image(of, [](const subject&, const timing& t) { std::printf(" %7.2f", t.scratch_bytes / t.runs); });
  std::printf("\n");
}

}  // namespace skerry::bench
