// SPDX-License-Identifier: Apache-2.0
// Synthetic two-phase flow: every birth, merge, split and death of the film is found, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "film.hpp"
#include "scenes/bubbles.hpp"
#include "skerry/error.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

using scenes::bubble;
using scenes::bubble_options;
using scenes::bubbles;

track_options options_for_film(const bubbles& film) {
  track_options options;
  options.size = film.size();
  options.connectivity = 8;
  options.threshold = frame_threshold::fixed(foreground::above(bubbles::threshold));
  options.labels = true;
  return options;
}

bool before(const track_event& a, const track_event& b) {
  return std::tie(a.kind, a.id, a.other) < std::tie(b.kind, b.id, b.other);
}

// Compares a result with the truth, and remembers which id is which body.
class judge {
 public:
  explicit judge(const bubbles& film) : film_(film) {}

  void see(const frame_result& result) {
    const std::vector<bubble> truth = film_.objects(result.frame);
    const std::string where = "frame " + std::to_string(result.frame);
    ASSERT_EQ(result.error, "") << where;
    ASSERT_EQ(result.objects.size(), truth.size()) << where;
    const auto* const ids = static_cast<const std::uint32_t*>(result.labels.data);
    for (const bubble& each : truth) {
      const std::uint32_t id = ids[each.row * film_.size().width + each.column];
      ASSERT_NE(id, 0U) << where;
      ASSERT_EQ(id_of_.try_emplace(each.body, id).first->second, id) << where << ", body " << each.body;
      ASSERT_EQ(body_of_.try_emplace(id, each.body).first->second, each.body) << where << ", id " << id;
      const auto object = std::find_if(result.objects.begin(), result.objects.end(),
                                       [&](const tracked_object& one) { return one.id == id; });
      const auto row = static_cast<std::size_t>(object - result.objects.begin());
      ASSERT_EQ(result.table.components[row].area, static_cast<std::uint64_t>(each.area)) << where;
    }
    std::vector<track_event> want = film_.events(result.frame), got(result.events.begin(), result.events.end());
    for (track_event& event : got) {
      event.id = body_of_.at(event.id);
      if (event.other != 0) event.other = body_of_.at(event.other);
      ++seen_[event.kind];
      if (event.kind == track_event_kind::death) {
        EXPECT_TRUE(dead_.insert(event.id).second) << where;
      }
    }
    std::sort(want.begin(), want.end(), before);
    std::sort(got.begin(), got.end(), before);
    ASSERT_EQ(got, want) << where << ": " << events_of(result);
  }
  [[nodiscard]] int seen(track_event_kind kind) const {
    const auto found = seen_.find(kind);
    return found == seen_.end() ? 0 : found->second;
  }

 private:
  const bubbles& film_;
  std::map<std::uint32_t, std::uint32_t> id_of_, body_of_;
  std::set<std::uint32_t> dead_;
  std::map<track_event_kind, int> seen_;
};

void expect_truth(engine& on, const bubbles& film, int frames) {
  judge against(film);
  tracker stream(on, options_for_film(film));
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(film.size().pixels()));
  for (int frame = 0; frame < frames; ++frame) {
    film.draw(static_cast<std::uint64_t>(frame), pixels.data());
    stream.push(image_view(pixels.data(), film.size()));
    against.see(*stream.wait());
    if (testing::Test::HasFatalFailure()) return;
  }
  for (const track_event_kind kind :
       {track_event_kind::birth, track_event_kind::split, track_event_kind::merge, track_event_kind::death})
    EXPECT_GE(against.seen(kind), 5) << name_of(kind);
  EXPECT_EQ(against.seen(track_event_kind::reappearance), 0);
}

TEST(track_bubbles, every_event_is_found) {
  engine on = engine::cpu(2);
  for (std::uint32_t seed = 0; seed < static_cast<std::uint32_t>(scaled(6)); ++seed)
    for (const bubble_options& options : {bubble_options{256, 320, 32, seed}, bubble_options{600, 300, 64, seed},
                                          bubble_options{150, 200, 24, seed}, bubble_options{401, 211, 40, seed}}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", lane " + std::to_string(options.lane));
      expect_truth(on, bubbles(options), 12 * options.lane);
      if (HasFatalFailure()) return;
    }
}

TEST(track_bubbles, every_engine_finds_them) {
  const bubbles film({200, 128, 32, 5});
  for (named_engine& each : each_engine()) {
    SCOPED_TRACE(each.name);
    expect_truth(each.on, film, 300);
  }
}

TEST(track_bubbles, a_faster_camera_sees_the_same_film_in_more_frames) {
  const bubbles film({.height = 200, .width = 128, .lane = 32, .seed = 3, .noise = false});
  const bubbles slow({.height = 200, .width = 128, .lane = 32, .seed = 3, .noise = false, .slowness = 7});
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(film.size().pixels())), again(pixels.size());
  for (std::uint64_t frame = 0; frame < 300; ++frame) {
    film.draw(frame, pixels.data());
    slow.draw(7 * frame, again.data());
    ASSERT_EQ(pixels, again) << frame;
  }
  engine on = engine::cpu(1);
  expect_truth(on, slow, 2000);
  EXPECT_THROW(bubbles({.slowness = 0}), invalid_argument);
}

// Whom a pulse can hit without its neighbours being taken for it.
bool is_alone(const bubble& one, const std::vector<bubble>& all, int lane) {
  return std::none_of(all.begin(), all.end(), [&](const bubble& other) {
    return other.body != one.body && std::abs(other.column - one.column) < lane &&
           std::abs(other.row - one.row) < 2 * lane;
  });
}

TEST(track_bubbles, what_a_pulse_hits_dies_in_that_frame) {
  engine on = engine::cpu(1);
  const bubble_options options{400, 256, 32, 11};
  bubbles film(options);
  judge against(film);
  tracker stream(on, options_for_film(film));
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(film.size().pixels()));
  int hits = 0;
  for (std::uint64_t frame = 0; frame < 300; ++frame) {
    const std::vector<bubble> all = film.objects(frame);
    if (frame % 5 == 4)
      for (const bubble& each : all) {
        if (!is_alone(each, all, options.lane) || each.body % 3 != 0) continue;
        ASSERT_EQ(film.pulse(frame, each.row, each.column), std::vector<std::uint32_t>{each.body}) << frame;
        ASSERT_TRUE(film.pulse(frame, each.row, each.column).empty()) << frame;
        ++hits;
        break;
      }
    film.draw(frame, pixels.data());
    stream.push(image_view(pixels.data(), film.size()));
    against.see(*stream.wait());
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(hits, 10);
  EXPECT_TRUE(film.pulse(300, 0, 0).empty());  // between lanes
}

TEST(track_bubbles, the_film_is_the_same_in_any_order) {
  const bubbles film({200, 128, 32, 9}), again({200, 128, 32, 9});
  std::vector<std::uint8_t> a(200 * 128), b(200 * 128);
  again.draw(77, b.data());
  again.draw(5, b.data());
  film.draw(5, a.data());
  EXPECT_EQ(a, b);
  film.draw(6, a.data());
  EXPECT_NE(a, b);
}

TEST(track_bubbles, frames_that_are_too_small_are_refused) {
  for (const bubble_options& options : {bubble_options{191, 64, 64}, bubble_options{192, 63, 64},
                                        bubble_options{192, 64, 23}, bubble_options{100, 100, 0}})
    EXPECT_THROW(bubbles{options}, invalid_argument);
  EXPECT_NO_THROW(bubbles({192, 64, 64}));
}

}  // namespace
}  // namespace skerry::test
