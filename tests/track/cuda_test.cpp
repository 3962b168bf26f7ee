// SPDX-License-Identifier: Apache-2.0
// Streams on a CUDA device: what its engine does otherwise than the others, against the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "cuda/device_image.hpp"
#include "on_gpu.hpp"
#include "scenes/bubbles.hpp"
#include "skerry/error.hpp"
#include "support/placed_image.hpp"

namespace skerry::test {
namespace {

// Bars of one pixel, every second one.
mask bars(const extent& size, bool upright) {
  mask frame = empty_mask(size);
  for (std::int64_t y = 0; y < size.height; ++y)
    for (std::int64_t x = 0; x < size.width; ++x) frame.at(y, x) = (upright ? x : y) % 2 == 0 ? 1 : 0;
  return frame;
}

TEST(track_cuda, every_way_of_publishing_gives_the_same) {
  SKERRY_NEEDS_CUDA_DEVICE();
  using publishing = track_options::publishing;
  engine oracle = engine::reference();
  for (int i = 0; i < scaled(20); ++i) {
    std::mt19937 draw(static_cast<std::uint32_t>(1000 + i));
    const std::vector<mask> frames = random_film(extent(40, 130), draw, 8);
    track_options options = random_options(frames[0], draw);
    options.labels = i % 2 == 0;
    const std::vector<seen_frame> want = track(oracle, options, frames);
    for (const publishing how : {publishing::mapped, publishing::predicted, publishing::whole})
      for (const double margin : {0.0, 0.5}) {
        options.publish = how;
        options.margin = margin;
        expect_same(track(gpu(), options, frames), want,
                    "film " + std::to_string(i) + ", way " + std::to_string(static_cast<int>(how)));
      }
  }
}

TEST(track_cuda, small_frames_in_one_kernel) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (int i = 0; i < scaled(20); ++i) {
    std::mt19937 draw(static_cast<std::uint32_t>(i));
    const extent sizes[] = {extent(20, 30), extent(33, 64), extent(70, 97)};
    const std::vector<mask> frames = random_film(sizes[i % 3], draw, 8);
    track_options options = random_options(frames[0], draw);
    options.selection = {};
    options.moments = options.intensities = options.labels = false;
    expect_as_on_cpu(options, frames, "film " + std::to_string(i));
  }
}

TEST(track_cuda, more_objects_than_the_device_has_rows_for) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const extent size(160, 160);
  std::vector<mask> frames;
  for (const int n : {5, 5000, 5000, 0, 3000, 7, 900, 1100, 6400, 1}) frames.push_back(dots(size, n));
  track_options options = options_for(frames[0], 4);
  for (const std::uint32_t capacity : {1U, 2000U})
    for (const std::uint32_t remembered : {0U, 2U}) {
      options.capacity = capacity;
      options.inherit.keep_alive = remembered;
      options.intensities = capacity == 1;  // without them such frames are read in place
      options.labels = remembered == 0;
      expect_as_on_cpu(options, frames, std::to_string(capacity) + ", " + std::to_string(remembered));
    }
}

TEST(track_cuda, more_links_or_runs_than_the_device_has_room_for) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const extent size(200, 200);  // 100 bars meet 100 others: 10 000 links
  const std::vector<mask> frames = {bars(size, true), bars(size, false), bars(size, true), bars(size, true),
                                    dots(size, 3),    bars(size, false), dots(size, 2000)};
  track_options options = options_for(frames[0], 4);
  options.capacity = 1024;
  expect_as_on_cpu(options, frames, "links");
  std::mt19937 draw(5);
  std::vector<mask> noise;
  for (const int density : {50, 52, 5, 60, 40}) noise.push_back(random_mask(extent(300, 500), 1, density, draw()));
  options = options_for(noise[0], 8);
  options.inherit.memory = 3;
  expect_as_on_cpu(options, noise, "runs");
  options.labels = options.moments = options.intensities = false;
  expect_as_on_cpu(options, noise, "one kernel");
}

TEST(track_cuda, a_long_film_of_bubbles) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const std::int64_t width : {530, 640, 1040}) {
    const scenes::bubbles film({width == 1040 ? 520 : 300, width, 32, 5});
    std::vector<mask> frames;
    for (std::uint64_t i = 0; i < 60; ++i) {
      frames.push_back(empty_mask(film.size()));
      film.draw(i, frames.back().pixels.data());
    }
    track_options options = options_for(frames[0]);
    options.threshold = frame_threshold::fixed(foreground::above(scenes::bubbles::threshold));
    for (const int slots : {2, 5, 16})
      for (const std::uint32_t remembered : {0U, 3U})
        for (const bool everything : {false, true}) {
          options.slots = slots;
          options.inherit.keep_alive = options.inherit.memory = remembered;
          options.labels = options.moments = options.intensities = everything;
          expect_as_on_cpu(options, frames, std::to_string(slots) + " slots");
        }
  }
}

// Whatever was dropped, the frames that came through are a film of their own.
TEST(track_cuda, dropped_frames_are_as_if_they_had_not_been) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::mt19937 draw(21);
  const std::vector<mask> frames = random_film(extent(90, 208), draw, 150);
  for (const int slots : {2, 3, 9}) {
    track_options options = options_for(frames[0]);
    options.labels = false;
    options.intensities = slots == 9;  // without them such frames are read in place
    options.full = track_options::when_full::drop_oldest;
    options.slots = slots;
    std::vector<seen_frame> seen;
    tracker stream(gpu(), options, [&](const frame_result& result) {
      seen.push_back(copy_of(result));
      if (result.frame % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(result.frame * 10));
    });
    for (const mask& frame : frames) stream.push(frame.view());
    stream.stop();
    EXPECT_EQ(seen.size() + stream.dropped(), frames.size());
    EXPECT_GT(stream.dropped(), 0U) << slots;  // or this tests nothing
    std::vector<mask> left;
    for (const seen_frame& each : seen) left.push_back(frames[each.result.frame]);
    engine on = engine::cpu(1);
    options.full = track_options::when_full::wait;
    const std::vector<seen_frame> want = track(on, options, left);
    ASSERT_EQ(want.size(), seen.size());
    for (std::size_t i = 0; i < seen.size(); ++i) {
      EXPECT_EQ(ids_of(seen[i].result), ids_of(want[i].result)) << slots << " slots, frame " << seen[i].result.frame;
      EXPECT_EQ(events_of(seen[i].result), events_of(want[i].result)) << slots << " slots";
    }
  }
}

TEST(track_cuda, frames_for_which_there_are_no_ids_left) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const std::vector<mask> frames = film_with_repeats(extent(20, 40));
  track_options options = options_for(frames[0]);
  options.slots = 4;
  for (std::uint32_t ids = 40; ids < 400; ids += 60) {
    options.inherit.first_id = 0xffffffff - ids;
    expect_as_on_cpu(options, frames, std::to_string(ids));
  }
}

TEST(track_cuda, a_stream_takes_its_memory_once) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::mt19937 draw(2);
  const std::vector<mask> frames = random_film(extent(128, 256), draw, 20);
  track_options options = options_for(frames[0]);
  tracker stream(gpu(), options, [](const frame_result&) {});
  const auto run = [&](int rounds) {
    for (int i = 0; i < rounds; ++i)
      for (const mask& frame : frames) stream.push(frame.view());
    stream.flush();
    std::size_t free = 0, all = 0;
    EXPECT_EQ(cudaMemGetInfo(&free, &all), cudaSuccess);
    return free;
  };
  const std::size_t before = run(2);
  EXPECT_EQ(run(scaled(50)), before);
}

}  // namespace
}  // namespace skerry::test
