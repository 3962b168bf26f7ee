// SPDX-License-Identifier: Apache-2.0
// Stage 6, CPU: labels go back to pixels, or out as runs.
//
//   lane    a pixel's run is known by counting the run starts up to it: count them in all lanes at once, or ask a table, look
//           the label up among the few that start here, write whole vectors        (compiled once per instruction set)
//   row     labels of the runs of the row, side by side
//   strip   runs as a list
//
// Reads   rows of bits, component of each run, label of each component
// Writes  the label image once, past the caches when it is too large for them
// Method  prefix counts of run starts as an index, docs/journey.md
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/lane_tables.hpp"
#include "label/cpu/bands/bands.hpp"
#include "label/cpu/by_value/joins.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "label/cpu/6_emit.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "label/cpu/lanes/compress.hpp"

// ---- lane ---------------------------------------------------------------------------------------------------------
HWY_BEFORE_NAMESPACE();
namespace skerry::label_stages::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// At most 16 lanes: with one start in two pixels, the labels of a vector fit a vector. Where each pixel can be one, the
// first belongs to the label before the vector, which is then left out.
using lanes_u32 = hn::CappedTag<u32, 16>;
using label_vector = hn::Vec<lanes_u32>;
constexpr i64 label_lanes = static_cast<i64>(hn::MaxLanes(lanes_u32()));

// Whether a lane of the labels is free for 0, so that a table sends the background there: in vectors of 2 to 8 lanes, where not every
// pixel can be a start.
template <class Cursor>
constexpr bool has_free_lane = !std::is_same_v<Cursor, broken_cursor> && has_short_vectors;

// What labels of runs are kept as, for pixels of type Label: short vectors look up narrow labels; longer ones look up 32-bit labels and
// narrow the result.
constexpr bool keeps_narrow_labels = has_short_vectors;
template <class Label>
using row_label = std::conditional_t<keeps_narrow_labels && (sizeof(Label) < 4), Label, u32>;

// Labels of the pixels of one vector. `labels` is that of the run that goes on from the pixel before.
template <class Cursor>
HWY_INLINE label_vector labels_of(u32 pixels, u32 starts, const u32* labels) {
  const lanes_u32 d;
#if HWY_TARGET == HWY_SCALAR
  return (pixels & 1) != 0 ? hn::Set(d, labels[starts & 1]) : hn::Zero(d);
#else
  if constexpr (has_free_lane<Cursor>) {
    const hn::Rebind<u8, lanes_u32> bytes;
    constexpr u32 last = label_lanes - 1;
    const auto lane =
        hn::Or(hn::LoadU(bytes, ones_up_to_lane.of[starts]), hn::LoadU(bytes, value_at_zeros<last>.of[pixels]));
    const auto known = hn::IfThenElseZero(hn::FirstN(d, last), hn::LoadU(d, labels));
    return hn::TableLookupLanes(known, hn::IndicesFromVec(d, hn::PromoteTo(d, lane)));
  }
  const auto run = ones_up_to_lanes(d, starts);
  const auto label = hn::TableLookupLanes(hn::LoadU(d, labels), hn::IndicesFromVec(d, run));
  const u64 mask = pixels;
  return hn::IfThenElseZero(hn::LoadMaskBits(d, reinterpret_cast<const u8*>(&mask)), label);
#endif
}

// Writes the labels of 8 pixels, of one or two bytes, by tables.
#if HWY_TARGET != HWY_SCALAR
template <class Label>
HWY_INLINE void write_eight(u32 pixels, u32 starts, const Label* labels, Label* out) {
  const hn::FixedTag<Label, 8> d;
  const hn::FixedTag<u8, 8 * sizeof(Label)> bytes;
  const auto place = [&] {
    if constexpr (sizeof(Label) == 2)
      return hn::Or(hn::LoadU(bytes, pairs_up_to_lane.of[starts]), hn::LoadU(bytes, no_pair_at_zeros.of[pixels]));
    else
      return hn::Or(hn::LoadU(bytes, ones_up_to_lane.of[starts]),
                    hn::LoadU(bytes, value_at_zeros<no_place>.of[pixels]));
  }();
  hn::StoreU(hn::BitCast(d, hn::TableLookupBytesOr0(hn::BitCast(bytes, hn::LoadU(d, labels)), place)), d, out);
}
#endif

