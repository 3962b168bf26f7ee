// SPDX-License-Identifier: Apache-2.0
#include "track/check.hpp"

#include <string>

#include "core/portable.hpp"
#include "engine/image_checks.hpp"
#include "label/check.hpp"

namespace skerry::track_steps {
namespace {

constexpr i64 most_pixels = (i64{1} << 31) - 1;  // products of two areas must fit 64 bits
constexpr int most_slots = 1024, most_adaptation = 16;

// Not NaN either.
void check_range(const char* name, double value, double most) {
  if (!(value >= 0 && value <= most))
    refuse(std::string(name) + ": " + shortest(value) + " is not in 0…" + std::to_string(static_cast<int>(most)));
}

void check_threshold(const frame_threshold& how, dtype type) {
  using policy = frame_threshold::policy;
  using side = frame_threshold::side;
  if (how.kind > policy::background) refuse("threshold: unknown policy");
  if (how.where > side::both) refuse("threshold: unknown side");
  const auto refuse_type = [&](const char* what) {
    refuse(std::string("threshold: ") + what + " is not for frames of " + name_of(type));
  };
  if (how.kind == policy::otsu && type == dtype::bit) refuse_type("Otsu's threshold");
  if (how.kind == policy::otsu && how.where == side::both) refuse("threshold: Otsu's has two sides, choose one");
  if (how.kind != policy::background) return;
  if (type != dtype::boolean && type != dtype::u8 && type != dtype::i8 && type != dtype::u16 && type != dtype::i16)
    refuse_type("a running background");
  check_range("difference", how.difference, 65535);
  if (how.adaptation < 0 || how.adaptation > most_adaptation)
    refuse("adaptation: " + std::to_string(how.adaptation) + " is not in 0…" + std::to_string(most_adaptation));
}

void check_inherit(const inherit_options& options) {
  if (options.by > inherit_options::score::iou) refuse("by: unknown score");
  if (options.least_overlap == 0) refuse("least_overlap: 0 is not at least 1");
  check_range("least_share", options.least_share, 1);
  if (options.first_id == 0) refuse("first_id: 0 is background");
}

}  // namespace

void check(const track_options& options) {
  check_extent("size", options.size);
  if (options.size.pixels() > most_pixels) refuse("size: " + text_of(options.size) + " is not fewer than 2^31 pixels");
  if (!is_known(options.type)) refuse("type: unknown dtype");

  const char anything = 0;  // no pixel is read
  const image_view frame(&anything, options.type, options.size);
  label_options how;
  how.connectivity = options.connectivity;
  how.foreground = options.threshold.rule;
  how.selection = options.selection;
  check_input(frame, how);
  measure_options features;
  features.moments = options.moments;
  if (options.intensities) features.intensity = frame;
  check_features(frame, features);

  check_threshold(options.threshold, options.type);
  check_inherit(options.inherit);
  if (options.capacity == 0) refuse("capacity: 0 is not at least 1");
  if (options.slots < 2 || options.slots > most_slots)
    refuse("slots: " + std::to_string(options.slots) + " is not in 2…" + std::to_string(most_slots));
  if (options.publish > track_options::publishing::whole) refuse("publish: unknown policy");
  check_range("margin", options.margin, 16);
  check_range("patience", static_cast<double>(options.patience.count()), 1e6);
  if (options.full > track_options::when_full::drop_oldest) refuse("full: unknown policy");
}

void check_frame(const image_view& frame, const track_options& options) {
  check_image("frame", frame);
  if (frame.size != options.size)
    refuse("frame: size " + text_of(frame.size) + " is not that of the stream, " + text_of(options.size));
  if (frame.type != options.type)
    refuse(std::string("frame: dtype ") + name_of(frame.type) + " is not that of the stream, " + name_of(options.type));
}

}  // namespace skerry::track_steps
