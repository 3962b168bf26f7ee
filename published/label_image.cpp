// SPDX-License-Identifier: Apache-2.0
#include "published/label_image.hpp"

#include <cstring>

namespace skerry::published {

bool is_label_rows(const mutable_image& labels) {
  return size_of(labels.type) == sizeof(u32) && labels.strides.x == static_cast<i64>(sizeof(u32)) &&
         reinterpret_cast<std::uintptr_t>(labels.data) % alignof(u32) == 0 &&
         labels.strides.y % static_cast<i64>(alignof(u32)) == 0;
}

void copy_labels(const label_rows& labels, const mutable_image& out) {
  for (i64 y = 0; y < out.size.height; ++y) {
    const u32* const from = labels.row(y);
    std::byte* to = static_cast<std::byte*>(out.data) + y * out.strides.y;
    for (i64 x = 0; x < out.size.width; ++x, to += out.strides.x) {
      const u64 label = from[x];  // the low bytes come first
      std::memcpy(to, &label, size_of(out.type));
    }
  }
}

void list_runs(const label_rows& labels, const extent& size, std::vector<labelled_run>& runs) {
  runs.clear();
  for (i64 y = 0; y < size.height; ++y) {
    const u32* const row = labels.row(y);
    for (i64 x = 0; x < size.width;) {
      const i64 begin = x;
      while (x < size.width && row[x] == row[begin]) ++x;  // runs of a row are apart
      if (row[begin] != 0) runs.push_back({y, static_cast<i32>(begin), static_cast<i32>(x), row[begin]});
    }
  }
}

}  // namespace skerry::published
