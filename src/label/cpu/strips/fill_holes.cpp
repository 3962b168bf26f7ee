// SPDX-License-Identifier: Apache-2.0
// Fills holes: labels the background by the dual connectivity and adds its components that the border does not reach.
#include <algorithm>

#include "label/cpu/strips/strips.hpp"
#include "label/select.hpp"

namespace skerry::label_stages {
namespace {

void set_bits(u64* words, i64 begin, i64 end) {
  for (i64 x = begin; x < end;) {
    const i64 count = std::min<i64>(64 - x % 64, end - x);
    words[x / 64] |= (~u64{0} >> (64 - count)) << (x % 64);
    x += count;
  }
}

}  // namespace

pixel_source with_holes_filled(engine::state& on, const pixel_source& source, int connectivity) {
  const extent& size = source.image.size;
  pixel_source background = source;
  background.inverted = true;
  strip_work work(on, background, dual_of(connectivity),
                  {size.width <= 0xffff ? run_edges::form::short_form : run_edges::form::long_form});
  work.encode_and_local();
  work.merge();
  work.resolve();
  label_scratch& scratch = work.scratch();
  work.measure({}, scratch.table);
  selection inner;
  inner.clear_border = true;
  select(inner, {size, {}}, scratch, work.components(), scratch.table);

  const i64 words_per_row = words_for(size.width);
  scratch.filled.reserve(static_cast<std::size_t>(size.rows() * words_per_row));
  work.each_strip(stage::emit, [&](std::size_t k) {
    const strip& s = scratch.strips[k];
    const u32* label = scratch.label.data() + s.first_component;
    work.each_block(k, [&](i64 row_begin, i64 row_end) {
      for (i64 r = row_begin; r < row_end; ++r) {
        u64* const words = scratch.filled.data() + r * words_per_row;
        for (i64 w = 0; w < words_per_row; ++w) words[w] = ~s.bits.row(r)[w];
        for (u64 i = s.runs_of(r).first; i < s.runs_of(r).end(); ++i) {
          if (label[s.component[i]] == 0) continue;
          if (s.edges.kept == run_edges::form::short_form)
            set_bits(words, s.edges.short_edges[2 * i], s.edges.short_edges[2 * i + 1]);
          else set_bits(words, s.edges.long_edges[2 * i], s.edges.long_edges[2 * i + 1]);
        }
      }
    });
  });
  const i64 row_bytes = words_per_row * static_cast<i64>(sizeof(u64));
  return {
      {scratch.filled.data(), dtype::bit, size, {row_bytes * size.height, row_bytes, 0}}, foreground::nonzero(), false};
}

}  // namespace skerry::label_stages
