// SPDX-License-Identifier: Apache-2.0
// The threshold policies of a stream: what stage 1 of labelling is asked about each frame.
#pragma once
#include <memory>

#include "core/portable.hpp"
#include "skerry/track.hpp"
#include "track/otsu.hpp"

namespace skerry::track_steps {

// An image, and the rule that says which of its pixels are foreground.
struct foreground_image {
  image_view image;
  foreground rule;
};

class frame_foreground {
 public:
  // Takes all the memory that the policy needs.
  frame_foreground(const frame_threshold& how, dtype type, const extent& size);

  // Frames are dense, and come in order. What is returned is good until the next call.
  // Throws invalid_argument when the frame has no threshold.
  foreground_image of(const image_view& frame);

 private:
  image_view compare_with_background(const image_view& frame);

  frame_threshold how_;
  otsu_scratch otsu_;
  // Background policy only: its mean in units of 1/256, and 1 for each pixel of the foreground.
  std::unique_ptr<i32[]> mean_;
  std::unique_ptr<u8[]> mask_;
  bool first_ = true;
};

}  // namespace skerry::track_steps
