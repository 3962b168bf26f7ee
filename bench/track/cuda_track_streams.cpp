// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>

#include "track/cuda_track_sections.hpp"

namespace skerry::bench {
namespace {

constexpr int objects = 200;

void print_delays(const char* what, std::int64_t side, const stream_figures& found) {
  std::printf("%-36s %5lld %6.0f %9.0f %8.1f %8.1f %8.1f %8.1f %8.1f %7llu\n", what, static_cast<long long>(side),
              found.objects, found.frames_per_second, found.quantile(0.5), found.quantile(0.9), found.quantile(0.99),
              found.quantile(0.999), found.quantile(1), static_cast<unsigned long long>(found.late));
  std::fflush(stdout);
}

}  // namespace

void bench_streams(engine& on, const cuda_track_options& how) {
  std::printf("%-36s %5s %6s %9s %8s %8s %8s %8s %8s %7s\n", "stream; us from push to result", "side", "count",
              "frames/s", "p50", "p90", "p99", "p99.9", "max", "> 5 ms");
  for (const std::int64_t side : {256, 512, 1024}) {
    const grid_film film = make_grid_film(side, objects, 16);
    track_options options = options_for(film);
    check_film(on, film, options);
    const std::uint64_t few = how.quick ? 1000 : 8000, many = how.quick ? 20000 : 100000;
    print_delays("paced at 200/s, in place", side,
                 time_stream(on, film, options, {how.quick ? 100U : 300U, 200, frame_source::in_place}));
    print_delays("paced at 500/s, in place", side,
                 time_stream(on, film, options, {how.quick ? 250U : 750U, 500, frame_source::in_place}));
    options.patience = std::chrono::milliseconds(5);
    print_delays("paced at 500/s, in place, patient", side,
                 time_stream(on, film, options, {how.quick ? 250U : 750U, 500, frame_source::in_place}));
    options.patience = std::chrono::microseconds(250);
    print_delays("paced at 8000/s, in place", side,
                 time_stream(on, film, options, {few, 8000, frame_source::in_place}));
    print_delays("paced at 8000/s, pinned", side, time_stream(on, film, options, {few, 8000, frame_source::pinned}));
    print_delays("paced at 8000/s, copied", side, time_stream(on, film, options, {few, 8000, frame_source::pageable}));
    print_delays("as fast as it goes, in place", side,
                 time_stream(on, film, options, {many, 0, frame_source::in_place}));
    print_delays("as fast as it goes, pinned", side,
                 time_stream(on, film, options, {many / 2, 0, frame_source::pinned}));
    track_options without_images = options;
    without_images.images = false;
    print_delays("as fast as it goes, pinned, no image", side,
                 time_stream(on, film, without_images, {many / 2, 0, frame_source::pinned}));
    print_delays("as fast as it goes, copied", side,
                 time_stream(on, film, options, {many / 4, 0, frame_source::pageable}));
  }
  const grid_film film = make_grid_film(1024, objects, 16);
  const std::uint64_t frames = how.quick ? 5000 : 20000;
  track_options otsu = options_for(film), remembering = options_for(film);
  otsu.threshold = frame_threshold::otsu();
  remembering.inherit.keep_alive = 3;
  for (const track_options& options : {otsu, remembering}) {
    check_film(on, film, options);
    const std::string what = options.inherit.keep_alive == 0 ? "Otsu's threshold" : "lost ids remembered";
    print_delays((what + ", 8000/s").c_str(), 1024,
                 time_stream(on, film, options, {frames / 4, 8000, frame_source::in_place}));
    print_delays((what + ", fast").c_str(), 1024, time_stream(on, film, options, {frames, 0, frame_source::in_place}));
  }
}

void bench_long_stream(engine& on, const cuda_track_options& how) {
  const grid_film film = make_grid_film(1024, objects, 16);
  const auto frames = static_cast<std::uint64_t>(8000 * how.seconds);
  print_delays("long, paced at 8000/s, in place", 1024,
               time_stream(on, film, options_for(film), {frames, 8000, frame_source::in_place}));
}

}  // namespace skerry::bench
