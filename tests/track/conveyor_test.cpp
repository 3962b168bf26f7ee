// SPDX-License-Identifier: Apache-2.0
// The ring alone, with steps that wait until the test lets them go on: what depends on where each frame is.
#include "track/conveyor.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <set>

namespace skerry::test {
namespace {

using track_steps::conveyor;

// Frames that stop in a step until they are let go.
class stops {
 public:
  void at(std::uint64_t frame) {
    change([&] { held_.insert(frame); });
  }
  void let_all_go() {
    change([&] { held_.clear(); });
  }
  void pass(std::uint64_t frame) {
    std::unique_lock lock(mutex_);
    arrived_.insert(frame);
    changed_.notify_all();
    changed_.wait(lock, [&] { return !held_.contains(frame); });
  }
  void wait_for(std::uint64_t frame) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return arrived_.contains(frame); });
  }

 private:
  template <class Change>
  void change(Change make) {
    const std::lock_guard lock(mutex_);
    make();
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::uint64_t> held_, arrived_;
};

struct stopping_work : track_steps::frame_work {
  explicit stopping_work(stops& analysis) : analysis(analysis) {}
  mutable_image frame_memory(std::size_t) override { return {nullptr, dtype::u8, extent(1, 1)}; }
  void upload(std::size_t, const image_view&) override {}
  void analyse(std::size_t, frame_result& result) override { analysis.pass(result.frame); }
  void inherit(std::size_t, frame_result&) override {}
  stops& analysis;
};

struct held_stream {
  stops analysis, sink;
  std::vector<std::uint64_t> seen;
  track_options options;
  conveyor ring;

  held_stream(int slots, std::initializer_list<std::uint64_t> in_analysis, std::initializer_list<std::uint64_t> in_sink)
      : options(with(slots)),
        ring(options, std::make_unique<stopping_work>(analysis), [this](const frame_result& result) {
          seen.push_back(result.frame);
          sink.pass(result.frame);
        }) {
    for (const std::uint64_t frame : in_analysis) analysis.at(frame);
    for (const std::uint64_t frame : in_sink) sink.at(frame);
  }
  ~held_stream() { finish(); }
  held_stream(const held_stream&) = delete;
  held_stream& operator=(const held_stream&) = delete;

  static track_options with(int slots) {
    track_options made;
    made.size = extent(1, 1);
    made.slots = slots;
    made.full = track_options::when_full::drop_oldest;
    return made;
  }
  void push() { ring.push({&pixel, dtype::u8, extent(1, 1)}, 0, true); }
  void finish() {
    analysis.let_all_go();
    sink.let_all_go();
    ring.stop();
  }
  std::uint8_t pixel = 0;
};

using numbers = std::vector<std::uint64_t>;

TEST(track_conveyor, an_analysed_frame_is_dropped_before_one_that_waits) {
  held_stream stream(4, {2}, {0});
  stream.push();
  stream.sink.wait_for(0);  // nothing more is published
  stream.push();            // 1 is analysed
  stream.push();
  stream.analysis.wait_for(2);
  stream.push();  // 3 waits
  stream.push();
  stream.finish();
  EXPECT_EQ(stream.seen, (numbers{0, 2, 3, 4}));
  EXPECT_EQ(stream.ring.dropped(), 1U);
}

TEST(track_conveyor, the_oldest_of_those_that_wait_is_dropped) {
  held_stream stream(4, {0}, {});
  stream.push();
  stream.analysis.wait_for(0);
  for (int frame = 1; frame < 6; ++frame) stream.push();  // 1 and 2 make room for 4 and 5
  stream.finish();
  EXPECT_EQ(stream.seen, (numbers{0, 3, 4, 5}));
  EXPECT_EQ(stream.ring.dropped(), 2U);
}

}  // namespace
}  // namespace skerry::test
