// SPDX-License-Identifier: Apache-2.0
#include "versus/table_reporter.hpp"

#include <algorithm>
#include <cstdio>

#include "skerry/published.hpp"

namespace skerry::bench {

void table_reporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.error_occurred) {
      std::fprintf(stderr, "%s: %s\n", run.benchmark_name().c_str(), run.error_message.c_str());
      continue;
    }
    if (run.aggregate_name != "median") continue;
    medians_[subject::parse(run.run_name.function_name)] = run.counters.at("Mpx/s");
  }
}

void table_reporter::Finalize() {
  for (const int size : what_.sizes)
    for (const int threads : what_.threads)
      for (const int connectivity : what_.connectivities) print_table(size, threads, connectivity);
}

table_reporter::row table_reporter::values(subject of) const {
  row found;
  for (const int g : what_.granularities)
    for (const int density : what_.densities) {
      of.granularity = g;
      of.density = density;
      if (const auto at = medians_.find(of); at != medians_.end()) found[{g, density}] = at->second;
    }
  return found;
}

// The fastest of OpenCV's algorithms, chosen anew for each image.
table_reporter::row table_reporter::best_peer(subject of) const {
  row best;
  for (const auto& [what, speed] : medians_) {
    if (!what.method.starts_with("OpenCV")) continue;
    of.method = what.method;
    of.granularity = what.granularity;
    of.density = what.density;
    if (of == what) best[{what.granularity, what.density}] = std::max(best[{what.granularity, what.density}], speed);
  }
  return best;
}

double table_reporter::mean(const row& values, int granularity) const {
  double sum = 0;
  for (const int density : what_.densities) {
    const auto at = values.find({granularity, density});
    if (at == values.end()) return 0;
    sum += at->second;
  }
  return sum / static_cast<double>(what_.densities.size());
}

void table_reporter::print_row(const std::string& title, const row& values) {
  if (values.empty()) return;
  std::printf("%-24s", title.c_str());
  for (const int g : what_.granularities) {
    std::printf(" |");
    for (const int density : what_.densities) {
      const auto at = values.find({g, density});
      std::printf(" %6.0f", at == values.end() ? 0.0 : at->second);
    }
    std::printf(" %7.0f", mean(values, g));
  }
  std::printf("\n");
}

void table_reporter::print_ratio(const std::string& title, const row& over, const row& under) {
  if (over.empty() || under.empty()) return;
  std::printf("%-24s", title.c_str());
  for (const int g : what_.granularities) {
    std::printf(" |");
    for (const int density : what_.densities) {
      const auto top = over.find({g, density}), bottom = under.find({g, density});
      std::printf(" %6.2f", top == over.end() || bottom == under.end() ? 0.0 : top->second / bottom->second);
    }
    const double bottom = mean(under, g);
    std::printf(" %7.2f", bottom > 0 ? mean(over, g) / bottom : 0.0);
  }
  std::printf("\n");
}

void table_reporter::print_head(int size, int threads, int connectivity) {
  std::printf("\n%d x %d, %d-connectivity, %d thread%s, Mpx/s\n%-24s", size, size, connectivity, threads,
              threads == 1 ? "" : "s", "");
  for (const int g : what_.granularities) {
    std::printf(" | g=%-4d", g);
    for (std::size_t i = 1; i < what_.densities.size(); ++i) std::printf("       ");
    std::printf("    mean");
  }
  std::printf("\n%-24s", "density %");
  for (std::size_t i = 0; i < what_.granularities.size(); ++i) {
    std::printf(" |");
    for (const int density : what_.densities) std::printf(" %6d", density);
    std::printf("        ");
  }
  std::printf("\n");
}

subject table_reporter::of_table(const char* job, int size, int threads, int connectivity, const char* method) const {
  subject what;
  what.job = job;
  what.connectivity = what.job == "floor" ? 0 : connectivity;
  what.size = size;
  what.threads = threads;
  what.method = method;
  return what;
}

void table_reporter::print_table(int size, int threads, int connectivity) {
  const auto of = [&](const char* job, const char* method) {
    return values(of_table(job, size, threads, connectivity, method));
  };
  const row read = of("floor", "read"), streamed = of("floor", "copy streamed");
  const row labels = of("labels", "skerry"), table = of("features", "skerry");
  const row label_peer = best_peer(of_table("labels", size, threads, connectivity, ""));
  const row table_peer = best_peer(of_table("features", size, threads, connectivity, ""));

  print_head(size, threads, connectivity);
  print_row("floor: read", read);
  print_row("floor: copy, plain", of("floor", "copy plain"));
  print_row("floor: copy, streamed", streamed);
  print_row("labels: OpenCV best", label_peer);
  print_row("labels: skerry", labels);
  print_ratio("  / OpenCV best", labels, label_peer);
  print_ratio("  / streamed copy", labels, streamed);
  if (threads > 1) print_ratio("  / one thread", labels, values(of_table("labels", size, 1, connectivity, "skerry")));
  print_published("labels", size, threads, connectivity);
  print_row("features: OpenCV best", table_peer);
  print_row("features: skerry", table);
  print_ratio("  / OpenCV best", table, table_peer);
  print_ratio("  / read", table, read);
  if (threads > 1) print_ratio("  / one thread", table, values(of_table("features", size, 1, connectivity, "skerry")));
  print_row("  with moments", of("features", "skerry with moments"));
  print_row("  with labels", of("features", "skerry with labels"));
  print_ratio("    / OpenCV best", of("features", "skerry with labels"), table_peer);
  print_row("count only: skerry", of("features", "skerry count"));
  print_published("features", size, threads, connectivity);
}

void table_reporter::print_published(const char* job, int size, int threads, int connectivity) {
  for (const published::method& method : published::methods()) {
    const std::string name = "published " + std::string(method.name);
    print_row(std::string(job) + ": " + std::string(method.name),
              values(of_table(job, size, threads, connectivity, name.c_str())));
  }
}

}  // namespace skerry::bench
