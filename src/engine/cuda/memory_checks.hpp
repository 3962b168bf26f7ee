// SPDX-License-Identifier: Apache-2.0
// Checks of arrays that the caller has in device memory. A kernel that meets a wrong address ends the whole CUDA context, so
// they are looked at before: what the driver knows of their first and last byte, about 0.1 us each; nothing waits. All throw
// invalid_argument.
#pragma once
#include <cstddef>
#include <cstdint>

#include "skerry/image.hpp"

namespace skerry::cuda {

// Bytes `first` to `last` from `begin` on are memory of the current device.
void check_range(const char* name, const void* begin, std::int64_t first, std::int64_t last);
void check_alignment(const char* name, const void* data, std::size_t alignment);

// Images that are only read may lie anywhere.
enum class access { read, written };

void check_pixels(const char* name, const image_view& image, access how);

template <class Item>
void check_array(const char* name, const Item* items, std::uint64_t count) {
  if (items == nullptr || count == 0) return;
  check_alignment(name, items, alignof(Item));
  check_range(name, items, 0, static_cast<std::int64_t>(count * sizeof(Item)) - 1);
}

}  // namespace skerry::cuda
