// SPDX-License-Identifier: Apache-2.0
// Stopping a long call. Whatever works for a call passes a stop_point() every few milliseconds, at which the call ends when
// its caller has asked for that.
#pragma once
#include <cstddef>
#include <stop_token>
#include <utility>

#include "engine/cpu/new_memory.hpp"

namespace skerry {

// Of the call that this thread works for; null between calls. Loops deep in a stage know nothing of engines.
inline constinit thread_local const std::stop_token* stop_of_thread = nullptr;

// This thread works for the call that `token` stops, until the end of the scope.
class stop_scope {
 public:
  explicit stop_scope(const std::stop_token& token) : before_(std::exchange(stop_of_thread, &token)) {}
  explicit stop_scope(std::stop_token&&) = delete;  // it would not outlive the scope
  stop_scope(const stop_scope&) = delete;
  stop_scope& operator=(const stop_scope&) = delete;
  ~stop_scope() { stop_of_thread = before_; }

 private:
  const std::stop_token* before_;
};

[[noreturn]] void throw_cancelled();

// Throws `cancelled` when the call is to stop. Takes about a nanosecond: for rows, tiles and blocks.
inline void stop_point() {
  if (stop_of_thread != nullptr && stop_of_thread->stop_requested()) throw_cancelled();
}

// The same once in 65,536 items, for loops over pixels, components and nodes. `item` is the number of one.
inline void stop_point(std::size_t item) {
  if ((item & 0xffff) == 0) stop_point();
}

// Calls work(first, last) for stretches of [begin, end) in order, with stop points between, where one for each item would
// cost.
template <class Work>
void in_stretches(std::size_t begin, std::size_t end, Work work) {
  constexpr std::size_t items = 1 << 16;
  for (std::size_t first = begin, last = 0; first < end; first = last) {
    stop_point();
    last = end - first < items ? end : first + items;
    work(first, last);
  }
}

// The same from the end to the beginning.
template <class Work>
void in_stretches_down(std::size_t begin, std::size_t end, Work work) {
  in_stretches(0, end - begin, [&](std::size_t first, std::size_t last) { work(end - last, end - first); });
}

// push_back() with stop points while items move to a larger place, which takes long when there are millions.
template <class Items, class Item>
void push_back_stoppably(Items& items, const Item& item) {
  if (items.size() == items.capacity()) {
    Items moved;
    reserve_in_large_pages(moved, items.empty() ? 16 : 2 * items.size());
    in_stretches(0, items.size(), [&](std::size_t first, std::size_t last) {
      moved.insert(moved.end(), items.data() + first, items.data() + last);
    });
    items.swap(moved);
  }
  items.push_back(item);
}

// As resize(), with stop points while the memory of millions of items is cleared. Where there is room, items that are there stay as
// they are; else all are lost.
template <class Items>
void resize_stoppably(Items& items, std::size_t count, const typename Items::value_type& value = {}) {
  reserve_in_large_pages(items, count);
  if (items.size() >= count) return items.resize(count);
  in_stretches(items.size(), count, [&](std::size_t, std::size_t last) { items.resize(last, value); });
}

// As clear() and resize(), with stop points.
template <class Items>
void renew_stoppably(Items& items, std::size_t count, const typename Items::value_type& value = {}) {
  items.clear();
  resize_stoppably(items, count, value);
}

// `below` for a sort that can be stopped. `compared` counts: algorithms copy what compares.
template <class Below>
[[nodiscard]] auto with_stop_points(std::size_t& compared, Below below) {
  return [&compared, below](const auto& a, const auto& b) {
    stop_point(++compared);
    return below(a, b);
  };
}

}  // namespace skerry