template <class Label>
HWY_INLINE void store_labels(label_vector labels, Label* out, bool past_caches) {
  const lanes_u32 d;
  if constexpr (sizeof(Label) == 4) {
    if (past_caches) hn::Stream(labels, d, out);
    else hn::StoreU(labels, d, out);
  } else if constexpr (sizeof(Label) < 4) {  // labels are known to fit
    const hn::Rebind<Label, lanes_u32> narrow;
    hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(hn::Rebind<i32, lanes_u32>(), labels)), narrow, out);
  } else {
    alignas(64) u32 wide[16];
    hn::Store(labels, d, wide);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) out[i] = wide[i];
  }
}

// A row of a band, whose runs are those of the band.
struct half_band_cursor {
  const u64 *words, *other_words;
  u64 now = 0, starts = 0, columns = 0;

  HWY_INLINE void enter(i64 word) {
    const u64 carry = columns >> 63;
    now = words[word];
    columns = now | other_words[word];
    starts = columns & ~(columns << 1 | carry);
  }
};

// 64 pixels of a row, from `offset` pixels into a word on, with the starts of runs among them.
template <class Cursor>
struct row_window {
  Cursor next;  // the word that the next window begins in
  i64 word = 0, words;
  u64 pixels = 0, starts = 0;

  HWY_INLINE row_window(const Cursor& row, i64 count) : next(row), words(count) { next.enter(0); }

  HWY_INLINE void advance(unsigned offset) {
    pixels = next.now >> offset;
    starts = next.starts >> offset;
    if (++word < words) next.enter(word);
    else next.now = next.starts = 0;
    if (offset == 0) return;
    pixels |= next.now << (64 - offset);
    starts |= next.starts << (64 - offset);
  }
};

// Writes the first `count` < 64 pixels of a window one by one.
template <class Label, class Cursor>
HWY_INLINE void write_some(const row_window<Cursor>& window, i64 count, const row_label<Label>*& running, Label* out) {
  u64 pixels = window.pixels, starts = window.starts;
  for (i64 x = 0; x < count; ++x, pixels >>= 1, starts >>= 1) {
    running += starts & 1;
    out[x] = static_cast<Label>((pixels & 1) != 0 ? *running : 0);
  }
}

// How many pixels write_next() writes.
template <class Label>
constexpr i64 written_at_once = sizeof(row_label<Label>) < 4 ? 8 : label_lanes;

template <class Label, class Cursor>
HWY_INLINE void write_next(row_window<Cursor>& window, const row_label<Label>*& running, Label* out, bool past_caches) {
  constexpr i64 count = written_at_once<Label>;
  constexpr u32 mask = static_cast<u32>((u64{1} << count) - 1);
  const u32 pixels = static_cast<u32>(window.pixels) & mask, starts = static_cast<u32>(window.starts) & mask;
  const u32 first = std::is_same_v<Cursor, broken_cursor> ? starts & 1 : 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(row_label<Label>) < 4) write_eight(pixels, starts ^ first, running + first, out);
  else
#endif
    store_labels(labels_of<Cursor>(pixels, starts ^ first, running + first), out, past_caches);
  running += count_ones(starts);
  window.pixels >>= count;
  window.starts >>= count;
}

// Whether all pixels of a window are background or of one run.
template <class Cursor>
HWY_INLINE bool are_alike(const row_window<Cursor>& window) {
  return window.pixels == 0 || (~window.pixels | window.starts) == 0;
}

template <class Label>
HWY_INLINE void write_alike(Label label, Label* out) {
  const hn::CappedTag<Label, 64> d;
  for (std::size_t i = 0; i < 64; i += hn::Lanes(d)) hn::StoreU(hn::Set(d, label), d, out + i);
}

// Writes a row of labels. `labels[k]` belongs to the run k of the row; labels[-1] and 16 labels past the last are readable.
template <class Label, class Cursor>
HWY_INLINE void write_row_of(const Cursor& row, const row_label<Label>* labels, i64 width, Label* out,
                             bool past_caches) {
  constexpr i64 at_once = written_at_once<Label>;
  const row_label<Label>* running = labels - 1;
  row_window<Cursor> window(row, words_for(width));
  unsigned offset = 0;
  if (past_caches) {  // those stores want whole, aligned cache lines
    offset = static_cast<unsigned>((0 - reinterpret_cast<std::uintptr_t>(out)) % 64 / sizeof(Label));
    row_window<Cursor> head = window;
    head.advance(0);
    write_some(head, std::min<i64>(offset, width), running, out);
  }
  i64 x = std::min<i64>(offset, width);
  for (i64 count = 64; count == 64;) {
    window.advance(offset);
    count = std::min<i64>(64, (width - x) / at_once * at_once);
    if (count < 64) {
      for (i64 i = 0; i < count; i += at_once) write_next(window, running, out + x + i, past_caches);
    } else if (HWY_UNLIKELY(are_alike(window)) && (sizeof(Label) != 4 || !past_caches)) {
      write_alike<Label>(window.pixels == 0 ? 0 : *running, out + x);
      running += count_ones(window.starts);
    } else {  // a constant count, so that the compiler unrolls the loop
      for (i64 i = 0; i < 64; i += at_once) write_next(window, running, out + x + i, past_caches);
    }
    x += count;
  }
  write_some(window, width - x, running, out + x);
}

