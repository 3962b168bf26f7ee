// SPDX-License-Identifier: Apache-2.0
// Scans forth and back with a table of labels, on one thread, until no label changes.
//
//   first scan    in raster order; each pixel takes the least entry of its neighbours' labels before it, or a new label
//   later scans   backwards, forwards and so on; each pixel takes the least entry of its own label and of those before it
//   numbering, relabelling, features as `rosenfeld` has them
//
// In each of them, the entries of all these labels become the least one. So what meets anywhere is known to the table at
// once, and few scans are enough.
//
// Method  [Suzuki2003]; its text was not at hand (docs/papers.md)
#include <algorithm>

#include "published/pixel_labels.hpp"

namespace skerry::published {
namespace {

struct suzuki_scratch final : job_scratch {
  buffer<u32> table;   // T: of each label the least that it is known to be
  buffer<u32> labels;  // when the caller wants no label image

  [[nodiscard]] std::size_t bytes() const override { return table.bytes() + labels.bytes(); }
};

struct settled {
  u32 least = 0;
  bool changed = false;  // an entry
};

// The least entry of some labels, of which 0 is none; it becomes the entry of all of them.
template <std::size_t Count>
settled settle(u32* table, const u32 (&near)[Count]) {
  settled found;
  for (const u32 label : near)
    if (label != 0 && (found.least == 0 || table[label] < found.least)) found.least = table[label];
  for (const u32 label : near) {
    if (label == 0) continue;
    found.changed = found.changed || table[label] != found.least;
    table[label] = found.least;
  }
  return found;
}

// One row in either direction, which is +1 or -1; `before` is the row that was scanned before it, or null. Calls
// take(x, label before x and the three of the row before), from the first pixel in that direction.
template <class Take>
void scan_row(i64 width, i64 direction, const u32* row, const u32* before, Take take) {
  const auto of_before = [&](i64 x) { return before != nullptr && x >= 0 && x < width ? before[x] : 0; };
  for (i64 i = 0; i < width; ++i) {
    const i64 x = direction > 0 ? i : width - 1 - i;
    take(x, i > 0 ? row[x - direction] : 0, of_before(x - 1), of_before(x), of_before(x + 1));
  }
}

template <bool Diagonal>
class scans {
 public:
  scans(const binary_rows& image, const label_rows& labels, suzuki_scratch& memory)
      : image_(image), labels_(labels), memory_(memory) {}

  // Returns the last label.
  u32 first() {
    u32 last = 0;
    for (i64 y = 0; y < image_.height; ++y) {
      memory_.table.reserve_growing(std::size_t{last} + static_cast<std::size_t>(image_.width / 2) + 2);
      u32* const table = memory_.table.data();
      u32* const row = labels_.row(y);
      const u8* const pixels = image_.row(y);
      scan_row(image_.width, 1, row, y > 0 ? labels_.row(y - 1) : nullptr,
               [&](i64 x, u32 side, u32 left, u32 middle, u32 right) {
                 u32 label = 0;
                 if (pixels[x] != 0) {
                   if constexpr (Diagonal) label = settle(table, {side, left, middle, right}).least;
                   else label = settle(table, {side, middle}).least;
                   if (label == 0) {
                     label = ++last;
                     table[label] = label;
                   }
                 }
                 row[x] = label;
               });
    }
    return last;
  }
  // Returns whether a label or an entry changed. A scan without any has seen equal labels in all neighbours.
  bool again(i64 direction) {
    u32* const table = memory_.table.data();
    bool changed = false;
    for (i64 i = 0; i < image_.height; ++i) {
      const i64 y = direction > 0 ? i : image_.height - 1 - i;
      u32* const row = labels_.row(y);
      scan_row(image_.width, direction, row, i > 0 ? labels_.row(y - direction) : nullptr,
               [&](i64 x, u32 side, u32 left, u32 middle, u32 right) {
                 if (row[x] == 0) return;
                 settled found;
                 if constexpr (Diagonal) found = settle(table, {row[x], side, left, middle, right});
                 else found = settle(table, {row[x], side, middle});
                 changed = changed || found.changed || found.least != row[x];
                 row[x] = found.least;
               });
    }
    return changed;
  }

 private:
  const binary_rows& image_;
  const label_rows& labels_;
  suzuki_scratch& memory_;
};

template <bool Diagonal>
u64 solve_by_scans(const task& work) {
  auto& memory = work.scratch<suzuki_scratch>();
  memory.table.reserve_growing(1);
  const label_rows labels = label_image_of(work, memory.labels);
  scans<Diagonal> passes(work.image, labels, memory);
  u32 last = 0;
  work.phase("first scan", [&] { last = passes.first(); });
  work.phase("later scans", [&] {
    for (i64 direction = -1; passes.again(direction); direction = -direction) {}
  });
  constexpr pass_names names = {"numbering", "relabelling"};
  return finish_pixels(work, {labels, memory.table.data(), last}, names);
}

}  // namespace

u64 suzuki(const task& work) { return work.connectivity == 8 ? solve_by_scans<true>(work) : solve_by_scans<false>(work); }

}  // namespace skerry::published
