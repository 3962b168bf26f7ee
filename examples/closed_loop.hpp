// SPDX-License-Identifier: Apache-2.0
// The loop closed: a simulated flow is seen by a tracker, whose results a controller reads, whose commands change the flow.
// In lockstep a frame is drawn only when the controller has seen the one before, so everything but the times is the same each
// time. Live, a camera draws a frame whenever its time has come, while others are labelled and judged.
#pragma once
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "flow_control.hpp"
#include "scenes/bubbles.hpp"

namespace flow_control {

struct loop_options {
  skerry::scenes::bubble_options flow{.height = 384, .width = 320, .lane = 64};
  std::uint64_t frames = 300;
  int lead = 4;        // frames from a command until the actuator acts
  int span = 1;        // as in control_options
  double rate = 8000;  // frames in a second, of a live loop
};

// A live loop of a camera of `rate` frames in a second, for some seconds, with commands that are given so many milliseconds ahead.
// Bubbles are as fast as in 500 frames a second, whatever the rate is, and nothing is drawn that costs the camera time.
inline loop_options live_options(double rate, double seconds, double milliseconds) {
  loop_options options;
  options.rate = rate;
  options.frames = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rate * seconds));
  options.lead = std::max(1, static_cast<int>(std::ceil(rate * milliseconds / 1000)));
  options.span = options.flow.slowness = std::clamp(static_cast<int>(std::lround(rate / 500)), 1, 4096);
  options.flow.noise = false;
  return options;
}

// What became of a command. One that is late came when its frame had been drawn.
enum class outcome { waiting, withdrawn, hit, miss, late };

struct given_command {
  command what;
  std::uint64_t given_at = 0;  // the frame whose result led to it
  outcome end = outcome::waiting;
  bool is_confirmed = false;  // the stream reported the death of the id aimed at in the frame of the pulse
};

struct loop_report {
  std::vector<given_command> commands;          // in the order in which they were given
  errors rows, columns;                         // of predictions of the next frame, pixels
  std::vector<std::chrono::nanoseconds> times;  // of each frame, from where it is drawn until its commands are there
  std::uint64_t behind = 0;                     // frames of a live loop that were drawn a frame too late, or later
};

// The actuator's side: it takes commands until their frame, and acts on the flow. A camera and a controller may call it from
// two threads.
class actuator {
 public:
  actuator(skerry::scenes::bubbles& flow, std::vector<given_command>& commands) : flow_(flow), commands_(commands) {}

  // A command of the controller, which has seen this frame. They come in the order of frames.
  void take(const command& what, std::uint64_t given_at) {
    const std::lock_guard alone(mutex_);
    commands_.push_back({what, given_at, what.frame < next_frame_ ? outcome::late : outcome::waiting});
  }
  // The flow has come to this frame.
  void act(std::uint64_t frame) {
    const std::lock_guard alone(mutex_);
    next_frame_ = frame + 1;
    for (std::size_t i = oldest_; i < commands_.size(); ++i) {
      given_command& each = commands_[i];
      if (each.end != outcome::waiting || each.what.frame != frame) continue;
      const position& where = each.what.where;
      const bool is_hit = !flow_.pulse(frame, std::llround(where.row), std::llround(where.column)).empty();
      each.end = is_hit ? outcome::hit : outcome::miss;
    }
  }
  // What the stream has seen: the death of what was hit; and whoever has merged, split or died before is aimed at no longer.
  void hear(std::uint64_t frame, std::span<const skerry::track_event> events) {
    const std::lock_guard alone(mutex_);
    while (oldest_ < commands_.size() && commands_[oldest_].what.frame < frame) ++oldest_;
    for (const skerry::track_event& event : events)
      for (std::size_t i = oldest_; i < commands_.size(); ++i) {
        given_command& each = commands_[i];
        if (each.what.id != event.id && each.what.id != event.other) continue;
        if (each.end == outcome::waiting) each.end = outcome::withdrawn;
        each.is_confirmed |= each.end == outcome::hit && each.what.frame == frame && each.what.id == event.id &&
                             event.kind == skerry::track_event_kind::death;
      }
  }

 private:
  skerry::scenes::bubbles& flow_;
  std::vector<given_command>& commands_;
  std::mutex mutex_;
  std::size_t oldest_ = 0;        // command that the stream can still say anything of
  std::uint64_t next_frame_ = 0;  // to be drawn
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
controller<Predictor> controller_of(const loop_options& options) {
  return controller<Predictor>({.gate = double(options.flow.height) / 4,
                                .lead = options.lead,
                                .settled = 5 + options.span,
                                .span = options.span,
                                .height = std::int32_t(options.flow.height)});
}

// In lockstep.
template <class Predictor>
loop_report close_the_loop(skerry::engine& on, const loop_options& options) {
  skerry::scenes::bubbles flow(options.flow);
  skerry::tracker stream(on, stream_of(flow));
  controller<Predictor> control = controller_of<Predictor>(options);
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
    for (const command& each : commands) actor.take(each, frame);
  }
  report.rows = control.row_errors();
  report.columns = control.column_errors();
  return report;
}

// Live: the camera is the caller's thread, and the controller is called by a thread of the stream. A frame that the camera has
// no time for is drawn late, and none is left out.
template <class Predictor>
loop_report close_the_loop_live(skerry::engine& on, const loop_options& options) {
  using clock = std::chrono::steady_clock;
  skerry::scenes::bubbles flow(options.flow);
  controller<Predictor> control = controller_of<Predictor>(options);
  loop_report report;
  report.times.reserve(options.frames);
  actuator actor(flow, report.commands);
  skerry::track_options how = stream_of(flow);
  how.slots = 64;
  skerry::tracker stream(on, how, [&](const skerry::frame_result& result) {
    actor.hear(result.frame, result.events);
    for (const command& each : control.see(result)) actor.take(each, result.frame);
    report.times.push_back(clock::now().time_since_epoch() - std::chrono::nanoseconds(result.stamp));
  });
  const clock::time_point begin = clock::now();
  const auto due = [&](std::uint64_t frame) {
    return begin + std::chrono::nanoseconds(std::llround(1e9 * double(frame) / options.rate));
  };
  for (std::uint64_t frame = 0; frame < options.frames; ++frame) {
    while (clock::now() < due(frame)) std::this_thread::yield();
    report.behind += clock::now() > due(frame + 1) ? 1 : 0;
    actor.act(frame);
    const skerry::mutable_image pixels = stream.acquire();
    flow.draw(frame, static_cast<std::uint8_t*>(pixels.data));
    const auto drawn = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now().time_since_epoch());
    stream.commit(pixels, static_cast<std::uint64_t>(drawn.count()));
  }
  stream.flush();
  report.rows = control.row_errors();
  report.columns = control.column_errors();
  return report;
}

}  // namespace flow_control
