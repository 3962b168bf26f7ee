// SPDX-License-Identifier: Apache-2.0
// Process control: bubbles rise through a simulated flow, and an actuator takes each one out where it crosses a row. Frames go into
// a tracker; a controller predicts from its objects and events who will be at the actuator when it can act, and commands it.
//
// close_the_loop [FRAMES]    prints what was done, and how long the loop took from a frame to its commands
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "closed_loop.hpp"

namespace {

using flow_control::loop_report;
using flow_control::outcome;

double milliseconds(std::chrono::nanoseconds time) { return std::chrono::duration<double, std::milli>(time).count(); }

long count(const loop_report& report, outcome end) {
  return std::count_if(report.commands.begin(), report.commands.end(),
                       [&](const flow_control::given_command& each) { return each.end == end; });
}

void print(const char* predictor, loop_report report) {
  std::printf("%s: %zu commands, %ld hits, %ld misses, %ld withdrawn\n", predictor, report.commands.size(),
              count(report, outcome::hit), count(report, outcome::miss), count(report, outcome::withdrawn));
  std::printf("  errors of the next frame, pixels: rows %.2f (largest %.2f), columns %.2f (largest %.2f)\n",
              report.rows.root_mean_square(), report.rows.largest, report.columns.root_mean_square(),
              report.columns.largest);
  std::sort(report.times.begin(), report.times.end());
  const auto quantile = [&](double part) {
    return milliseconds(report.times[static_cast<std::size_t>(part * double(report.times.size() - 1))]);
  };
  const auto slow = std::count_if(report.times.begin(), report.times.end(),
                                  [](std::chrono::nanoseconds time) { return milliseconds(time) > 5; });
  std::printf(
      "  frame to commands, ms: median %.3f, 90 %% %.3f, 99 %% %.3f, largest %.3f; %ld of %zu frames above 5 ms\n",
      quantile(0.5), quantile(0.9), quantile(0.99), quantile(1), static_cast<long>(slow), report.times.size());
}

bool is_right(const loop_report& report) {
  return count(report, outcome::hit) > 0 && count(report, outcome::miss) == 0;
}

}  // namespace

int main(int words, char** word) {
  flow_control::loop_options options;
  if (words > 1) options.frames = std::max(1ULL, std::strtoull(word[1], nullptr, 10));
  skerry::engine engine = skerry::engine::automatic();
  const loop_report straight = flow_control::close_the_loop<flow_control::constant_velocity>(engine, options);
  const loop_report filtered = flow_control::close_the_loop<flow_control::kalman>(engine, options);
  print("constant velocity", straight);
  print("Kalman", filtered);
  return is_right(straight) && is_right(filtered) ? 0 : 1;
}
