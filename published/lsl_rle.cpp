// SPDX-License-Identifier: Apache-2.0
// Light Speed Labeling, the run-length variant: only edges are written, so that images of few segments take little
// memory. The segments of two lines are compared by walking along both, and labels are written segment by segment.
//
// Method  [Lacassagne2011]
#include "published/lsl.hpp"

namespace skerry::published {

u32 segment_edges(const u8* pixels, i64 width, u32* rlc, u32*) {
  u32 edges = 0;
  bool before = false;
  for (i64 x = 0; x < width; ++x) {
    const bool now = pixels[x] != 0;
    if (now != before) rlc[edges++] = static_cast<u32>(x);
    before = now;
  }
  if (before) rlc[edges++] = static_cast<u32>(width);
  return edges;
}

namespace {

constexpr lsl_variant run_length = {false, segment_edges, unify_by_walk, relabel_segments};

}  // namespace

u64 lsl_rle(const task& work) { return run_lsl(work, run_length); }

}  // namespace skerry::published
