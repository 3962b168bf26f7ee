// SPDX-License-Identifier: Apache-2.0
#include "track/frame_steps.hpp"

#include <cstring>

#include "core/portable.hpp"

namespace skerry::track_steps {

void copy_dense(const image_view& from, void* to) {
  if (from.size.pixels() == 0) return;
  const byte_strides dense = dense_strides(from.type, from.size);
  const bool rows_are_dense = has_dense_rows(from);
  const auto pixel = static_cast<std::size_t>(dense.x), row = static_cast<std::size_t>(dense.y);
  auto* target = static_cast<std::byte*>(to);
  if (is_dense(from)) {
    std::memcpy(target, from.data, dense_bytes(from));
    return;
  }
  for (i64 z = 0; z < from.size.depth; ++z)
    for (i64 y = 0; y < from.size.height; ++y, target += row) {
      const auto* at = static_cast<const std::byte*>(from.data) + z * from.strides.z + y * from.strides.y;
      if (rows_are_dense) std::memcpy(target, at, row);
      else
        for (i64 x = 0; x < from.size.width; ++x, at += from.strides.x)
          std::memcpy(target + static_cast<std::size_t>(x) * pixel, at, pixel);
    }
}

void clear(frame_result& result) {
  result.count = result.happened = result.transferred = 0;
  result.happened_by_kind = {};
  result.overflow = false;
  result.objects.clear();
  result.events.clear();
  result.table.components.clear();
  result.table.moments.clear();
  result.table.intensities.clear();
  result.table.real_intensities.clear();
  result.labels = {};
  result.on_device = {};
}

void cut(const track_options& options, frame_result& result) {
  const std::size_t most = options.capacity;
  result.happened = result.events.size();
  for (const track_event& event : result.events) ++result.happened_by_kind[static_cast<std::size_t>(event.kind)];
  result.overflow = result.objects.size() > most || result.events.size() > 2 * most;
  const auto shorten = [](auto& rows, std::size_t length) {
    if (rows.size() > length) rows.resize(length);
  };
  shorten(result.objects, most);
  shorten(result.table.components, most);
  shorten(result.table.moments, most);
  shorten(result.table.intensities, most);
  shorten(result.table.real_intensities, most);
  shorten(result.events, 2 * most);
}

}  // namespace skerry::track_steps
