// SPDX-License-Identifier: Apache-2.0
// Frames that are written into the memory of the stream.
#include <gtest/gtest.h>

#include <algorithm>

#include "film.hpp"
#include "skerry/error.hpp"
#include "support/engines.hpp"
#include "support/refusal.hpp"

namespace skerry::test {
namespace {

void fill(const mutable_image& memory, const mask& frame) {
  ASSERT_EQ(memory.size, frame.size);
  std::copy(frame.pixels.begin(), frame.pixels.end(), static_cast<std::uint8_t*>(memory.data));
}

TEST(track_acquire, frames_are_those_that_were_written) {
  std::mt19937 draw(11);
  const std::vector<mask> frames = random_film(extent(33, 70), draw, 40);
  track_options options = options_for(frames[0]);
  options.slots = 3;
  engine oracle = engine::reference();
  const std::vector<seen_frame> want = track(oracle, options, frames);
  for (named_engine& each : each_engine()) {
    std::vector<seen_frame> seen;
    tracker stream(each.on, options, [&](const frame_result& result) {
      const auto* const pixels = static_cast<const std::uint8_t*>(result.image.data);
      EXPECT_TRUE(std::equal(pixels, pixels + result.image.size.pixels(), frames[result.frame].pixels.begin()));
      EXPECT_EQ(result.stamp, 7 * result.frame);
      const auto* const ids = static_cast<const std::uint32_t*>(result.labels.data);
      seen.push_back({result, {ids, ids + result.labels.size.pixels()}});
    });
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const mutable_image memory = stream.acquire();
      fill(memory, frames[i]);
      EXPECT_EQ(stream.commit(memory, 7 * i), i);
    }
    stream.stop();
    expect_same(seen, want, each.name);
  }
}

TEST(track_acquire, several_at_once_in_any_order) {
  const mask left = picture("##...."), right = picture("....##");
  engine on = engine::cpu(1);
  track_options options = options_for(left);
  options.slots = 4;
  tracker stream(on, options);
  const mutable_image first = stream.acquire(), second = stream.acquire(), third = stream.acquire();
  fill(first, left);
  fill(second, right);
  fill(third, left);
  EXPECT_EQ(stream.commit(second), 0U);
  EXPECT_EQ(stream.commit(first), 1U);
  EXPECT_EQ(stream.push(left.view()), 2U);
  EXPECT_EQ(stream.commit(third), 3U);
  EXPECT_EQ(stream.pushed(), 4U);
  EXPECT_EQ(events_of(*stream.wait()), "birth 1");
  EXPECT_EQ(events_of(*stream.wait()), "birth 2, death 1");
  EXPECT_EQ(events_of(*stream.wait()), "");
  EXPECT_EQ(ids_of(*stream.wait()), "2");
  EXPECT_EQ(stream.wait(), nullptr);
}

TEST(track_acquire, what_was_not_acquired_is_refused) {
  mask frame = picture("##....");
  engine on = engine::cpu(1);
  tracker stream(on, options_for(frame));
  const mutable_image memory = stream.acquire();
  fill(memory, frame);
  EXPECT_EQ(refusal([&] {
              stream.commit({frame.pixels.data(), frame.size});
            }),
            "frame: is not memory that was acquired");
  EXPECT_EQ(refusal([&] { stream.commit({}); }), "frame: is not memory that was acquired");
  EXPECT_EQ(stream.commit(memory), 0U);
  EXPECT_EQ(refusal([&] { stream.commit(memory); }), "frame: is not memory that was acquired");
  const mutable_image late = stream.acquire();
  stream.stop();
  EXPECT_EQ(refusal([&] { stream.commit(late); }), "frame: the stream has been stopped");
  EXPECT_EQ(refusal([&] { (void)stream.acquire(); }), "frame: the stream has been stopped");
  EXPECT_EQ(ids_of(*stream.wait()), "1");
}

}  // namespace
}  // namespace skerry::test
