// SPDX-License-Identifier: Apache-2.0
// The ring: order, back-pressure, overflow, ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "each_engine.hpp"
#include "film.hpp"
#include "skerry/error.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

const mask one = picture("##......"), nothing = empty_mask(extent(1, 8));

track_options small(const mask& frame) {
  track_options options = options_for(frame);
  options.slots = 3;
  return options;
}

using track_stream = on_each_engine;
INSTANTIATE_TEST_SUITE_P(engines, track_stream, engine_numbers(), name_of_engine);

TEST_P(track_stream, results_come_in_order_with_their_stamps_and_times) {
  engine& on = here();
  tracker stream(on, small(nothing));
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(stream.push(nothing.view(), 1000 + i), i);
    const frame_result* const result = stream.wait();
    ASSERT_NE(result, nullptr);
    EXPECT_EQ(result->frame, i);
    EXPECT_EQ(result->stamp, 1000 + i);
    EXPECT_LE(last, result->times.pushed);
    EXPECT_LE(result->times.pushed, result->times.begun);
    EXPECT_LE(result->times.begun, result->times.published);
    last = result->times.published;
  }
  EXPECT_EQ(stream.pushed(), 100U);
  EXPECT_EQ(stream.dropped(), 0U);
  EXPECT_EQ(stream.poll(), nullptr);
  EXPECT_EQ(stream.wait(), nullptr);
}

TEST_P(track_stream, frames_may_be_overwritten_after_push) {
  engine& on = here();
  mask frame = picture("#....");
  std::string seen;
  tracker stream(on, small(frame), [&](const frame_result& result) {
    seen += std::to_string(result.table.components.at(0).min[2]);
    EXPECT_EQ(static_cast<const std::uint8_t*>(result.image.data)[result.frame % 5], 1);
  });
  for (std::int64_t i = 0; i < 20; ++i) {
    frame = empty_mask(extent(1, 5));
    frame.at(0, i % 5) = 1;
    stream.push(frame.view());
  }
  stream.flush();
  EXPECT_EQ(seen, "01234012340123401234");
}

TEST(track_stream, empty_full_and_no_frames) {
  mask full = empty_mask(extent(7, 9));
  for (std::uint8_t& pixel : full.pixels) pixel = 1;
  const mask empty = empty_mask(full.size), no_pixels = empty_mask(extent(0, 5));
  for (named_engine& each : each_engine()) {
    EXPECT_EQ(text_of(track(each.on, options_for(full), {empty, full, full, empty, full})),
              " | 1: birth 1 | 1 | : death 1 | 2: birth 2");
    EXPECT_EQ(text_of(track(each.on, options_for(no_pixels), {no_pixels, no_pixels})), " | ");
    EXPECT_EQ(text_of(track(each.on, options_for(full), {})), "");
  }
}

// Holds the callback back until it may go on.
class gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    ++inside_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
  }
  void wait_for(int calls) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return inside_ >= calls; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int inside_ = 0;
  bool open_ = false;
};

TEST_P(track_stream, a_slow_sink_makes_push_wait) {
  engine& on = here();
  gate sink;
  std::atomic<int> seen = 0;
  track_options options = small(nothing);
  tracker stream(on, options, [&](const frame_result&) {
    sink.pass();
    ++seen;
  });
  for (int i = 0; i < options.slots; ++i) stream.push(nothing.view());
  sink.wait_for(1);
  EXPECT_FALSE(stream.try_push(nothing.view()));
  EXPECT_EQ(stream.pushed(), 3U);
  std::thread pusher([&] {
    for (int i = 0; i < 20; ++i) stream.push(nothing.view());
  });
  sink.open();
  pusher.join();
  stream.flush();
  EXPECT_EQ(seen, 23);
  EXPECT_EQ(stream.dropped(), 0U);
}

