// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "track/cuda_track_sections.hpp"

namespace skerry::bench {

namespace {

using publishing = track_options::publishing;

void print_head(const char* what) {
  std::printf(
      "\n%s: p50 in us from push to result of single frames, and KiB of a result\n%5s %6s %10s %9s %10s %9s %10s %9s\n",
      what, "side", "count", "mapped", "KiB", "predicted", "KiB", "whole", "KiB");
}

void print_row(engine& on, const grid_film& film, const cuda_track_options& how) {
  track_options options = options_for(film);
  options.capacity = 1 << 16;
  options.patience = std::chrono::milliseconds(20);
  const double rate = film.objects > 1000 ? 100 : 500;
  std::printf("%5lld %6d", static_cast<long long>(film.size.width), film.objects);
  for (const publishing way : {publishing::mapped, publishing::predicted, publishing::whole}) {
    options.publish = way;
    check_film(on, film, options);
    const stream_figures found = time_stream(on, film, options, {how.quick ? 30U : 100U, rate, frame_source::in_place});
    std::printf(" %10.1f %9.1f", found.quantile(0.5), found.bytes / 1024);
    std::fflush(stdout);
  }
  std::printf("\n");
}

}  // namespace

void bench_policies(engine& on, const cuda_track_options& how) {
  print_head("publishing");
  for (const std::int64_t side : {256, 512, 1024, 2048, 4096})
    for (const int objects : {10, 200, 1000, 10000, 50000})
      if (std::int64_t{objects} * 4 <= side * side) print_row(on, make_grid_film(side, objects, 4), how);
  // A prediction is too small for every second frame, and a second copy brings the rest.
  print_head("publishing, every second frame with half of the objects");
  for (const int objects : {10, 200, 1000, 10000}) print_row(on, make_changing_film(1024, objects, 4), how);
}

}  // namespace skerry::bench
