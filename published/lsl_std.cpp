// SPDX-License-Identifier: Apache-2.0
// Light Speed Labeling, the standard variant: no step has a branch that depends on pixels but those of equivalences, so
// that its time depends little on the image. The relative label of each pixel is kept (table ER): the labels of the line
// above that touch a segment are looked up at its two ends, and the labels of a line are looked up through it.
//
// Method  [Lacassagne2011]
#include "published/lsl.hpp"

namespace skerry::published {
namespace {

// Writes where the next edge would be at each pixel, and goes on when there was one.
u32 segment_and_relate(const u8* pixels, i64 width, u32* rlc, u32* er) {
  u32 edges = 0, before = 0;
  for (i64 x = 0; x < width; ++x) {
    const u32 now = pixels[x] != 0 ? 1 : 0;
    rlc[edges] = static_cast<u32>(x);
    edges += now ^ before;
    er[x] = edges;
    before = now;
  }
  rlc[edges] = static_cast<u32>(width);
  return edges + before;
}

// Relative labels at the two ends of a segment, moved inwards to segments, are the first and the last that touch it.
void unify(const lsl_line& line, const lsl_line& above, i64 y, i64 width, u32 reach, lsl_labels& labels) {
  unify_line(line, above, y, labels, [&](u32 begin, u32 end) -> lsl_touching {
    if (above.segments == 0) return {0, 0};  // the first line of a strip has none above
    const u32 left = begin < reach ? 0 : begin - reach;
    const u32 right = end - 1 + reach < width ? end - 1 + reach : end - 1;
    const u32 first = above.er[left] | 1, last = above.er[right];
    return {first / 2, (last + 1) / 2};  // segment k has the relative label 2 k + 1
  });
}

// Even relative labels are background.
void relabel(const lsl_line& line, const u32* table, i64 width, u32* row_labels, u32* out) {
  row_labels[0] = 0;
  for (u32 i = 0; i < line.segments; ++i) {
    row_labels[2 * i + 1] = table[line.era[i]];
    row_labels[2 * i + 2] = 0;
  }
  for (i64 x = 0; x < width; ++x) out[x] = row_labels[line.er[x]];
}

constexpr lsl_variant standard = {true, segment_and_relate, unify, relabel};

}  // namespace

u64 lsl_std(const task& work) { return run_lsl(work, standard); }

}  // namespace skerry::published
