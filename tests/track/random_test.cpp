// SPDX-License-Identifier: Apache-2.0
// The reference judges every engine on random films.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "film.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

TEST(track_random, every_engine_says_what_the_reference_says) {
  engine oracle = engine::reference();
  const extent sizes[] = {extent(20, 30), extent(1, 70), extent(40, 1), extent(33, 65), extent(6, 8, 10)};
  for (int i = 0; i < scaled(150); ++i) {
    std::mt19937 draw(static_cast<std::uint32_t>(i));
    const std::vector<mask> frames = random_film(sizes[draw() % 5], draw, 8);
    const track_options options = random_options(frames[0], draw);
    const std::vector<seen_frame> want = track(oracle, options, frames);
    for (named_engine& each : each_engine()) {
      if (each.name == "reference") continue;
      expect_same(track(each.on, options, frames), want, each.name + ", film " + std::to_string(i));
      if (HasFatalFailure()) return;
    }
  }
}

// Thousands of ids end in each frame, old ones and new ones; small films have too few to be sorted digit by digit.
TEST(track_random, noise_with_thousands_of_objects) {
  std::mt19937 draw(11);
  std::vector<mask> frames;
  for (int i = 0; i < 6; ++i) {
    mask frame = empty_mask(extent(250, 260));
    for (std::uint8_t& pixel : frame.pixels) pixel = draw() % 100 < (i < 4 ? 18U : 40U) ? 1 : 0;
    frames.push_back(std::move(frame));
  }
  track_options options = options_for(frames[0]);
  options.capacity = 10000;
  options.moments = options.intensities = false;
  engine oracle = engine::reference();
  const std::vector<seen_frame> want = track(oracle, options, frames);
  ASSERT_GT(want[3].result.happened_by_kind[static_cast<int>(track_event_kind::death)], 2500U);
  ASSERT_GT(want[5].result.happened_by_kind[static_cast<int>(track_event_kind::merge)], 256U);
  for (named_engine& each : each_engine())
    if (each.name != "reference") expect_same(track(each.on, options, frames), want, each.name);
}

TEST(track_random, results_do_not_depend_on_slots_or_on_who_takes_them) {
  std::mt19937 draw(7);
  const std::vector<mask> frames = random_film(extent(60, 80), draw, 60);
  track_options options = options_for(frames[0]);
  options.inherit.keep_alive = options.inherit.memory = 2;
  engine on = engine::cpu(2);
  const std::vector<seen_frame> want = track(on, options, frames);
  for (const int slots : {2, 3, 64}) {
    options.slots = slots;
    expect_same(track(on, options, frames), want, std::to_string(slots) + " slots");
    std::vector<seen_frame> polled;
    tracker stream(on, options);
    const auto take = [&](const frame_result* result) {
      if (result == nullptr) return false;
      polled.push_back(copy_of(*result));
      return true;
    };
    for (const mask& frame : frames)
      while (!stream.try_push(frame.view())) EXPECT_TRUE(take(stream.wait()));
    stream.stop();
    while (take(stream.poll())) {}
    expect_same(polled, want, "polled");
  }
}

}  // namespace
}  // namespace skerry::test
