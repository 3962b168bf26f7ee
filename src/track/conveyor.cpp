// SPDX-License-Identifier: Apache-2.0
#include "track/conveyor.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "engine/image_checks.hpp"
#include "skerry/error.hpp"
#include "track/attempt.hpp"
#include "track/frame_steps.hpp"

namespace skerry::track_steps {
namespace {

u64 now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

}  // namespace

conveyor::conveyor(const track_options& options, std::unique_ptr<frame_work> work, tracker::callback on_result)
    : options_(options), results_(static_cast<std::size_t>(options.slots)), work_(std::move(work)),
      on_result_(std::move(on_result)), free_(results_.size()), waiting_(results_.size()), analysed_(results_.size()),
      ready_(results_.size()) {
  for (std::size_t slot = 0; slot < results_.size(); ++slot) {
    prepare(results_[slot]);
    free_.push(slot);
  }
  work_->bind(results_);
  try {
    analyser_ = std::jthread([this] { analyse_frames(); });
    publisher_ = std::jthread([this] { publish_frames(); });
  } catch (const std::system_error&) {
    end();  // or the first would be waited for
    throw out_of_memory("out of memory: the threads of the stream cannot be started");
  }
}

conveyor::~conveyor() { end(); }

void conveyor::end() {
  {
    const lock held(mutex_);
    ending_ = true;
  }
  frame_waiting_.notify_all();
  frame_analysed_.notify_all();
}

// Takes the memory of a result.
void conveyor::prepare(frame_result& result) const {
  // At most every second pixel is an object.
  const std::size_t most =
      std::min<std::size_t>(options_.capacity, static_cast<std::size_t>(options_.size.pixels()) / 2 + 1);
  result.objects.reserve(most);
  result.events.reserve(2 * most);
  result.table.rank = options_.size.rank;
  result.table.has_moments = options_.moments;
  result.table.has_intensities = options_.intensities;
  result.table.components.reserve(most);
  if (options_.moments) result.table.moments.reserve(most);
  if (options_.intensities && sums_reals(options_.type)) result.table.real_intensities.reserve(most);
  else if (options_.intensities) result.table.intensities.reserve(most);
}

// Looks whether something comes for as long as the work is patient. Threads that wake up are late by 10 µs and more.
void conveyor::linger(const slot_queue& queue) const {
  if (work_->patience() == work_->patience().zero()) return;
  const auto end = std::chrono::steady_clock::now() + work_->patience();
  while (queue.empty() && !ending_.load(std::memory_order_relaxed) && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
}

// ---- the caller's threads -------------------------------------------------------------------------------------------

// Frames without ids first: no event is lost with them.
std::optional<std::size_t> conveyor::drop_oldest() {
  slot_queue& from = !analysed_.empty() ? analysed_ : !waiting_.empty() ? waiting_ : ready_;
  if (from.empty()) return {};
  ++dropped_;
  if (&from != &ready_ && --on_the_way_ == 0) result_ready_.notify_all();
  return from.pop();
}

std::optional<std::size_t> conveyor::claim(lock& held, bool may_wait) {
  while (true) {
    if (!free_.empty()) return free_.pop();
    if (options_.full == track_options::when_full::drop_oldest)
      if (const std::optional<std::size_t> dropped = drop_oldest()) return dropped;
    if (!may_wait) return {};
    slot_free_.wait(held);
    if (stopped_) refuse("frame: the stream has been stopped");
  }
}

std::optional<u64> conveyor::push(const image_view& frame, u64 stamp, bool may_wait) {
  const u64 pushed_at = now();
  if (may_wait) linger(free_);
  lock held(mutex_);
  if (stopped_) refuse("frame: the stream has been stopped");
  const std::optional<std::size_t> slot = claim(held, may_wait);
  if (!slot) return {};
  return enter(held, *slot, stamp, pushed_at, [&] { work_->upload(*slot, frame); });
}

u64 conveyor::push_error(std::string_view error, u64 stamp) {
  const u64 pushed_at = now();
  lock held(mutex_);
  if (stopped_) refuse("frame: the stream has been stopped");
  const std::size_t slot = *claim(held, true);
  return enter(held, slot, stamp, pushed_at, [&] { refuse(std::string(error)); });
}

mutable_image conveyor::acquire(bool may_wait) {
  if (may_wait) linger(free_);
  lock held(mutex_);
  if (stopped_) refuse("frame: the stream has been stopped");
  const std::optional<std::size_t> slot = claim(held, may_wait);
  if (!slot) return {};
  held.unlock();
  try {
    const mutable_image memory = work_->frame_memory(*slot);
    held.lock();
    acquired_.push_back({*slot, memory.data});
    return memory;
  } catch (...) {
    if (!held.owns_lock()) held.lock();
    free_.push(*slot);
    throw;
  }
}

u64 conveyor::commit(const void* pixels, u64 stamp) {
  const u64 pushed_at = now();
  lock held(mutex_);
  if (stopped_) refuse("frame: the stream has been stopped");
  const auto found = std::find_if(acquired_.begin(), acquired_.end(),
                                  [&](const acquired_slot& each) { return each.pixels == pixels; });
  if (found == acquired_.end()) refuse("frame: is not memory that was acquired");
  const std::size_t slot = found->slot;
  acquired_.erase(found);
  return enter(held, slot, stamp, pushed_at, [&] { work_->upload(slot, {pixels, options_.type, options_.size}); });
}

// The frame gets its number and goes into its slot.
template <class Fill>
u64 conveyor::enter(lock& held, std::size_t slot, u64 stamp, u64 pushed_at, Fill fill) {
  frame_result& result = results_[slot];
  const u64 number = pushed_++;
  ++on_the_way_;
  held.unlock();

  clear(result);
  result.error.clear();
  result.frame = number;
  result.stamp = stamp;
  result.times = {pushed_at, 0, 0};
  result.image = {nullptr, options_.type, options_.size};
  attempt(result, fill);

  held.lock();
  waiting_.push(slot);
  frame_waiting_.notify_one();
  return number;
}

void conveyor::release_taken() {
  if (!taken_) return;
  free_.push(*taken_);
  taken_.reset();
  slot_free_.notify_one();
}

const frame_result* conveyor::take(bool may_wait) {
  lock held(mutex_);
  release_taken();
  if (may_wait && ready_.empty() && on_the_way_ > 0) {
    held.unlock();
    linger(ready_);
    held.lock();
  }
  if (may_wait) result_ready_.wait(held, [&] { return !ready_.empty() || on_the_way_ == 0; });
  if (ready_.empty()) return nullptr;
  taken_ = ready_.pop();
  return &results_[*taken_];
}

void conveyor::flush() {
  lock held(mutex_);
  result_ready_.wait(held, [&] { return on_the_way_ == 0; });
  if (const std::exception_ptr thrown = std::exchange(thrown_by_callback_, nullptr)) std::rethrow_exception(thrown);
}

void conveyor::stop() {
  {
    const lock held(mutex_);
    stopped_ = true;
    slot_free_.notify_all();
  }
  flush();
}

u64 conveyor::pushed() const {
  const lock held(mutex_);
  return pushed_;
}

u64 conveyor::dropped() const {
  const lock held(mutex_);
  return dropped_;
}

// ---- the tracker's threads ------------------------------------------------------------------------------------------

void conveyor::analyse_frames() {
  lock held(mutex_);
  while (true) {
    if (waiting_.empty() && !ending_) {
      held.unlock();
      linger(waiting_);
      held.lock();
    }
    frame_waiting_.wait(held, [&] { return ending_ || !waiting_.empty(); });
    if (ending_) return;
    const std::size_t slot = waiting_.pop();
    held.unlock();

    frame_result& result = results_[slot];
    result.times.begun = now();
    attempt(result, [&] { work_->analyse(slot, result); });

    held.lock();
    analysed_.push(slot);
    frame_analysed_.notify_one();
    slot_free_.notify_one();  // it may be one to drop
  }
}

void conveyor::publish_frames() {
  while (true) {
    linger(analysed_);
    lock held(mutex_);
    frame_analysed_.wait(held, [&] { return ending_ || !analysed_.empty(); });
    if (ending_) return;
    const std::size_t slot = analysed_.pop();
    held.unlock();
    publish(slot);
  }
}

void conveyor::publish(std::size_t slot) {
  frame_result& result = results_[slot];
  attempt(result, [&] { work_->inherit(slot, result); });
  if (!result.error.empty()) clear(result);
  result.dropped = dropped();
  result.times.published = now();
  hand_over(slot);
}

// A result to whoever wants it. `on_the_way_` counts it until then.
void conveyor::hand_over(std::size_t slot) {
  std::exception_ptr thrown;
  if (on_result_) {
    try {
      on_result_(results_[slot]);
    } catch (...) {  // the caller's, who gets it from flush()
      thrown = std::current_exception();
    }
  }
  const lock held(mutex_);
  (on_result_ ? free_ : ready_).push(slot);
  if (thrown && !thrown_by_callback_) thrown_by_callback_ = thrown;
  --on_the_way_;
  slot_free_.notify_one();  // of a ready one, too: it may be one to drop
  result_ready_.notify_all();
}

}  // namespace skerry::track_steps
