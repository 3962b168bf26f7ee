// SPDX-License-Identifier: Apache-2.0
// Process control: bubbles rise through a simulated flow, and an actuator takes each one out where it crosses a row. Frames go into
// a tracker; a controller predicts from its objects and events who will be at the actuator when it can act, and commands it.
//
// close_the_loop [FRAMES]
//     in lockstep: each frame waits for what the controller says of the one before
// close_the_loop live [RATE [SECONDS [ENGINE [PREDICTOR]]]]
//     a camera of RATE frames in a second (8000), for SECONDS (60), and commands that are given 5 ms ahead. ENGINE is automatic, cpu or
//     cuda, PREDICTOR line, kalman or both
//
// Prints what was done, and how long the loop took from a frame to its commands.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "closed_loop.hpp"

namespace {

using flow_control::loop_options;
using flow_control::loop_report;
using flow_control::outcome;

constexpr double deadline = 5;  // ms

double milliseconds(std::chrono::nanoseconds time) { return std::chrono::duration<double, std::milli>(time).count(); }

long count(const loop_report& report, outcome end) {
  return std::count_if(report.commands.begin(), report.commands.end(),
                       [&](const flow_control::given_command& each) { return each.end == end; });
}

void print(const char* predictor, loop_report report) {
  std::printf("%s: %zu commands, %ld hits, %ld misses, %ld withdrawn, %ld late\n", predictor, report.commands.size(),
              count(report, outcome::hit), count(report, outcome::miss), count(report, outcome::withdrawn),
              count(report, outcome::late));
  std::printf("  errors of the next frame, pixels: rows %.2f (largest %.2f), columns %.2f (largest %.2f)\n",
              report.rows.root_mean_square(), report.rows.largest, report.columns.root_mean_square(),
              report.columns.largest);
  std::sort(report.times.begin(), report.times.end());
  const auto quantile = [&](double part) {
    return milliseconds(report.times[static_cast<std::size_t>(part * double(report.times.size() - 1))]);
  };
  const auto slow = std::count_if(report.times.begin(), report.times.end(),
                                  [](std::chrono::nanoseconds time) { return milliseconds(time) > deadline; });
  std::printf(
      "  frame to commands, ms: median %.3f, 90 %% %.3f, 99 %% %.3f, 99.9 %% %.3f, largest %.3f; %ld of %zu frames "
      "above %.0f ms, "
      "%llu drawn late\n",
      quantile(0.5), quantile(0.9), quantile(0.99), quantile(0.999), quantile(1), static_cast<long>(slow),
      report.times.size(), deadline, static_cast<unsigned long long>(report.behind));
}

bool is_right(const loop_report& report) {
  return count(report, outcome::hit) > 0 && count(report, outcome::miss) == 0;
}

int in_lockstep(const loop_options& options) {
  skerry::engine engine = skerry::engine::automatic();
  const loop_report straight = flow_control::close_the_loop<flow_control::constant_velocity>(engine, options);
  const loop_report filtered = flow_control::close_the_loop<flow_control::kalman>(engine, options);
  print("constant velocity", straight);
  print("Kalman", filtered);
  return is_right(straight) && is_right(filtered) ? 0 : 1;
}

skerry::engine engine_of(const std::string& name) {
  if (name == "cpu") return skerry::engine::cpu();
  return name == "cuda" ? skerry::engine::cuda() : skerry::engine::automatic();
}

int live(double rate, double seconds, const std::string& engine, const std::string& predictor) {
  skerry::engine on = engine_of(engine);
  const loop_options options = flow_control::live_options(rate, seconds, deadline);
  if (predictor != "kalman")
    print("constant velocity", flow_control::close_the_loop_live<flow_control::constant_velocity>(on, options));
  if (predictor != "line") print("Kalman", flow_control::close_the_loop_live<flow_control::kalman>(on, options));
  return 0;
}

}  // namespace

int main(int words, char** word) {
  const auto text = [&](int place) { return words > place ? std::string(word[place]) : std::string(); };
  const auto number = [&](int place, double otherwise) { return words > place ? std::atof(word[place]) : otherwise; };
  if (text(1) == "live") return live(std::max(1.0, number(2, 8000)), std::max(0.1, number(3, 60)), text(4), text(5));
  loop_options options;
  options.frames = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(number(1, 300)));
  return in_lockstep(options);
}
