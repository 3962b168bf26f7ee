// SPDX-License-Identifier: Apache-2.0
// A controller of a flow: it reads the objects and events of a stream, predicts where each object will be, and commands an
// actuator that takes a while to act. Standard library and skerry/track.hpp only.
#pragma once
#include <skerry/skerry.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

namespace flow_control {

// Two observations, and a straight line through them: the last one, and the one `span` frames before it.
class constant_velocity {
 public:
  explicit constant_velocity(double at, int span = 1) : seen_(1, at), span_(static_cast<std::size_t>(span)) {}
  void see(double at) {
    seen_.push_back(at);
    if (seen_.size() > span_ + 1) seen_.pop_front();
  }
  [[nodiscard]] double after(double frames) const {
    const auto between = static_cast<double>(seen_.size() - 1);
    return seen_.back() + (between > 0 ? (seen_.back() - seen_.front()) / between : 0) * frames;
  }

 private:
  std::deque<double> seen_;
  std::size_t span_;
};

// Kalman's filter of a position whose speed changes at random, one observation a frame. Centres of objects are pixels rounded
// off, so observations have the variance of rounding, 1/12. When a motion takes `span` times as many frames, speeds are that many
// times smaller, and as many more changes of speed add up to the same.
class kalman {
 public:
  explicit kalman(double at, int span = 1)
      : acceleration_(0.01 / std::pow(span, 3)), at_(at), var_speed_(unknown_speed / span / span) {}
  void see(double at) {
    at_ += speed_;  // one frame on: the covariance, and half an acceleration in the position
    var_at_ += 2 * both_ + var_speed_ + acceleration_ / 4;
    both_ += var_speed_ + acceleration_ / 2;
    var_speed_ += acceleration_;
    const double sure = var_at_ + rounding, gain = var_at_ / sure, speed_gain = both_ / sure, surprise = at - at_;
    at_ += gain * surprise;
    speed_ += speed_gain * surprise;
    var_speed_ -= speed_gain * both_;
    both_ -= gain * both_;
    var_at_ -= gain * var_at_;
  }
  [[nodiscard]] double after(double frames) const { return at_ + speed_ * frames; }

 private:
  static constexpr double rounding = 1.0 / 12, unknown_speed = 9;
  double acceleration_;  // its variance
  double at_, speed_ = 0;
  double var_at_ = rounding, both_ = 0, var_speed_;
};

struct position {
  double row = 0, column = 0;
};

// Be at this place in this frame.
struct command {
  std::uint64_t frame = 0;
  std::uint32_t id = 0;  // for whom
  position where;
};

struct control_options {
  double gate = 0;          // row of the actuator; objects rise towards row 0
  int lead = 4;             // frames from a command until the actuator acts
  int settled = 6;          // observations before a prediction counts
  int span = 1;             // frames that a motion takes which the predictor is made for: more of a faster camera
  std::int32_t height = 0;  // of the frame: what touches its upper or lower side is not seen whole
};

// How far predictions of the next frame were from what was seen.
struct errors {
  std::uint64_t count = 0;
  double sum_of_squares = 0, largest = 0;
  void add(double error) {
    ++count;
    sum_of_squares += error * error;
    largest = std::max(largest, std::abs(error));
  }
  [[nodiscard]] double root_mean_square() const { return count == 0 ? 0 : std::sqrt(sum_of_squares / double(count)); }
};

template <class Predictor>
class controller {
 public:
  explicit controller(const control_options& options) : options_(options) {}

  // Takes the result of the next frame, and says what to do.
  std::vector<command> see(const skerry::frame_result& result) {
    forget(result.events);
    std::vector<command> commands;
    for (std::size_t i = 0; i < result.objects.size(); ++i) {
      const skerry::geometry& shape = result.table.components[i];
      const std::uint32_t id = result.objects[i].id;
      if (shape.min[1] == 0 || shape.max[1] == options_.height - 1) {
        tracks_.erase(id);  // its centre is not that of what is seen
        continue;
      }
      const auto area = static_cast<double>(shape.area);
      track& one = follow(id, {double(shape.sum[1]) / area, double(shape.sum[2]) / area});
      if (one.seen >= options_.settled) decide(id, one, result.frame, commands);
    }
    return commands;
  }

  [[nodiscard]] const errors& row_errors() const { return row_errors_; }
  [[nodiscard]] const errors& column_errors() const { return column_errors_; }

 private:
  struct track {
    Predictor row, column;
    position last;
    int seen = 1;
    bool commanded = false;
  };

  // Whatever changed its shape is followed anew.
  void forget(std::span<const skerry::track_event> events) {
    for (const skerry::track_event& event : events) {
      tracks_.erase(event.id);
      tracks_.erase(event.other);
    }
  }

  track& follow(std::uint32_t id, const position& at) {
    const auto [place, is_new] =
        tracks_.try_emplace(id, track{Predictor(at.row, options_.span), Predictor(at.column, options_.span), at});
    track& one = place->second;
    if (is_new) return one;
    if (one.seen >= options_.settled) {
      row_errors_.add(one.row.after(1) - at.row);
      column_errors_.add(one.column.after(1) - at.column);
    }
    one.row.see(at.row);
    one.column.see(at.column);
    one.last = at;
    ++one.seen;
    return one;
  }

  // An object that is still below the gate now, and will have reached it when the actuator can act, is for it.
  void decide(std::uint32_t id, track& one, std::uint64_t frame, std::vector<command>& commands) const {
    if (one.commanded || one.last.row <= options_.gate || one.row.after(options_.lead) > options_.gate) return;
    one.commanded = true;
    commands.push_back(
        {frame + static_cast<std::uint64_t>(options_.lead), id, {options_.gate, one.column.after(options_.lead)}});
  }

  control_options options_;
  std::map<std::uint32_t, track> tracks_;
  errors row_errors_, column_errors_;
};

}  // namespace flow_control
