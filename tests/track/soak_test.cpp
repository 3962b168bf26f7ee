// SPDX-License-Identifier: Apache-2.0
// A long stream: nothing is allocated once it has settled, and the process does not grow. SKERRY_SOAK_SECONDS=600 makes it ten
// minutes on each engine.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

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

// Of this process, in MiB.
double resident_memory() {
  std::ifstream status("/proc/self/statm");
  std::uint64_t total = 0, resident = 0;
  status >> total >> resident;
  EXPECT_GT(resident, 0U);
  return static_cast<double>(resident) * 4096 / (1 << 20);
}

void soak(engine& on) {
#ifdef SKERRY_TEST_SANITIZED
  GTEST_SKIP() << "the allocator belongs to the sanitizer";
#endif
  find_the_pool();
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
  EXPECT_GT(before, 100U);  // or they are not counted
  const double resident = resident_memory();
  const auto begin = clock::now();
  std::uint64_t loops = 0;
  do {
    run_once();
    ++loops;
  } while (clock::now() - begin < soak_time());
  // A slot may yet meet the frame with the most runs for the first time; growth that goes on would show.
  EXPECT_LE(allocations - before, 8U * 20U) << loops << " loops";
  EXPECT_LE(resident_memory() - resident, 4)
      << "MiB, " << loops << " loops";  // memory that malloc() does not give, too
  EXPECT_GT(objects, 100 * loops);
  EXPECT_GT(events, loops);
  ::testing::Test::RecordProperty("frames", std::to_string(stream.pushed()));
}

TEST(track_soak, a_stream_on_the_cpu_that_has_settled_allocates_nothing) {
  engine cpu = engine::cpu(1);
  soak(cpu);
}

TEST(track_soak, a_stream_on_cuda_that_has_settled_allocates_nothing) {
  for (named_engine& each : each_engine())
    if (each.on.kind() == engine_kind::cuda) return soak(each.on);
  GTEST_SKIP() << "no CUDA engine here";
}

}  // namespace
}  // namespace skerry::test
