// SPDX-License-Identifier: Apache-2.0
// Two scans with sets of labels, on one thread.
//
//   first scan   each pixel, or each run, takes the least representative that it touches, or a new label; sets that meet
//                become one
//   numbering    representatives to 1..n
//   second scan  each pixel takes the number of its label's representative
//   features     each pixel votes for its label
//
// A set is a list of labels. Each label knows its representative, the least of its set, so that finding it is one read;
// joining two sets gives each label of one of them a new representative.
//
// Method  `he`: [He2007]; `he-runs`: [He2008]. Neither text was at hand (docs/papers.md)
#include <algorithm>

#include "published/lsl.hpp"
#include "published/pixel_labels.hpp"

namespace skerry::published {
namespace {

struct he_scratch final : job_scratch {
  buffer<u32> representative, next, tail;  // of each label; next is 0 at the end of a set, tail is of representatives
  buffer<u32> labels;                      // when the caller wants no label image
  buffer<u32> edges[2], of_run[2];         // where runs of a line and of the one above begin and end, and their labels

  [[nodiscard]] std::size_t bytes() const override {
    std::size_t total = representative.bytes() + next.bytes() + tail.bytes() + labels.bytes();
    for (int line = 0; line < 2; ++line) total += edges[line].bytes() + of_run[line].bytes();
    return total;
  }
};

class label_sets {
 public:
  explicit label_sets(he_scratch& memory) : memory_(memory) { make_room(0); }

  [[nodiscard]] u32 last() const { return last_; }
  [[nodiscard]] u32 representative(u32 label) const { return representative_[label]; }

  // Makes room for so many new labels, and for label 0.
  void make_room(i64 more) {
    const std::size_t most = std::size_t{last_} + static_cast<std::size_t>(more) + 1;
    memory_.representative.reserve_growing(most);
    memory_.next.reserve_growing(most);
    memory_.tail.reserve_growing(most);
    representative_ = memory_.representative.data();
    next_ = memory_.next.data();
    tail_ = memory_.tail.data();
  }
  u32 add() {
    const u32 label = ++last_;
    representative_[label] = tail_[label] = label;
    next_[label] = 0;
    return label;
  }
  // Joins the sets of two representatives and returns that of both.
  u32 join_sets(u32 a, u32 b) {
    const u32 least = std::min(a, b), other = std::max(a, b);
    if (least == other) return least;
    for (u32 label = other; label != 0; label = next_[label]) representative_[label] = least;
    next_[tail_[least]] = other;
    tail_[least] = tail_[other];
    return least;
  }
  // The label of what touches these labels, of which 0 is none.
  template <std::size_t Count>
  u32 label_of(const u32 (&near)[Count]) {
    u32 least = 0;
    for (const u32 label : near) {
      if (label == 0) continue;
      const u32 root = representative_[label];
      least = least == 0 ? root : join_sets(least, root);
    }
    return least != 0 ? least : add();
  }

 private:
  he_scratch& memory_;
  u32 *representative_ = nullptr, *next_ = nullptr, *tail_ = nullptr;
  u32 last_ = 0;
};

template <bool Diagonal>
void scan_pixels(const binary_rows& image, const label_rows& labels, label_sets& sets) {
  for (i64 y = 0; y < image.height; ++y) {
    sets.make_room(image.width / 2 + 1);  // no two new labels are side by side
    const u8* const pixels = image.row(y);
    u32* const row = labels.row(y);
    const u32* const above = y > 0 ? labels.row(y - 1) : nullptr;
    const auto of_above = [&](i64 x) { return above != nullptr && x >= 0 && x < image.width ? above[x] : 0; };
    u32 west = 0;
    for (i64 x = 0; x < image.width; ++x) {
      u32 label = 0;
      if (pixels[x] != 0) {
        if constexpr (Diagonal) label = sets.label_of({west, of_above(x - 1), of_above(x), of_above(x + 1)});
        else label = sets.label_of({west, of_above(x)});
      }
      row[x] = west = label;
    }
  }
}

void scan_runs(const task& work, const label_rows& labels, label_sets& sets, he_scratch& memory) {
  const i64 width = work.image.width;
  for (int line = 0; line < 2; ++line) {
    memory.edges[line].reserve(static_cast<std::size_t>(width) + 1);
    memory.of_run[line].reserve(static_cast<std::size_t>(width) / 2 + 1);
  }
  lsl_line above;
  for (i64 y = 0; y < work.image.height; ++y) {
    u32* const edges = memory.edges[y % 2].data();
    u32* const of_run = memory.of_run[y % 2].data();
    const u32 runs = segment_edges(work.image.row(y), width, edges, nullptr) / 2;
    sets.make_room(runs);
    lsl_walk touching(above, work.connectivity == 8 ? 1 : 0);
    u32* const row = labels.row(y);
    i64 x = 0;
    for (u32 i = 0; i < runs; ++i) {
      const u32 begin = edges[2 * i], end = edges[2 * i + 1];
      const lsl_touching met = touching(begin, end);
      u32 label = 0;
      for (u32 k = met.first; k < met.end; ++k) label = sets.label_of({label, above.era[k]});
      of_run[i] = label != 0 ? label : sets.add();
      std::fill(row + x, row + begin, 0);
      std::fill(row + begin, row + end, of_run[i]);
      x = end;
    }
    std::fill(row + x, row + width, 0);
    above = {edges, of_run, nullptr, runs};
  }
}

template <class Scan>
u64 scan_twice(const task& work, Scan scan) {
  auto& memory = work.scratch<he_scratch>();
  const label_rows labels = label_image_of(work, memory.labels);
  label_sets sets(memory);
  work.phase("first scan", [&] { scan(labels, sets, memory); });
  constexpr pass_names names = {"numbering", "second scan"};
  return finish_pixels(work, {labels, memory.representative.data(), sets.last()}, names);
}

}  // namespace

u64 he(const task& work) {
  return scan_twice(work, [&](const label_rows& labels, label_sets& sets, he_scratch&) {
    if (work.connectivity == 8) scan_pixels<true>(work.image, labels, sets);
    else scan_pixels<false>(work.image, labels, sets);
  });
}

u64 he_runs(const task& work) {
  return scan_twice(work, [&](const label_rows& labels, label_sets& sets, he_scratch& memory) {
    scan_runs(work, labels, sets, memory);
  });
}

}  // namespace skerry::published
