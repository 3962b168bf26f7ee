// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "track/cuda_track_sections.hpp"

namespace skerry::bench {

void bench_policies(engine& on, const cuda_track_options& how) {
  using publishing = track_options::publishing;
  constexpr publishing ways[] = {publishing::mapped, publishing::predicted, publishing::whole};
  constexpr std::uint32_t capacity = 1 << 16;
  std::printf(
      "\npublishing: p50 in us from push to result of single frames, and KiB of a result\n%5s %6s %10s %9s %10s %9s "
      "%10s %9s\n",
      "side", "count", "mapped", "KiB", "predicted", "KiB", "whole", "KiB");
  for (const std::int64_t side : {256, 512, 1024, 2048, 4096})
    for (const int objects : {10, 200, 1000, 10000, 50000}) {
      if (std::int64_t{objects} * 4 > side * side) continue;  // they do not fit
      const grid_film film = make_grid_film(side, objects, 4);
      track_options options = options_for(film);
      options.capacity = capacity;
      options.patience = std::chrono::milliseconds(20);
      const double rate = objects > 1000 ? 100 : 500;
      std::printf("%5lld %6d", static_cast<long long>(side), objects);
      for (const publishing way : ways) {
        options.publish = way;
        check_film(on, film, options);
        const stream_figures found = time_stream(on, film, options, {how.quick ? 30U : 100U, rate, true});
        std::printf(" %10.1f %9.1f", found.quantile(0.5), found.bytes / 1024);
        std::fflush(stdout);
      }
      std::printf("\n");
    }
}

}  // namespace skerry::bench
