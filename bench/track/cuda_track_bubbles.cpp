// SPDX-License-Identifier: Apache-2.0
// Films in which something happens: bubbles are born, merge, split and leave, with and without ids that are remembered; noise, and
// frames that are nothing but foreground. Frames are pushed from pinned memory of the caller.
#include <chrono>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <vector>

#include "scenes/bubbles.hpp"
#include "track/cuda_track_film.hpp"
#include "track/cuda_track_sections.hpp"
#include "track/track_digest.hpp"

namespace skerry::bench {
namespace {

using clock = std::chrono::steady_clock;

struct reel {
  extent size;
  std::vector<std::vector<std::uint8_t>> frames;
  [[nodiscard]] image_view frame(std::uint64_t number) const { return {frames[number % frames.size()].data(), size}; }
};

constexpr int length = 64;

reel bubbles_of(std::int64_t side) {
  const scenes::bubbles film({side, side, 32, 1});
  reel made{film.size(), {}};
  for (int i = 0; i < length; ++i) {
    made.frames.emplace_back(static_cast<std::size_t>(film.size().pixels()));
    film.draw(static_cast<std::uint64_t>(i), made.frames.back().data());
  }
  return made;
}

// `share` of the pixels, in percent, are foreground, each for itself.
reel noise_of(std::int64_t side, int share) {
  std::mt19937 draw(1);
  reel made{extent(side, side), {}};
  for (int i = 0; i < 8; ++i) {
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(made.size.pixels()));
    for (std::uint8_t& pixel : pixels) pixel = static_cast<int>(draw() % 100) < share ? 255 : 0;
    made.frames.push_back(std::move(pixels));
  }
  return made;
}

void print_row(engine& on, const char* what, const reel& film, std::uint32_t remembered, std::uint64_t frames) {
  track_options options;
  options.size = film.size;
  options.connectivity = 8;
  options.threshold = frame_threshold::fixed(foreground::above(scenes::bubbles::threshold));
  options.slots = 16;
  options.capacity = static_cast<std::uint32_t>(film.size.pixels() / 8);
  options.inherit.keep_alive = options.inherit.memory = remembered;
  engine judge = engine::cpu();
  const std::uint64_t checked = 2 * film.frames.size();
  if (!(digest_of(on, film, options, checked) == digest_of(judge, film, options, checked)))
    throw std::runtime_error("ids, events or tables differ from those of the CPU");
  double objects = 0, events = 0;
  tracker stream(on, options, [&](const frame_result& result) {
    if (!result.error.empty()) throw std::runtime_error(result.error);
    objects += static_cast<double>(result.count);
    events += static_cast<double>(result.happened);
  });
  const pinned_frames pinned(film.frames);
  const auto run = [&] {
    for (std::uint64_t i = 0; i < frames; ++i) stream.push({pinned.pixels(i), film.size});
    stream.flush();
  };
  run();  // once for the memory
  objects = events = 0;
  const auto begin = clock::now();
  run();
  const double seconds = std::chrono::duration<double>(clock::now() - begin).count();
  const auto count = static_cast<double>(frames);
  std::printf("%-12s %5lld %9.1f %8.1f %10u %9.0f\n", what, static_cast<long long>(film.size.width), objects / count,
              events / count, remembered, count / seconds);
  std::fflush(stdout);
}

}  // namespace

void bench_bubbles(engine& on, const cuda_track_options& how) {
  std::printf("\n%-12s %5s %9s %8s %10s %9s\n", "film, pinned", "side", "objects", "events", "remembered", "frames/s");
  for (const std::int64_t side : {512, 1024}) {
    const reel film = bubbles_of(side);
    for (const std::uint32_t remembered : {0U, 3U})
      print_row(on, "bubbles", film, remembered, how.quick ? 2000 : 10000);
  }
  const std::uint64_t many = how.quick ? 500 : 2000;
  for (const int share : {10, 50, 100}) {
    char what[16];
    std::snprintf(what, sizeof what, "noise %d %%", share);
    for (const std::uint32_t remembered : {0U, 3U})
      print_row(on, what, noise_of(1024, share), remembered, remembered == 0 ? many : many / 10);
  }
}

}  // namespace skerry::bench
