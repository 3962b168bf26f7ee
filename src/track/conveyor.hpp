// SPDX-License-Identifier: Apache-2.0
// The ring of slots, and the threads that carry them through the steps of a frame_work. A slot is free; or acquired,
// with the pusher, waiting, in analysis, analysed, in inheritance; or ready, or taken. Only the thread that has a slot
// touches it, and a mutex hands it over.
#pragma once
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "core/portable.hpp"
#include "skerry/track.hpp"
#include "track/frame_work.hpp"
#include "track/slot_queue.hpp"

namespace skerry::track_steps {

class conveyor {
 public:
  conveyor(const track_options& options, std::unique_ptr<frame_work> work, tracker::callback on_result);
  conveyor(const conveyor&) = delete;
  conveyor& operator=(const conveyor&) = delete;
  ~conveyor();

  // The frame has been checked. Nothing is returned when there is no slot, and `may_wait` is false.
  std::optional<u64> push(const image_view& frame, u64 stamp, bool may_wait);
  // A frame that is an error from the beginning.
  u64 push_error(std::string_view error, u64 stamp);
  // A slot's memory for a frame, without data when there is no slot and `may_wait` is false; and that frame's entry.
  mutable_image acquire(bool may_wait);
  u64 commit(const void* pixels, u64 stamp);
  const frame_result* take(bool may_wait);
  void flush();
  void stop();
  [[nodiscard]] u64 pushed() const;
  [[nodiscard]] u64 dropped() const;

 private:
  using lock = std::unique_lock<std::mutex>;
  struct acquired_slot {
    std::size_t slot;
    const void* pixels;
  };

  void linger(const slot_queue& queue) const;
  template <class Fill>
  u64 enter(lock& held, std::size_t slot, u64 stamp, u64 pushed_at, Fill fill);
  void end();
  void prepare(frame_result& result) const;
  std::optional<std::size_t> drop_oldest();
  std::optional<std::size_t> claim(lock& held, bool may_wait);
  void release_taken();
  void analyse_frames();
  void publish_frames();
  void publish(std::size_t slot);
  void hand_over(std::size_t slot);

  track_options options_;
  std::vector<frame_result> results_;  // of each slot; a device may write them as long as the work lives
  std::unique_ptr<frame_work> work_;
  tracker::callback on_result_;

  mutable std::mutex mutex_;
  std::condition_variable slot_free_, frame_waiting_, frame_analysed_, result_ready_;
  slot_queue free_, waiting_, analysed_, ready_;
  std::vector<acquired_slot> acquired_;
  std::optional<std::size_t> taken_;
  u64 on_the_way_ = 0;  // frames that have a slot and no result yet
  u64 pushed_ = 0, dropped_ = 0;
  bool stopped_ = false;
  std::atomic<bool> ending_ = false;
  std::exception_ptr thrown_by_callback_;

  std::jthread analyser_, publisher_;  // last: they use all of the above
};

}  // namespace skerry::track_steps
