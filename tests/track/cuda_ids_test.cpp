// SPDX-License-Identifier: Apache-2.0
// Streams with room for so many objects that a CUDA device chooses their ids.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "on_gpu.hpp"

namespace skerry::test {
namespace {

constexpr std::uint32_t room = 9000;  // the host names up to 8192

// Whether the device wrote the lists of the result: it then tells no links.
bool is_named_by_device(const frame_result& result) {
  const feature_table& table = result.table;
  const auto bytes_of = [](const auto& rows) { return rows.size() * sizeof rows[0]; };
  const std::uint64_t lists = 80 + bytes_of(table.components) + bytes_of(table.moments) + bytes_of(table.intensities) +
                              bytes_of(table.real_intensities);
  const std::uint64_t named = bytes_of(result.objects) + bytes_of(result.events);
  return result.transferred == (lists + 15) / 16 * 16 + named;
}

track_options options_with_room(const mask& frame, bool everything = true) {
  track_options options = options_for(frame);
  options.capacity = room;
  options.moments = options.intensities = options.labels = everything;
  return options;
}

std::vector<mask> noise(const extent& size, std::initializer_list<int> densities) {
  std::vector<mask> frames;
  for (const int density : densities)
    frames.push_back(random_mask(size, 1, density, static_cast<std::uint32_t>(frames.size())));
  return frames;
}

TEST(track_cuda_ids, whatever_is_asked) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const extent sizes[] = {extent(150, 130), extent(140, 208), extent(6, 60, 70), extent(1, 20000)};
  for (int i = 0; i < scaled(40); ++i) {
    std::mt19937 draw(static_cast<std::uint32_t>(i));
    const std::vector<mask> frames = random_film(sizes[i % 4], draw, 10);
    track_options options = random_options(frames[0], draw);
    options.capacity = 1 << 15;
    options.inherit.keep_alive = options.inherit.memory = 0;
    options.labels = i % 2 == 0;
    options.moments = i % 3 == 0;
    options.intensities = i % 5 == 0;
    if (i % 7 == 0) options.threshold = frame_threshold::otsu();
    if (i % 7 == 1) options.threshold = frame_threshold::background(0.5, frame_threshold::side::both);
    const std::vector<seen_frame> seen = track(gpu(), options, frames);
    for (const seen_frame& each : seen) EXPECT_TRUE(is_named_by_device(each.result)) << i;
    engine on = engine::cpu(1);
    expect_same(seen, track(on, options, frames), "film " + std::to_string(i));
  }
}

TEST(track_cuda_ids, tens_of_thousands_of_objects) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::vector<mask> frames = noise(extent(700, 800), {10, 12, 10, 40, 60, 90, 10, 0, 10, 100, 30});
  frames.push_back(frames.back());
  for (const int connectivity : {4, 8}) {
    track_options options = options_with_room(frames[0], false);
    options.capacity = 100000;
    options.connectivity = connectivity;
    options.slots = 5;
    const std::vector<seen_frame> seen = track(gpu(), options, frames);
    for (const seen_frame& each : seen) EXPECT_TRUE(is_named_by_device(each.result));
    engine on = engine::cpu(1);
    expect_same(seen, track(on, options, frames), std::to_string(connectivity));
  }
}

// From such a frame on the host chooses, and gives the ids back when no other frame is on its way.
TEST(track_cuda_ids, more_objects_than_there_is_room_for) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const std::vector<mask> frames =
      noise(extent(300, 500), {3, 4, 12, 3, 5, 14, 13, 2, 50, 20, 3, 0, 3, 12, 12, 12, 4, 4, 4, 4, 4, 4});
  for (const int slots : {2, 4, 16})
    for (const bool everything : {false, true}) {
      track_options options = options_with_room(frames[0], everything);
      options.slots = slots;
      expect_as_on_cpu(options, frames, std::to_string(slots) + " slots");
    }
}

TEST(track_cuda_ids, go_back_to_the_device) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const std::vector<mask> frames = noise(extent(300, 500), {4, 12, 4, 5, 12, 12, 3, 3, 3});
  const track_options options = options_with_room(frames[0], false);
  engine on = engine::cpu(1);
  const std::vector<seen_frame> want = track(on, options, frames);
  tracker stream(gpu(), options);
  std::vector<seen_frame> seen;
  for (const mask& frame : frames) {
    stream.push(frame.view());
    seen.push_back(copy_of(*stream.wait()));
  }
  expect_same(seen, want, "one by one");
  // Of 12 % there are more than there is room for, so the host has these ids, and cannot give so many back.
  const bool by_device[] = {true, false, false, true, false, false, false, true, true};
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(is_named_by_device(seen[i].result), by_device[i]) << i;
}

// The host tells of more ids that end than a result has room for, and the lists of results must stay where the device writes.
TEST(track_cuda_ids, go_back_after_many_have_ended) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const std::vector<mask> frames = noise(extent(700, 800), {10, 0, 10, 1, 10, 0, 1, 1, 1, 2, 1});
  track_options options = options_with_room(frames[0], false);
  options.slots = 2;
  engine on = engine::cpu(1);
  const std::vector<seen_frame> want = track(on, options, frames);
  tracker stream(gpu(), options);
  std::vector<seen_frame> seen;
  std::set<const track_event*> lists;
  for (const mask& frame : frames) {
    stream.push(frame.view());
    const frame_result* const result = stream.wait();
    lists.insert(result->events.data());
    seen.push_back(copy_of(*result));
  }
  expect_same(seen, want, "many ends");
  EXPECT_LE(lists.size(), 2U);
  // Of 2 % there are more than there is room for, as of 10 %, so the host has these ids and those of the next frame.
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(is_named_by_device(seen[i].result), i >= 6 && i <= 8) << i;
}

TEST(track_cuda_ids, frames_that_are_errors_do_not_count) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::mt19937 draw(12);
  const std::vector<mask> frames = random_film(extent(150, 130), draw, 30);
  const track_options options = options_with_room(frames[0]);
  engine on = engine::cpu(1);
  std::vector<seen_frame> seen[2];
  for (const bool on_gpu : {false, true}) {
    tracker stream(on_gpu ? gpu() : on, options,
                   [&](const frame_result& result) { seen[on_gpu ? 1 : 0].push_back(copy_of(result)); });
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (i % 4 == 1) stream.push_error("no picture");
      stream.push(frames[i].view());
    }
    stream.stop();
  }
  expect_same(seen[1], seen[0], "errors");
}

TEST(track_cuda_ids, run_out) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const std::vector<mask> frames = film_with_repeats(extent(150, 130));
  track_options options = options_with_room(frames[0]);
  for (std::uint32_t ids = 10; ids < 30000; ids = 3 * ids + 1) {
    options.inherit.first_id = 0xffffffff - ids;
    expect_as_on_cpu(options, frames, std::to_string(ids));
  }
}

// What the host does with frames that may be dropped.
TEST(track_cuda_ids, stay_on_the_host_where_frames_may_be_dropped) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const std::vector<mask> frames = noise(extent(300, 500), {3, 4, 3});
  track_options options = options_with_room(frames[0]);
  options.full = track_options::when_full::drop_oldest;
  const std::vector<seen_frame> seen = track(gpu(), options, frames);
  EXPECT_FALSE(is_named_by_device(seen.back().result));
}

}  // namespace
}  // namespace skerry::test
