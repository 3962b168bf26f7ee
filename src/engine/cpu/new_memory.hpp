// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>

namespace skerry {

// Whether the system has yet to provide the page at this address: its first write does, and clears the page in the caches.
// False where the system does not say.
[[nodiscard]] bool is_new_memory(const void* at);

// Asks for large pages where this memory has none yet, if it is worth a call: a page that is provided at its first write costs as much
// as writing it several times (docs/decisions/0114). Does nothing where the system has no such wish.
void prefer_large_pages(void* begin, std::size_t bytes);

// MADV_POPULATE_WRITE of Linux 5.14. Not all headers have it; older systems refuse it.
inline constexpr int populate_write = 23;

// Has the system provide the pages of new memory that is about to be written, at once instead of each at its first write
// (docs/decisions/0145). Does nothing where the system cannot.
void provide_pages(void* begin, std::size_t bytes);

// Room for so many items of a vector, in large pages where it is new. What the vector held is lost then, unless it stays.
template <class List>
void reserve_in_large_pages(List& list, std::size_t count, bool stays = false) {
  if (list.capacity() >= count) return;
  if (!stays) list.clear();
  list.reserve(std::max(count, list.capacity() + list.capacity() / 2));
  prefer_large_pages(list.data(), list.capacity() * sizeof(typename List::value_type));
}

// The same, and resizes it.
template <class List>
void resize_in_large_pages(List& list, std::size_t count, bool stays = false) {
  reserve_in_large_pages(list, count, stays);
  list.resize(count);
}

}  // namespace skerry