template <class Label>
HWY_INLINE void write_row(const row_bits& row, const void* labels, i64 width, Label* out, bool past_caches) {
  const auto* const of_runs = static_cast<const row_label<Label>*>(labels);
  if (row.starts != nullptr) write_row_of(broken_cursor{row.pixels, row.starts, 0}, of_runs, width, out, past_caches);
  else if (row.other != nullptr)
    write_row_of(half_band_cursor{row.pixels, row.other}, of_runs, width, out, past_caches);
  else write_row_of(row_cursor{row.pixels, 0}, of_runs, width, out, past_caches);
}

void write_row_u8(const row_bits& row, const void* labels, i64 width, u8* out, bool past_caches) {
  write_row(row, labels, width, out, past_caches);
}
void write_row_u16(const row_bits& row, const void* labels, i64 width, u16* out, bool past_caches) {
  write_row(row, labels, width, out, past_caches);
}
void write_row_u32(const row_bits& row, const void* labels, i64 width, u32* out, bool past_caches) {
  if (past_caches) write_row(row, labels, width, out, true);
  else write_row(row, labels, width, out, false);
}
void write_row_u64(const row_bits& row, const void* labels, i64 width, u64* out, bool past_caches) {
  write_row(row, labels, width, out, past_caches);
}

bool narrow_labels_are_kept() { return keeps_narrow_labels; }

// Streaming stores are seen by other threads only after this.
void finish_stores() { hwy::FlushStream(); }

}  // namespace skerry::label_stages::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skerry::label_stages {
namespace {

HWY_EXPORT(write_row_u8);
HWY_EXPORT(write_row_u16);
HWY_EXPORT(write_row_u32);
HWY_EXPORT(write_row_u64);
HWY_EXPORT(narrow_labels_are_kept);
HWY_EXPORT(finish_stores);

// ---- row ----------------------------------------------------------------------------------------------------------

bool is_aligned(const mutable_image& out) {
  const u64 places = reinterpret_cast<std::uintptr_t>(out.data) |
                     (out.size.height > 1 ? static_cast<u64>(out.strides.y) : 0) |
                     (out.size.depth > 1 ? static_cast<u64>(out.strides.z) : 0);
  return places % size_of(out.type) == 0;
}

// The rows of a label image, which may lie in memory in any way.
class row_places {
 public:
  explicit row_places(const mutable_image& out) : out_(out), label_bytes_(static_cast<i64>(size_of(out.type))) {}

  // Whether the pixels of a row are neighbours in memory, at places of their type.
  [[nodiscard]] bool are_dense() const { return out_.strides.x == label_bytes_ && is_aligned(out_); }
  // How many rows are written aside at a time: a few where their pixels are nearer to each other than to those of their row.
  [[nodiscard]] i64 aside() const {
    const bool across = out_.size.height > 1 && std::abs(out_.strides.y) < std::abs(out_.strides.x);
    return across ? rows_across::most(static_cast<std::size_t>(label_bytes_)) : 1;
  }
  [[nodiscard]] i64 bytes_aside() const { return (out_.size.width * label_bytes_ + 63) / 64 * 64; }

  [[nodiscard]] std::byte* row(i64 r) const {
    return static_cast<std::byte*>(out_.data) + r / out_.size.height * out_.strides.z +
           r % out_.size.height * out_.strides.y;
  }

  // Behind row r of [row_begin, row_end): whether the rows that wait aside go to their places.
  [[nodiscard]] bool ends_piece(i64 r, i64 row_end) const {
    const i64 y = r % out_.size.height + 1;
    return r + 1 == row_end || y == out_.size.height || y % aside() == 0;
  }

  void carry(const std::byte* rows, i64 first, i64 count, bool past_caches) const {
    carry_across({.from = rows,
                  .from_step = bytes_aside(),
                  .to = row(first),
                  .to_step = out_.strides.y,
                  .to_step_x = out_.strides.x,
                  .count = count,
                  .width = out_.size.width,
                  .past_caches = past_caches},
                 static_cast<std::size_t>(label_bytes_));
  }

