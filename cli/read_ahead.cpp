// SPDX-License-Identifier: Apache-2.0
#include "cli/read_ahead.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

namespace skerry::cli {
namespace {

constexpr std::int64_t least_charge = std::int64_t{1} << 16;  // bounds how many small inputs wait

}  // namespace

std::int64_t step_input::bytes() const {
  std::int64_t sum = 0;
  for (const picture& each : pictures) {
    const std::int64_t pixels = each.pixels.size.pixels();
    sum += pixels * static_cast<std::int64_t>(size_of(each.pixels.type));
    if (each.pixels.colours) sum += 3 * pixels * static_cast<std::int64_t>(size_of(each.pixels.colour_type));
  }
  return sum;
}

read_ahead::read_ahead(rules how) : how_(std::move(how)), slots_(how_.steps) {
  const std::size_t threads = std::min(static_cast<std::size_t>(std::max(how_.threads, 0)), how_.steps);
  if (how_.steps < 2) return;  // nothing to be read meanwhile
  try {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {  // no more threads: those that there are, or each input in its turn
  }
}

read_ahead::~read_ahead() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void read_ahead::hold(slot& of, std::int64_t bytes) {
  held_ += bytes - of.held;
  of.held = bytes;
  most_held_ = std::max(most_held_, held_);
}

// The next input that may be read ahead, if there is room for it. One that is as large as the largest so far is expected,
// since the files of a folder are mostly alike.
std::optional<std::size_t> read_ahead::claim() {
  for (next_ = std::max(next_, turn_); next_ < slots_.size(); ++next_) {
    slot& next = slots_[next_];
    if (next.now != state::untouched) continue;
    const std::optional<std::int64_t> expected = how_.expected_bytes(next_);
    if (!expected) continue;
    const std::int64_t bytes = std::max({*expected, largest_, least_charge});
    if (held_ + bytes > how_.byte_limit) return {};
    hold(next, bytes);
    next.now = state::reading;
    return next_++;
  }
  return {};
}

void read_ahead::work() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    const std::optional<std::size_t> step = claim();
    if (!step) {
      if (next_ >= slots_.size()) return;
      changed_.wait(lock);
      continue;
    }
    lock.unlock();
    std::optional<step_input> input;
    try {
      input = read_now(*step);
    } catch (...) {  // what it was is found again in its turn
    }
    lock.lock();
    keep(*step, std::move(input));
    changed_.notify_all();
  }
}

void read_ahead::keep(std::size_t step, std::optional<step_input> input) {
  slot& of = slots_[step];
  of.now = input ? state::ready : state::failed;
  if (input) of.input = std::move(*input);
  const std::int64_t bytes = of.input.bytes();
  largest_ = std::max(largest_, bytes);
  hold(of, input ? std::max(bytes, least_charge) : 0);
}

step_input read_ahead::read_now(std::size_t step) const {
  const auto begin = std::chrono::steady_clock::now();
  step_input input = how_.read(step);
  input.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return input;
}

step_input read_ahead::take(std::size_t step) {
  std::unique_lock lock(mutex_);
  for (; turn_ < step; ++turn_) {  // left out: never to be read, or for nothing
    changed_.wait(lock, [&] { return slots_[turn_].now != state::reading; });
    slots_[turn_].input = {};
    hold(slots_[turn_], 0);
  }
  turn_ = step + 1;
  slot& wanted = slots_[step];
  changed_.wait(lock, [&] { return wanted.now != state::reading; });
  const bool ready = wanted.now == state::ready;
  step_input input = std::move(wanted.input);
  wanted.input = {};
  hold(wanted, 0);
  lock.unlock();
  changed_.notify_all();
  return ready ? std::move(input) : read_now(step);
}

}  // namespace skerry::cli
