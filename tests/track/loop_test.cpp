// SPDX-License-Identifier: Apache-2.0
// The loop closed over a simulated flow: what is predicted and commanded, never how long it takes.
#include "closed_loop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "support/engines.hpp"

namespace skerry::test {
namespace {

using flow_control::command;
using flow_control::constant_velocity;
using flow_control::given_command;
using flow_control::kalman;
using flow_control::loop_options;
using flow_control::loop_report;
using flow_control::outcome;

loop_options flow_of(std::uint32_t seed) {
  loop_options options;
  options.flow.seed = seed;
  return options;
}

// Every pulse hits, the stream reports it in that frame, and nobody is aimed at twice without a reason.
void expect_control(const loop_report& report, const loop_options& options) {
  std::uint64_t before = 0, hits = 0;
  std::set<std::uint32_t> aimed_at;
  for (const given_command& each : report.commands) {
    EXPECT_GE(each.given_at, before);
    before = each.given_at;
    EXPECT_EQ(each.what.frame, each.given_at + static_cast<std::uint64_t>(options.lead));
    EXPECT_NE(each.end, outcome::miss) << "frame " << each.what.frame << ", id " << each.what.id;
    EXPECT_EQ(each.is_confirmed, each.end == outcome::hit) << "frame " << each.what.frame << ", id " << each.what.id;
    EXPECT_EQ(each.end == outcome::waiting, each.what.frame >= options.frames && each.end != outcome::withdrawn);
    EXPECT_TRUE(aimed_at.insert(each.what.id).second || each.end == outcome::withdrawn);
    hits += each.end == outcome::hit ? 1 : 0;
  }
  EXPECT_GE(hits, 10U);
}

TEST(track_loop, every_pulse_hits_whom_it_is_meant_for) {
  engine on = engine::cpu(2);
  for (std::uint32_t seed = 0; seed < static_cast<std::uint32_t>(scaled(4)); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const loop_options options = flow_of(seed);
    const loop_report straight = flow_control::close_the_loop<constant_velocity>(on, options);
    const loop_report filtered = flow_control::close_the_loop<kalman>(on, options);
    expect_control(straight, options);
    expect_control(filtered, options);
    // Rows are a speed rounded down, and change it where a small bubble begins to catch up: two and a half pixels at the most,
    // each of which may be rounded off. Columns swing by one pixel.
    EXPECT_LE(straight.rows.largest, 3.5);
    EXPECT_LE(straight.columns.largest, 1.5);
    EXPECT_LE(filtered.rows.largest, 3.5);
    EXPECT_LE(filtered.columns.largest, 2);
    // The filter knows that positions are rounded off.
    EXPECT_LT(filtered.rows.root_mean_square(), 0.75 * straight.rows.root_mean_square());
    EXPECT_LT(filtered.columns.root_mean_square(), 0.8 * straight.columns.root_mean_square());
    EXPECT_GT(straight.rows.count, 1000U);
  }
}

TEST(track_loop, every_engine_gives_the_same_commands) {
  loop_options options = flow_of(5);
  options.frames = static_cast<std::uint64_t>(100 + scaled(60));
  std::vector<given_command> first;
  for (named_engine& each : each_engine()) {
    const std::vector<given_command> commands = flow_control::close_the_loop<kalman>(each.on, options).commands;
    if (first.empty()) first = commands;
    ASSERT_FALSE(first.empty());
    ASSERT_EQ(commands.size(), first.size()) << each.name;
    for (std::size_t i = 0; i < first.size(); ++i) {
      const command &a = commands[i].what, &b = first[i].what;
      EXPECT_EQ(a.frame, b.frame) << each.name;
      EXPECT_EQ(a.id, b.id) << each.name;
      EXPECT_EQ(a.where.column, b.where.column) << each.name;
      EXPECT_EQ(commands[i].end, first[i].end) << each.name;
    }
  }
}

// Live, the stream is some frames behind the camera. As long as no command is late, the same flow is controlled by the same commands.
TEST(track_loop, a_live_loop_gives_the_commands_of_one_in_lockstep) {
  engine on = engine::cpu(2);
  loop_options options = flow_control::live_options(500, 0.5, 20);
  const loop_report live = flow_control::close_the_loop_live<kalman>(on, options);
  EXPECT_EQ(live.times.size(), options.frames);
  for (const given_command& each : live.commands)
    EXPECT_EQ(each.what.frame, each.given_at + static_cast<std::uint64_t>(options.lead));
  const bool is_late = std::any_of(live.commands.begin(), live.commands.end(),
                                   [](const given_command& each) { return each.end == outcome::late; });
  if (is_late) GTEST_SKIP() << "this machine is too slow now: its commands came too late";
  const loop_report lockstep = flow_control::close_the_loop<kalman>(on, options);
  ASSERT_EQ(live.commands.size(), lockstep.commands.size());
  ASSERT_GT(live.commands.size(), 3U);
  for (std::size_t i = 0; i < live.commands.size(); ++i) {
    const given_command &a = live.commands[i], &b = lockstep.commands[i];
    EXPECT_EQ(a.what.id, b.what.id);
    EXPECT_EQ(a.what.frame, b.what.frame);
    EXPECT_EQ(a.what.where.column, b.what.where.column);
    EXPECT_EQ(a.end, b.end);
  }
}

TEST(track_loop, a_camera_that_is_faster_sees_slower_bubbles) {
  engine on = engine::cpu(2);
  loop_options options = flow_control::live_options(8000, 0.5, 5);
  EXPECT_EQ(options.lead, 40);
  EXPECT_EQ(options.flow.slowness, 16);
  for (const loop_report& report : {flow_control::close_the_loop<constant_velocity>(on, options),
                                    flow_control::close_the_loop<kalman>(on, options)}) {
    const auto hits = std::count_if(report.commands.begin(), report.commands.end(),
                                    [](const given_command& each) { return each.end == outcome::hit; });
    const auto misses = std::count_if(report.commands.begin(), report.commands.end(),
                                      [](const given_command& each) { return each.end == outcome::miss; });
    EXPECT_GT(hits, 5);
    EXPECT_EQ(misses, 0);
  }
}

TEST(track_loop, a_command_for_a_frame_that_is_drawn_is_late) {
  scenes::bubbles flow({.height = 192, .width = 64, .lane = 64});
  std::vector<given_command> commands;
  flow_control::actuator actor(flow, commands);
  const scenes::bubble there = flow.objects(7).at(0);
  const flow_control::position where{double(there.row), double(there.column)};
  actor.act(6);
  actor.take({6, 1, where}, 2);
  actor.take({7, 1, where}, 2);
  actor.act(7);
  actor.take({7, 1, where}, 3);
  actor.act(8);
  ASSERT_EQ(commands.size(), 3U);
  EXPECT_EQ(commands[0].end, outcome::late);
  EXPECT_EQ(commands[1].end, outcome::hit);
  EXPECT_EQ(commands[2].end, outcome::late);
  actor.take({9, 2, where}, 8);
  const track_event merge{track_event_kind::merge, 2, 1};
  actor.hear(8, {&merge, 1});
  actor.act(9);
  EXPECT_EQ(commands[3].end, outcome::withdrawn);
}

TEST(track_loop, predictors_follow_a_straight_line_exactly) {
  constant_velocity straight(10);
  kalman filtered(10);
  for (int frame = 1; frame <= 200; ++frame) {
    straight.see(10 - 1.5 * frame);
    filtered.see(10 - 1.5 * frame);
  }
  EXPECT_DOUBLE_EQ(straight.after(4), 10 - 1.5 * 204);
  constant_velocity far(10, 16);
  for (int frame = 1; frame <= 200; ++frame) far.see(10 - 1.5 * frame + (frame % 2 != 0 ? 0.5 : 0));
  EXPECT_DOUBLE_EQ(far.after(4), 10 - 1.5 * 204);
  EXPECT_NEAR(filtered.after(4), 10 - 1.5 * 204, 1e-6);
}

TEST(track_loop, a_filter_smooths_what_is_rounded_off) {
  flow_control::errors straight_errors, filtered_errors;
  constant_velocity straight(0);
  kalman filtered(0);
  for (int frame = 1; frame <= 500; ++frame) {
    const double true_place = 1.37 * frame;
    if (frame > 50) {
      straight_errors.add(straight.after(1) - true_place);
      filtered_errors.add(filtered.after(1) - true_place);
    }
    straight.see(std::floor(true_place + 0.5));
    filtered.see(std::floor(true_place + 0.5));
  }
  EXPECT_LT(filtered_errors.root_mean_square(), 0.6 * straight_errors.root_mean_square());
  EXPECT_LT(filtered_errors.largest, 1);
}

}  // namespace
}  // namespace skerry::test