TEST_P(track_stream, or_the_oldest_frames_are_dropped) {
  engine& on = here();
  gate sink;
  std::vector<std::uint64_t> seen;
  std::uint64_t dropped = 0;
  track_options options = small(nothing);
  options.full = track_options::when_full::drop_oldest;
  options.slots = 5;
  tracker stream(on, options, [&](const frame_result& result) {
    seen.push_back(result.frame);
    dropped = result.dropped;
    sink.pass();
  });
  stream.push(nothing.view());
  sink.wait_for(1);
  for (int i = 1; i < 50; ++i) EXPECT_EQ(stream.push(nothing.view()), static_cast<std::uint64_t>(i));
  sink.open();
  stream.stop();
  EXPECT_EQ(stream.pushed(), 50U);
  EXPECT_EQ(stream.dropped() + seen.size(), 50U);
  EXPECT_EQ(dropped, stream.dropped());
  EXPECT_GE(dropped, 45U);
  EXPECT_EQ(seen.front(), 0U);
  EXPECT_EQ(seen.back(), 49U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST_P(track_stream, results_that_nobody_takes_are_dropped_too) {
  engine& on = here();
  track_options options = small(nothing);
  options.full = track_options::when_full::drop_oldest;
  tracker stream(on, options);
  for (int i = 0; i < 3; ++i) stream.push(nothing.view());
  stream.flush();
  ASSERT_NE(stream.poll(), nullptr);  // frame 0 is in somebody's hands
  for (int i = 3; i < 10; ++i) {
    stream.push(nothing.view());
    stream.flush();
  }
  EXPECT_EQ(stream.dropped(), 7U);
  EXPECT_EQ(stream.poll()->frame, 8U);
  EXPECT_EQ(stream.poll()->frame, 9U);
  EXPECT_EQ(stream.poll(), nullptr);
}

TEST_P(track_stream, dropped_frames_are_as_if_they_had_not_been) {
  engine& on = here();
  track_options options = small(one);
  options.full = track_options::when_full::drop_oldest;
  options.slots = 2;
  tracker stream(on, options);
  const auto push_and_settle = [&](const mask& frame) {
    stream.push(frame.view());
    stream.flush();
  };
  push_and_settle(picture("##......"));
  EXPECT_EQ(events_of(*stream.poll()), "birth 1");
  push_and_settle(picture(".##....."));  // its result is dropped, but it has been seen
  push_and_settle(picture("..##...."));
  push_and_settle(picture("...##..."));
  const frame_result* const last = stream.poll();
  EXPECT_EQ(ids_of(*last), "1");
  EXPECT_EQ(last->age(0), last->frame);
}

TEST_P(track_stream, it_can_be_stopped_or_abandoned_at_any_time) {
  engine& on = here();
  const mask frame = dots(extent(50, 50), 300);
  for (int frames = 0; frames < 12; ++frames) {
    track_options options = options_for(frame);
    options.slots = 16;
    {
      tracker stream(on, options);
      for (int i = 0; i < frames; ++i) stream.push(frame.view());
    }
    int seen = 0;
    tracker stream(on, options, [&](const frame_result&) { ++seen; });
    for (int i = 0; i < frames; ++i) stream.push(frame.view());
    stream.stop();
    stream.stop();
    EXPECT_EQ(seen, frames);
    EXPECT_THROW(stream.push(frame.view()), invalid_argument);
    EXPECT_THROW(stream.try_push(frame.view()), invalid_argument);
  }
}

TEST_P(track_stream, stop_ends_a_push_that_waits) {
  engine& on = here();
  tracker stream(on, small(nothing));
  std::thread camera([&] { EXPECT_THROW(while (true) stream.push(nothing.view()), invalid_argument); });
  while (stream.pushed() < 3) std::this_thread::yield();
  stream.stop();
  camera.join();
  EXPECT_EQ(stream.pushed(), 3U);
}

TEST_P(track_stream, results_are_there_after_stop) {
  engine& on = here();
  tracker stream(on, small(nothing));
  stream.push(nothing.view());
  stream.push(nothing.view());
  stream.stop();
  EXPECT_EQ(stream.wait()->frame, 0U);
  EXPECT_EQ(stream.wait()->frame, 1U);
  EXPECT_EQ(stream.wait(), nullptr);
}

TEST_P(track_stream, what_a_callback_throws_comes_out_of_flush_once) {
  engine& on = here();
  int calls = 0;
  tracker stream(on, small(nothing), [&](const frame_result& result) {
    ++calls;
    if (result.frame % 2 == 1) throw std::runtime_error("frame " + std::to_string(result.frame));
  });
  for (int i = 0; i < 6; ++i) stream.push(nothing.view());
  try {
    stream.flush();
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "frame 1");
  }
  stream.flush();
  EXPECT_EQ(calls, 6);
}

TEST_P(track_stream, two_threads_push_and_take) {
  engine& on = here();
  const mask frame = dots(extent(64, 64), 200);
  tracker stream(on, small(frame));
  constexpr std::uint64_t frames = 500;
  std::thread pusher([&] {
    for (std::uint64_t i = 0; i < frames; ++i) stream.push(frame.view(), i);
  });
  std::uint64_t seen = 0;
  while (seen < frames) {
    const frame_result* const result = stream.wait();
    if (result == nullptr) continue;  // the pusher is late
    EXPECT_EQ(result->stamp, seen++);
    EXPECT_EQ(result->count, 200U);
  }
  pusher.join();
}

}  // namespace
}  // namespace skerry::test