 private:
  const mutable_image& out_;
  i64 label_bytes_;
};

template <class Label, class Write>
void write_rows(const strip& s, bool broken, i64 row_begin, i64 row_end, const u32* label, emit_scratch& scratch,
                const mutable_image& out, Write write) {
  const extent& size = out.size;
  const u32* const label_in_strip = label + s.first_component;
  const row_places places(out);
  const bool dense = places.are_dense();
  u32* const wide = scratch.row_labels.data() + room_of_labels / 2;
  const bool keeps_narrow = sizeof(Label) < 4 && HWY_DYNAMIC_DISPATCH(narrow_labels_are_kept)();
  Label* narrow = nullptr;
  if (keeps_narrow) narrow = reinterpret_cast<Label*>(scratch.narrow_labels.data()) + room_of_labels / 2;
  const void* const labels = keeps_narrow ? static_cast<void*>(narrow) : wide;
  i64 waiting = 0;
  for (i64 r = row_begin; r < row_end; ++r) {
    const u64* const other = other_row_of_band(s, size.rows(), r);
    if (r == row_begin || s.runs_of(r) != s.runs_of(r - 1)) {
      if (!keeps_narrow) labels_from_left(s, r, other != nullptr, label_in_strip, wide, wide);
      else if constexpr (sizeof(Label) < 4) labels_from_left(s, r, other != nullptr, label_in_strip, wide, narrow);
    }
    const row_bits bits{s.bits.row(r), broken ? s.starts.row(r) : nullptr, other};
    if (dense) {
      write(bits, labels, size.width, reinterpret_cast<Label*>(places.row(r)), scratch.past_caches);
      continue;
    }
    std::byte* const aside = scratch.some_rows.data() + waiting++ * places.bytes_aside();
    write(bits, labels, size.width, reinterpret_cast<Label*>(aside), false);
    if (!places.ends_piece(r, row_end)) continue;
    places.carry(scratch.some_rows.data(), r + 1 - waiting, waiting, scratch.past_caches);
    waiting = 0;
  }
}

}  // namespace

void prepare_emit(const strip& s, const mutable_image& out, emit_scratch& scratch) {
  const std::size_t labels = s.most_runs_of_row + room_of_labels;
  scratch.row_labels.reserve_growing(labels);
  if (size_of(out.type) < 4 && HWY_DYNAMIC_DISPATCH(narrow_labels_are_kept)())
    scratch.narrow_labels.reserve_growing(labels * size_of(out.type));
  const row_places places(out);
  if (!places.are_dense()) scratch.some_rows.reserve(static_cast<std::size_t>(places.aside() * places.bytes_aside()));
}

void emit(const strip& s, bool broken, i64 row_begin, i64 row_end, const u32* label, emit_scratch& scratch,
          const mutable_image& out) {
  switch (size_of(out.type)) {
    case 1:
      write_rows<u8>(s, broken, row_begin, row_end, label, scratch, out, HWY_DYNAMIC_DISPATCH(write_row_u8));
      break;
    case 2:
      write_rows<u16>(s, broken, row_begin, row_end, label, scratch, out, HWY_DYNAMIC_DISPATCH(write_row_u16));
      break;
    case 8:
      write_rows<u64>(s, broken, row_begin, row_end, label, scratch, out, HWY_DYNAMIC_DISPATCH(write_row_u64));
      break;
    default: write_rows<u32>(s, broken, row_begin, row_end, label, scratch, out, HWY_DYNAMIC_DISPATCH(write_row_u32));
  }
  HWY_DYNAMIC_DISPATCH(finish_stores)();
}

// ---- strip --------------------------------------------------------------------------------------------------------

// Runs side by side that have one label, as joined by value they can around a third, are one run.
void emit_runs(const strip& s, const u32* label, std::vector<labelled_run>& out) {
  label += s.first_component;
  const bool short_form = s.edges.kept == run_edges::form::short_form;
  for (i64 r = s.row_begin; r < s.row_end; ++r)
    for (u64 i = s.runs_of(r).first; i < s.runs_of(r).end(); ++i) {
      const u32 begin = short_form ? s.edges.short_edges[2 * i] : s.edges.long_edges[2 * i];
      const u32 end = short_form ? s.edges.short_edges[2 * i + 1] : s.edges.long_edges[2 * i + 1];
      const u32 own = label[s.component[i]];
      if (own == 0) continue;
      if (!out.empty() && out.back() == labelled_run{r, out.back().begin, static_cast<i32>(begin), own})
        out.back().end = static_cast<i32>(end);
      else out.push_back({r, static_cast<i32>(begin), static_cast<i32>(end), own});
    }
}

}  // namespace skerry::label_stages
#endif
