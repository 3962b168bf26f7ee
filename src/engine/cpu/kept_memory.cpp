// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/kept_memory.hpp"

#include <algorithm>

namespace skerry {
namespace {

bool is_kept(std::size_t bytes, std::size_t alignment) {
  constexpr std::size_t least_bytes = std::size_t{1} << 16;
  return bytes >= least_bytes && alignment <= alignof(std::max_align_t);
}

}  // namespace

std::size_t kept_memory::bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t total = 0;
  for (const block& each : blocks_) total += each.bytes;
  return total;
}

void kept_memory::end_call() noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(blocks_, [](const block& each) { return !each.is_taken && !each.was_taken; });
  for (block& each : blocks_) each.was_taken = each.is_taken;
}

kept_memory::block* kept_memory::free_block(std::size_t bytes) {
  block* best = nullptr;
  for (block& each : blocks_)
    if (!each.is_taken && each.bytes >= bytes && each.bytes / 2 <= bytes &&
        (best == nullptr || each.bytes < best->bytes))
      best = &each;
  return best;
}

void* kept_memory::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (!is_kept(bytes, alignment)) return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  const std::lock_guard lock(mutex_);
  block* taken = free_block(bytes);
  if (taken == nullptr) {
    const std::size_t with_spare = bytes + bytes / 8;  // the next image has as many regions, or a few more
    blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(with_spare), with_spare, false, false});
    taken = &blocks_.back();
  }
  taken->is_taken = taken->was_taken = true;
  return taken->memory.get();
}

void kept_memory::do_deallocate(void* at, std::size_t bytes, std::size_t alignment) {
  if (!is_kept(bytes, alignment)) return std::pmr::new_delete_resource()->deallocate(at, bytes, alignment);
  const std::lock_guard lock(mutex_);
  for (block& each : blocks_)
    if (each.memory.get() == at) each.is_taken = false;
}

}  // namespace skerry
