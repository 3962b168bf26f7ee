// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/cuda/device_memory.cuh"
#include "engine/stage_clock.hpp"

namespace skerry {

// Marks in a stream where the stages of a job end, for a profile. Merge and resolve are one kernel: resolve has it all.
class stage_marks {
 public:
  explicit stage_marks(cudaStream_t stream) : stream_(stream) {
    for (cudaEvent_t& event : ends_) check_cuda(cudaEventCreate(&event), "start");
    end_of_previous(stage::encode);
  }
  stage_marks(const stage_marks&) = delete;
  stage_marks& operator=(const stage_marks&) = delete;
  ~stage_marks() {
    for (const cudaEvent_t event : ends_) cudaEventDestroy(event);
  }

  // All stages before `next` have been enqueued.
  void end_of_previous(stage next) {
    for (; marked_ <= static_cast<int>(next); ++marked_)
      check_cuda(cudaEventRecord(ends_[marked_], stream_), stage_names[static_cast<std::size_t>(next)].data());
  }
  // Once the stream has passed the last mark. What was not marked, as in a job of one kernel, took no time.
  void finish(stage_clock& clock) {
    end_of_previous(stage::emit);
    check_cuda(cudaEventRecord(ends_[6], stream_), "emit");
    check_cuda(cudaEventSynchronize(ends_[6]), "emit");
    for (int k = 0; k < 6; ++k) {
      float milliseconds = 0;
      check_cuda(cudaEventElapsedTime(&milliseconds, ends_[k], ends_[k + 1]), "emit");
      clock.add(static_cast<stage>(k), std::chrono::nanoseconds(static_cast<std::int64_t>(milliseconds * 1e6F)), false);
    }
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t ends_[7] = {};
  int marked_ = 0;
};

}  // namespace skerry
