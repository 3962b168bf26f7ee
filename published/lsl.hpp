// SPDX-License-Identifier: Apache-2.0
// Light Speed Labeling: what its variants share. A variant is three functions on one line each, and lsl.cpp runs them on
// strips of lines. Names of tables are those of the papers; intervals are half-open.
#pragma once
#include "published/task.hpp"

namespace skerry::published {

// One line of the image after step 1. Its segments are the runs of foreground.
struct lsl_line {
  const u32* rlc = nullptr;  // where each segment begins and ends: 2 for each
  u32* era = nullptr;        // the label of each segment
  const u32* er = nullptr;   // of each pixel: how many segments begin and end up to it, so it is odd inside them
  u32 segments = 0;
};

// The labels that the segments of a strip get.
struct lsl_labels {
  u32* eq = nullptr;             // the parent of each label
  geometry* features = nullptr;  // of each label, or null: a label that was joined keeps what it has until the end
  u32 next = 1;                  // a label that is new

  [[nodiscard]] u32 find(u32 label) const {
    while (eq[label] != label) label = eq[label];
    return label;
  }
  // Joins two roots and returns the new one.
  [[nodiscard]] u32 unite(u32 a, u32 b) const {
    const u32 least = a < b ? a : b;
    eq[a] = eq[b] = least;
    return least;
  }
};

// Segments [first, end) of the line above touch one of this line.
struct lsl_touching {
  u32 first, end;
};

// Step 2: each segment takes the least root of the segments that it touches in the line above, or a new label.
// touching(begin, end) finds them; segments are asked for from the left.
template <class Touching>
void unify_line(const lsl_line& line, const lsl_line& above, i64 y, lsl_labels& labels, Touching touching) {
  for (u32 i = 0; i < line.segments; ++i) {
    const u32 begin = line.rlc[2 * i], end = line.rlc[2 * i + 1];
    const lsl_touching met = touching(begin, end);
    u32 label;
    if (met.first < met.end) {
      label = labels.find(above.era[met.first]);
      for (u32 k = met.first + 1; k < met.end; ++k) label = labels.unite(label, labels.find(above.era[k]));
    } else {
      label = labels.next++;
      labels.eq[label] = label;
      if (labels.features != nullptr) labels.features[label] = empty_geometry(2);
    }
    line.era[i] = label;
    if (labels.features != nullptr)
      join<2>(labels.features[label], geometry_of({0, y, y + 1, begin, end}), join_alone());
  }
}

// Walks along the segments of the line above, which are as sorted as those that ask.
class lsl_walk {
 public:
  // `reach` is 1 where diagonal neighbours touch, else 0.
  lsl_walk(const lsl_line& above, u32 reach) : above_(above), reach_(reach) {}

  lsl_touching operator()(u32 begin, u32 end) {
    while (at_ < above_.segments && above_.rlc[2 * at_ + 1] + reach_ <= begin) ++at_;
    u32 last = at_;
    while (last < above_.segments && above_.rlc[2 * last] < end + reach_) ++last;
    const lsl_touching met{at_, last};
    if (last > at_) at_ = last - 1;  // the last one may touch the next segment too
    return met;
  }

 private:
  const lsl_line& above_;
  u32 reach_, at_ = 0;
};

struct lsl_variant {
  bool has_relative_labels;
  // Step 1: fills `rlc`, which has room for the width and 64 more, and `er` of a variant that has it. Returns how many
  // entries `rlc` got.
  u32 (*segment)(const u8* pixels, i64 width, u32* rlc, u32* er);
  // Step 2 of one line. Width is that of the image.
  void (*unify)(const lsl_line& line, const lsl_line& above, i64 y, i64 width, u32 reach, lsl_labels& labels);
  // Step 5 of one line: `table` has the final label of each label, `row_labels` room for the width and 2 more.
  void (*relabel)(const lsl_line& line, const u32* table, i64 width, u32* row_labels, u32* out);
};

// Step 1 pixel by pixel, edges only.
u32 segment_edges(const u8* pixels, i64 width, u32* rlc, u32* er);
// Steps 2 and 5 without relative labels.
void unify_by_walk(const lsl_line& line, const lsl_line& above, i64 y, i64 width, u32 reach, lsl_labels& labels);
void relabel_segments(const lsl_line& line, const u32* table, i64 width, u32* row_labels, u32* out);

u64 run_lsl(const task& work, const lsl_variant& variant);

}  // namespace skerry::published
