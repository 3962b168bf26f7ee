// SPDX-License-Identifier: Apache-2.0
// A long stream: nothing is allocated once it has settled. SKERRY_SOAK_SECONDS=600 makes it ten minutes.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "film.hpp"
#include "scenes/bubbles.hpp"
#include "support/allocations.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

using clock = std::chrono::steady_clock;

std::chrono::duration<double> soak_time() {
  const char* const text = std::getenv("SKERRY_SOAK_SECONDS");
  return std::chrono::duration<double>(text == nullptr ? 2.0 * test_scale() : std::atof(text));
}

TEST(track_soak, a_stream_that_has_settled_allocates_nothing) {
#ifdef SKERRY_TEST_SANITIZED
  GTEST_SKIP() << "the allocator belongs to the sanitizer";
#endif
  const scenes::bubbles film({256, 256, 32, 3});
  constexpr int loop = 300;  // the film begins again after so many frames, with an upheaval
  std::vector<std::vector<std::uint8_t>> frames(loop, std::vector<std::uint8_t>(256 * 256));
  for (int i = 0; i < loop; ++i) film.draw(static_cast<std::uint64_t>(i), frames[static_cast<std::size_t>(i)].data());

  track_options options;
  options.size = film.size();
  options.connectivity = 8;
  options.threshold = frame_threshold::background(30);
  options.inherit.keep_alive = options.inherit.memory = 3;
  options.moments = options.intensities = options.labels = true;
  engine on = engine::cpu(1);
  std::uint64_t objects = 0, events = 0;
  tracker stream(on, options, [&](const frame_result& result) {
    objects += result.count;
    events += result.happened;
  });
  const auto run_once = [&] {
    for (const auto& frame : frames) stream.push(image_view(frame.data(), film.size()));
    stream.flush();
  };
  for (int i = 0; i < 3; ++i) run_once();  // each slot has had every frame that needs much, nearly
  const std::uint64_t before = allocations;
  const auto begin = clock::now();
  std::uint64_t loops = 0;
  do {
    run_once();
    ++loops;
  } while (clock::now() - begin < soak_time());
  // A slot may yet meet the frame with the most runs for the first time; growth that goes on would show.
  EXPECT_LE(allocations - before, 8U * 20U) << loops << " loops";
  EXPECT_GT(objects, 100 * loops);
  EXPECT_GT(events, loops);
  RecordProperty("frames", std::to_string(stream.pushed()));
}

}  // namespace
}  // namespace skerry::test
