// SPDX-License-Identifier: Apache-2.0
// The loop closed: a simulated flow is seen by a tracker, whose results a controller reads, whose commands change the flow.
// A frame is drawn only when the controller has seen the one before, so everything but the times is the same each time.
#pragma once
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include "flow_control.hpp"
#include "scenes/bubbles.hpp"

namespace flow_control {

struct loop_options {
  skerry::scenes::bubble_options flow{.height = 384, .width = 320, .lane = 64};
  std::uint64_t frames = 300;
  int lead = 4;  // frames from a command until the actuator acts
};

// What became of a command.
enum class outcome { waiting, withdrawn, hit, miss };

struct given_command {
  command what;
  std::uint64_t given_at = 0;  // the frame whose result led to it
  outcome end = outcome::waiting;
  bool is_confirmed = false;  // the stream reported the death of the id aimed at in the frame of the pulse
};

struct loop_report {
  std::vector<given_command> commands;          // in the order in which they were given
  errors rows, columns;                         // of predictions of the next frame, pixels
  std::vector<std::chrono::nanoseconds> times;  // of each frame, from push() until its commands are there
};

// The actuator's side: it holds commands until their frame, and acts on the flow.
class actuator {
 public:
  actuator(skerry::scenes::bubbles& flow, std::vector<given_command>& commands) : flow_(flow), commands_(commands) {}

  // The flow has come to this frame.
  void act(std::uint64_t frame) {
    for (given_command& each : commands_) {
      if (each.end != outcome::waiting || each.what.frame != frame) continue;
      const position& where = each.what.where;
      const bool is_hit = !flow_.pulse(frame, std::llround(where.row), std::llround(where.column)).empty();
      each.end = is_hit ? outcome::hit : outcome::miss;
    }
  }
  // What the stream has seen: the death of what was hit; and whoever has merged, split or died before is aimed at no longer.
  void hear(std::uint64_t frame, const std::vector<skerry::track_event>& events) {
    for (const skerry::track_event& event : events)
      for (given_command& each : commands_) {
        if (each.what.id != event.id && each.what.id != event.other) continue;
        if (each.end == outcome::waiting) each.end = outcome::withdrawn;
        each.is_confirmed |= each.end == outcome::hit && each.what.frame == frame && each.what.id == event.id &&
                             event.kind == skerry::track_event_kind::death;
      }
  }

 private:
  skerry::scenes::bubbles& flow_;
  std::vector<given_command>& commands_;
};

inline skerry::track_options stream_of(const skerry::scenes::bubbles& flow) {
  skerry::track_options options;
  options.size = flow.size();
  options.connectivity = 8;
  options.threshold = skerry::frame_threshold::fixed(skerry::foreground::above(flow.threshold));
  options.images = false;
  return options;
}

template <class Predictor>
loop_report close_the_loop(skerry::engine& on, const loop_options& options) {
  skerry::scenes::bubbles flow(options.flow);
  skerry::tracker stream(on, stream_of(flow));
  controller<Predictor> control(
      {.gate = double(options.flow.height) / 4, .lead = options.lead, .height = std::int32_t(options.flow.height)});
  loop_report report;
  actuator actor(flow, report.commands);
  std::vector<std::uint8_t> pixels(std::size_t(flow.size().pixels()));
  for (std::uint64_t frame = 0; frame < options.frames; ++frame) {
    actor.act(frame);
    flow.draw(frame, pixels.data());

    const auto begin = std::chrono::steady_clock::now();
    stream.push({pixels.data(), flow.size()});
    const skerry::frame_result& result = *stream.wait();
    const std::vector<command> commands = control.see(result);
    report.times.push_back(std::chrono::steady_clock::now() - begin);

    actor.hear(frame, result.events);
    for (const command& each : commands) report.commands.push_back({each, frame});
  }
  report.rows = control.row_errors();
  report.columns = control.column_errors();
  return report;
}

}  // namespace flow_control
