// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvtx3/nvToolsExt.h>

#include "engine/cuda/stage_marks.cuh"

namespace skerry {

// Where the enqueueing of a job is: each stage is a range in the time line of a profiler that looks on (NVTX), and ends
// at a mark in the stream when there are marks. Lives on the thread that enqueues.
class stage_progress {
 public:
  explicit stage_progress(stage_marks* marks) : marks_(marks) {}  // null without a profile
  stage_progress(const stage_progress&) = delete;
  stage_progress& operator=(const stage_progress&) = delete;
  ~stage_progress() { end_range(); }

  void begin(stage next) {
    if (marks_ != nullptr) marks_->end_of_previous(next);
    end_range();
    nvtxRangePushA(stage_names[static_cast<std::size_t>(next)].data());
    in_range_ = true;
  }

 private:
  void end_range() {
    if (in_range_) nvtxRangePop();
    in_range_ = false;
  }

  stage_marks* marks_;
  bool in_range_ = false;
};

}  // namespace skerry
