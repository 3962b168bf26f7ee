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
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

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
  if (name == "cuda") return skerry::engine::cuda();
  if (name == "automatic") return skerry::engine::automatic();
  throw std::invalid_argument("ENGINE: '" + name + "' is not automatic, cpu or cuda");
}

int live(double rate, double seconds, const std::string& engine, const std::string& predictor) {
  if (predictor != "line" && predictor != "kalman" && predictor != "both")
    throw std::invalid_argument("PREDICTOR: '" + predictor + "' is not line, kalman or both");
  skerry::engine on = engine_of(engine);
  const loop_options options = flow_control::live_options(rate, seconds, deadline);
  if (predictor != "kalman")
    print("constant velocity", flow_control::close_the_loop_live<flow_control::constant_velocity>(on, options));
  if (predictor != "line") print("Kalman", flow_control::close_the_loop_live<flow_control::kalman>(on, options));
  return 0;
}

// The words of the command line, by place; an absent one has a default.
class arguments {
 public:
  arguments(int words, char** word) : words_(word, word + words) {}

  [[nodiscard]] std::string text(std::size_t place, const std::string& otherwise) const {
    return words_.size() > place ? words_[place] : otherwise;
  }
  [[nodiscard]] double number(std::size_t place, const std::string& name, double otherwise, double least,
                              double most) const {
    if (words_.size() <= place) return otherwise;
    char* end = nullptr;
    const double value = std::strtod(words_[place].c_str(), &end);
    if (!words_[place].empty() && *end == '\0' && value >= least && value <= most) return value;
    char range[64];
    std::snprintf(range, sizeof range, "' is not a number from %g to %g", least, most);
    throw std::invalid_argument(name + ": '" + words_[place] + range);
  }

 private:
  std::vector<std::string> words_;
};

int run(const arguments& given) {
  if (given.text(1, "") == "live")
    return live(given.number(2, "RATE", 8000, 1, 1e6), given.number(3, "SECONDS", 60, 0.1, 86400),
                given.text(4, "automatic"), given.text(5, "both"));
  loop_options options;
  options.frames = static_cast<std::uint64_t>(given.number(1, "FRAMES", 300, 1, 1e9));
  return in_lockstep(options);
}

}  // namespace

int main(int words, char** word) {
  try {
    return run({words, word});
  } catch (const std::exception& error) {  // an argument, or no such engine here
    std::fprintf(stderr, "close_the_loop: %s\n", error.what());
    return 2;
  }
}
