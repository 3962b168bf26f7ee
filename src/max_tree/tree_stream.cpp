// SPDX-License-Identifier: Apache-2.0
// Streams of trees: by the public calls, or by slots of a device.
#include "skerry/tree_stream.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/image_checks.hpp"
#include "max_tree/call.hpp"
#include "max_tree/check.hpp"
#include "max_tree/cuda/frames.hpp"

namespace skerry {
namespace {

// Areas are whole: of less than 3.5 pixels are those of up to 3.
std::uint64_t least_area(double least) {
  if (!(least >= 0)) refuse("by.least: " + std::to_string(least) + " is no area; give a number from 0 up");
  constexpr double beyond_all = 0x1p32;  // an image has fewer pixels
  return static_cast<std::uint64_t>(std::ceil(std::min(least, beyond_all)));
}

void check_frame(const image_view& frame, const tree_stream_options& options) {
  if (frame.size != options.size)
    refuse("frame: is " + text_of(frame.size) + ", but the stream is of " + text_of(options.size));
  if (frame.type != options.type)
    refuse(std::string("frame: is of ") + name_of(frame.type) + ", but the stream is of " + name_of(options.type));
}

void check_number(std::uint64_t number, std::uint64_t frames) {
  if (number >= frames)
    refuse("number: is " + std::to_string(number) + ", but the stream has taken " + std::to_string(frames) + " frames");
}

// A node has no less area than those above it, so that only the subtractive rule makes a difference.
bool is_opening(const frame_filter& by) {
  return by.by == frame_filter::kind::area && by.how.rule != filter_rule::subtractive;
}

}  // namespace

tree_stream::tree_stream(engine& on, const tree_stream_options& options) : on_(&on), options_(options) {
  check_kind(options.tree.kind, options.type, options.size, options.tree.connectivity);
  check_attributes(options.size, options.attributes);
  if (options.in_flight < 1 || options.in_flight > 64)
    refuse("in_flight: is " + std::to_string(options.in_flight) + "; give 1 to 64");
}

tree_stream::tree_stream(tree_stream&&) noexcept = default;
tree_stream& tree_stream::operator=(tree_stream&&) noexcept = default;
tree_stream::~tree_stream() = default;

void tree_stream::push(const image_view& frame) {
  check_frame(frame, options_);
  build(*on_, frame, options_.tree, tree_);
  measure(*on_, tree_, options_.attributes, table_);
  ++frames_;
}

void tree_stream::write(const frame_filter& by, const mutable_image& output) {
  if (frames_ == 0) refuse("output: there is no frame to write; push one first");
  if (tree_.nodes() == 0 && options_.size.pixels() > 0)
    refuse("output: the last frame has no tree here, since it was started on a GPU or refused; push one first");
  switch (by.by) {
    case frame_filter::kind::extrema: return extrema_filter(*on_, tree_, by.least, output, by.how.top_hat);
    case frame_filter::kind::column:
      return filter_at_least(*on_, tree_, table_.column(tree_, by.column), by.least, by.how, output);
    default: break;
  }
  if (!is_opening(by)) return filter_at_least(*on_, tree_, table_.column(tree_, "area"), by.least, by.how, output);
  area_filter(*on_, tree_, table_, least_area(by.least), output, by.how.top_hat);
}

std::uint64_t tree_stream::start(const image_view& frame, const frame_filter& by, const mutable_image& output) {
  check_frame(frame, options_);
  if (is_opening(by) && frame.size.pixels() > 0) {
    check_rule(by.how.rule);
    const std::uint64_t least = least_area(by.least);
    check_input(frame, options_.tree);
    check_output(frame.type, frame.size, by.how.top_hat, output);
    engine::state& state = engine_for(*on_, {{"frame", frame}, {"output", output}});
    if (state.kind == engine_kind::cuda) {
      check_device_input(frame.type, options_.tree.connectivity);
      if (on_device_ != nullptr && on_device_->device() != state.device)
        refuse("frame: is for device " + std::to_string(state.device) + ", but those before were for device " +
               std::to_string(on_device_->device()) + "; use a stream for each");
      const running_call call(state);
      with_memory([&] {
        if (on_device_ == nullptr) on_device_ = make_frames_on_device(state, options_);
        on_device_->start(frames_, frame, least, by.how.top_hat, output);
      });
      if (tree_.nodes() > 0) tree_ = {}, table_ = {};
      return frames_++;
    }
  }
  push(frame);
  try {
    write(by, output);
  } catch (...) {
    --frames_;
    throw;
  }
  return frames_ - 1;
}

bool tree_stream::is_done(std::uint64_t number) {
  check_number(number, frames_);
  return on_device_ == nullptr || on_device_->is_done(number);
}

void tree_stream::wait(std::uint64_t number) {
  check_number(number, frames_);
  if (on_device_ == nullptr) return;
  const std::int64_t nan = on_device_->wait(number);
  if (nan >= 0) refuse_pixel(options_.type, options_.size, nan);
}

}  // namespace skerry
