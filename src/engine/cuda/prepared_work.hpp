// SPDX-License-Identifier: Apache-2.0
// What is behind a plan of skerry/cuda.hpp.
#pragma once
#include "skerry/cuda.hpp"

namespace skerry::cuda {

class prepared_work {
 public:
  /// `launches_early`: it may launch while the work before it in a stream still runs, which only a kernel by itself can.
  explicit prepared_work(std::size_t bytes, bool launches_early = false);
  prepared_work(const prepared_work&) = delete;
  prepared_work& operator=(const prepared_work&) = delete;
  virtual ~prepared_work() = default;

  /// Only launches. Marks where the stages end if there are marks.
  virtual void enqueue(void* scratch, cudaStream_t stream, stage_marks* marks) const = 0;

  [[nodiscard]] std::size_t scratch_bytes() const { return bytes_; }
  /// The device that the work was prepared for.
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] bool launches_early() const { return launches_early_; }

 private:
  std::size_t bytes_;
  int device_ = 0;
  bool launches_early_;
};

/// plan::enqueue(), with marks.
void enqueue(const plan& work, void* scratch, cudaStream_t stream, stage_marks* marks);

}  // namespace skerry::cuda
