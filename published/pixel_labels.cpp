// SPDX-License-Identifier: Apache-2.0
#include "published/pixel_labels.hpp"

#include <algorithm>

namespace skerry::published {

label_rows label_image_of(const task& work, buffer<u32>& own) {
  if (work.labels.data != nullptr) return work.labels;
  own.reserve(static_cast<std::size_t>(work.image.width * work.image.height));
  return {reinterpret_cast<std::byte*>(own.data()), work.image.width * static_cast<i64>(sizeof(u32))};
}

geometry pixel_at(i64 y, i64 x) { return geometry_of({0, y, y + 1, x, x + 1}); }

// What a label points to comes before it, so one sweep is enough; roots are numbered as they are met, which is the raster
// order of their first pixels.
u32 number_labels(const first_labels& found) {
  u32* const table = found.table;
  u32 count = 0;
  table[0] = 0;
  for (u32 label = 1; label <= found.last; ++label)
    table[label] = table[label] == label ? ++count : table[table[label]];
  return count;
}

void relabel_pixels(const binary_rows& image, const first_labels& found) {
  for (i64 y = 0; y < image.height; ++y)
    for (u32 *label = found.labels.row(y), *const end = label + image.width; label < end; ++label)
      *label = found.table[*label];
}

void vote_of_pixels(const binary_rows& image, const label_rows& labels, table_rows<geometry>& rows) {
  std::fill(rows.begin(), rows.end(), empty_geometry(2));
  for (i64 y = 0; y < image.height; ++y) {
    const u32* const row = labels.row(y);
    for (i64 x = 0; x < image.width; ++x)
      if (row[x] != 0) join<2>(rows[row[x] - 1], pixel_at(y, x), join_alone());
  }
}

u64 finish_pixels(const task& work, const first_labels& found, const pass_names& names, bool pixels_vote) {
  u32 count = 0;
  work.phase(names.numbering, [&] { count = number_labels(found); });
  work.found(count);
  if (work.features != nullptr) {
    work.features->clear();
    work.features->resize(count);
  }
  const bool votes_remain = work.features != nullptr && pixels_vote;
  if (work.labels.data != nullptr || votes_remain)
    work.phase(names.relabelling, [&] { relabel_pixels(work.image, found); });
  if (votes_remain) work.phase("features", [&] { vote_of_pixels(work.image, found.labels, *work.features); });
  return count;
}

}  // namespace skerry::published
