// SPDX-License-Identifier: Apache-2.0
// What an engine does with the frames of a ring: the steps, and the memory of each slot. The ring itself
// (conveyor.hpp) is independent of engines.
#pragma once
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>

#include "skerry/track.hpp"

namespace skerry::track_steps {

// The three steps of a frame. Each is taken by one thread, for one frame after the other, in order; different steps may
// be taken at the same time, for different slots. What they throw becomes the frame's error.
class frame_work {
 public:
  frame_work() = default;
  frame_work(const frame_work&) = delete;
  frame_work& operator=(const frame_work&) = delete;
  virtual ~frame_work() = default;

  // The results of all slots, before the first frame. They and their lists stay where they are.
  virtual void bind(std::span<frame_result> /*results*/) {}
  // Memory of the slot for a dense frame, which upload() then has not to copy. The caller's thread.
  virtual mutable_image frame_memory(std::size_t slot) = 0;
  // Copies a frame, which has been checked, into the slot. The caller's thread.
  virtual void upload(std::size_t slot, const image_view& frame) = 0;
  // Threshold, label, measure: `image`, `table` and `count` of the result. A device is told to, and inherit() waits for it.
  virtual void analyse(std::size_t slot, frame_result& result) = 0;
  // Inherit and publish: all the rest, for frames without an error. A frame that fails here leaves the ids as they
  // were.
  virtual void inherit(std::size_t slot, frame_result& result) = 0;
  // How long a thread that has nothing to do looks for work before it sleeps.
  [[nodiscard]] virtual std::chrono::microseconds patience() const { return {}; }
};

// Takes memory for all slots. The engine must live as long as the work.
[[nodiscard]] std::unique_ptr<frame_work> make_host_work(engine& on, const track_options& options);

}  // namespace skerry::track_steps
