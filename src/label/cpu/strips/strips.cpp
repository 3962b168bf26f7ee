// SPDX-License-Identifier: Apache-2.0
#include "label/cpu/strips/strips.hpp"

#include <algorithm>

#include "core/feature_groups.hpp"
#include "engine/cpu/new_memory.hpp"
#include "engine/dense_image.hpp"
#include "engine/stop.hpp"
#include "label/cpu/bands/bands.hpp"
#include "label/cpu/strips/row_parts.hpp"
#include "skerry/error.hpp"

namespace skerry::label_stages {
namespace {

label_scratch& scratch_of(engine::state& on) {
  if (on.label_scratch == nullptr) on.label_scratch = std::make_unique<label_scratch>();
  return static_cast<label_scratch&>(*on.label_scratch);
}

// As many rows as fit the first-level cache as bits.
i64 rows_of_block(i64 width, bool in_bands) {
  const i64 rows = std::clamp<i64>((16 << 10) / (words_for(width) * 8), 1, 64);
  return in_bands ? parts_of(rows, rows_of_band) * rows_of_band : rows;
}

// Rows that stay empty before the guests of each strip: a component that spans the strips has a row in each, which one
// thread writes again and again, and no two of them may share lines of the cache. 3 of the smallest rows have 168 bytes.
constexpr u64 rows_between_threads = 3;
static_assert(rows_between_threads * sizeof(geometry) >= 128);

// Forgets the rows there were, or growing would move them.
template <class Row>
void make_rows(table_rows<Row>& rows, u64 count) {
  rows.clear();
  const std::size_t room = rows.capacity();
  rows.resize(count);
  if (rows.capacity() != room) prefer_large_pages(rows.data(), rows.capacity() * sizeof(Row));
}

constexpr std::size_t least_provided_bytes = std::size_t{64} << 10;

// Whether the system has yet to provide the pages of a label image, of which the one in the middle stands for all.
bool is_new(const mutable_image& out) {
  return out.size.pixels() > 0 &&
         is_new_memory(static_cast<const std::byte*>(out.data) + out.size.depth / 2 * out.strides.z +
                       out.size.height / 2 * out.strides.y + out.size.width / 2 * out.strides.x);
}

}  // namespace

std::size_t label_scratch::bytes() const {
  std::size_t total = label.bytes() + filled.bytes() +
                      (renumbered.capacity() + order.capacity() + bits_before.capacity()) * sizeof(u32) +
                      (first_pixels.capacity() + first_bits.capacity()) * sizeof(u64) + labels_aside.bytes();
  each_feature_group([&]<class Group>(Group) {
    total += ((table.*Group::rows).capacity() + (moved.*Group::rows).capacity()) * sizeof(typename Group::row);
  });
  for (const strip& s : strips)
    total += s.rows.bytes() + s.component.bytes() + s.edges.short_edges.bytes() + s.edges.long_edges.bytes() +
             s.bits.bytes() + s.starts.bytes() + s.kept_bits.bytes() + s.kept_starts.bytes() + s.lone.bytes() +
             s.numbers.bytes() + s.numbers_above.bytes() + s.joins.bytes() + s.guests.capacity() * sizeof(strip::guest);
  for (const emit_scratch& rows : emit)
    total += rows.row_labels.bytes() + rows.narrow_labels.bytes() + rows.some_rows.bytes();
  return total;
}

strip_work::strip_work(engine::state& on, const pixel_source& source, int connectivity, const kept_of_strips& kept)
    : on_(on), scratch_(scratch_of(on)), source_(source), joins_(source), connectivity_(connectivity),
      in_bands_(connectivity == 8 && !source.joins_by_value() && !source.periodic.any() &&
                (kept.edges == run_edges::form::none ||
                 (kept.geometry_alone && has_few_runs_in_bands(source, scratch_.room_of_bits())))),
      keeps_bits_((kept.bits || (in_bands_ && kept.geometry_alone)) &&
                  (source.joins_by_value() || source.image.type != dtype::bit)),
      block_rows_(rows_of_block(source.image.size.width, in_bands_)) {
  split(in_bands_ ? run_edges::form::none : kept.edges);
  on.pixels_of_labels += source.image.size.pixels();
  on.spares_threads =
      on.workers == nullptr && on.pixels_of_labels < on.least_strips_to_start * on.least_pixels_per_strip;
}

void strip_work::split(run_edges::form edges) {
  const extent& size = source_.image.size;
  const i64 earlier_rows = rows_at_border();
  const row_parts parts(on_, source_);
  std::size_t count = 0;
  for (i64 row = 0; row < size.rows(); row = scratch_.strips[count++].row_end) {
    if (count == scratch_.strips.size()) scratch_.strips.emplace_back();
    strip& s = scratch_.strips[count];
    s.row_begin = row;
    s.row_end = parts.end_of_strip(row);
    s.in_bands = in_bands_;
    if (in_bands_) s.row_end = std::min(size.rows(), parts_of(s.row_end, rows_of_band) * rows_of_band);
    s.runs = 0;
    s.most_runs_of_row = 0;
    s.components = 0;
    s.first_component = 0;
    s.guests.clear();
    s.edges.kept = edges;
    s.rows.reserve(static_cast<std::size_t>(s.row_end - s.row_begin));
    const auto shape = [&](bit_window& bits) {
      if (keeps_bits_) bits.shape_whole(size.width, std::max<i64>(0, s.row_begin - earlier_rows), s.row_end);
      else bits.shape(size.width, block_rows_ + earlier_rows);
    };
    shape(s.bits);
    if (source_.joins_by_value()) shape(s.starts);
    if (source_.joins_by_value() || source_.periodic.any()) s.joins.shape(size.width);
    s.kept_rows = row == 0 ? 0 : std::min(earlier_rows, s.row_end - s.row_begin);
    if (s.kept_rows != 0) s.kept_bits.shape(size.width, s.kept_rows);
    if (s.kept_rows != 0 && source_.joins_by_value()) s.kept_starts.shape(size.width, s.kept_rows);
  }
  scratch_.strips.resize(count);
  scratch_.emit.resize(count);
}

void strip_work::encode_rows(i64 row_begin, i64 row_end, strip& s) {
  encode(source_, row_begin, row_end, s.bits);
  if (source_.joins_by_value()) joins_.encode_starts(row_begin, row_end, s.bits, s.starts, s.joins);
}

void strip_work::encode_again(i64 row_begin, i64 row_end, strip& s) {
  if (keeps_bits_) return;
  if (in_bands_) return encode_rows(row_begin, row_end, s);
  const auto repeats = [&](i64 r) { return r < row_end && s.runs_of(r) == s.runs_of(r - 1); };
  const i64 words = s.bits.words_per_row();
  for (i64 r = row_begin; r < row_end;) {
    i64 end = r + 1;
    while (end < row_end && !repeats(end)) ++end;
    encode_rows(r, end, s);
    for (r = end; repeats(r); ++r) {
      std::copy_n(s.bits.row(r - 1), words, s.bits.row(r));
      if (source_.joins_by_value()) std::copy_n(s.starts.row(r - 1), words, s.starts.row(r));
    }
  }
}

i64 strip_work::rows_at_border() const { return in_bands_ ? rows_of_band : border_rows(source_.image.size); }

i64 strip_work::open_rows() const {
  const extent& size = source_.image.size;
  return source_.periodic.any() ? size.rows() : border_rows(size);
}

void strip_work::encode_and_local() {
  const extent& size = source_.image.size;
  for_each_in_parallel(on_, scratch_.strips.size(), [&](std::size_t k) {
    strip& s = scratch_.strips[k];
    stage_timer encode_time(on_.clock, stage::encode, stage_timer::by::all_threads);
    stage_timer local_time(on_.clock, stage::local, stage_timer::by::all_threads);
    for (i64 r = s.row_begin; r < s.row_end; r += block_rows_) {
      const i64 end = std::min(s.row_end, r + block_rows_);
      stop_point();
      encode_time.run([&] {
        encode_rows(r, end, s);
        s.keep_first_rows(r, end, source_.joins_by_value());
      });
      local_time.run([&] {
        if (in_bands_) local_bands(s, size.rows(), r, end);
        else if (source_.joins_by_value()) local_joined(s, joins_, size, connectivity_, r, end);
        else local(s, size, connectivity_, r, end);
      });
    }
    local_time.run([&] { close_strip(s); });
  });
}

u64 strip_work::border_nanoseconds() const {
  const extent& size = source_.image.size;
  u64 words = 0, runs = 0;
  for (const strip& s : scratch_.strips) {
    const i64 end = std::min(s.row_end, s.row_begin + open_rows());
    words += static_cast<u64>(end - s.row_begin) * static_cast<u64>(words_for(size.width));
    for (i64 r = s.row_begin; r < end; ++r) runs += s.runs_of(r).count;
  }
  return 4 * words + 8 * runs;
}

void strip_work::merge() {
  components_ = 0;
  for (strip& s : scratch_.strips) {
    s.first_component = components_;
    components_ += s.components;
  }
  const u64 most_components = 0xfffffffe - scratch_.strips.size() * rows_between_threads;
  if (components_ > most_components)
    throw invalid_argument("image: its strips have " + std::to_string(components_) + " components, more than " +
                           std::to_string(most_components));
  scratch_.label.reserve(components_);
  if (scratch_.strips.size() == 1 && !source_.periodic.any()) return;
  border_nanoseconds_ = border_nanoseconds();
  each_strip(stage::merge, border_nanoseconds_,
             [&](std::size_t k) { open_border(scratch_.strips[k], open_rows(), scratch_.label.data()); });
  each_strip(stage::merge, border_nanoseconds_, [&](std::size_t k) { merge_strip(k); });
}

void strip_work::merge_strip(std::size_t k) {
  const extent& size = source_.image.size;
  strip& s = scratch_.strips[k];
  u32* const parent = scratch_.label.data();
  if (k != 0) {
    if (in_bands_) merge_bands(scratch_.strips, k, size.rows(), parent);
    else if (source_.joins_by_value()) merge_joined(scratch_.strips, k, joins_, size, connectivity_, s.joins, parent);
    else label_stages::merge(scratch_.strips, k, size, connectivity_, parent);
  }
  if (source_.periodic.any()) merge_around(scratch_.strips, k, source_, joins_, connectivity_, s.joins, parent);
}

u64 strip_work::resolve() {
  std::vector<strip>& strips = scratch_.strips;
  labels_ = components_;
  if (strips.size() == 1 && !source_.periodic.any()) return labels_;
  each_strip(stage::resolve, border_nanoseconds_,
             [&](std::size_t k) { find_guests(strips[k], open_rows(), scratch_.label.data()); });
  for (const strip& s : strips) labels_ -= s.guests.size();
  return labels_;
}

void strip_work::number_guests_apart() {
  const std::vector<strip>& strips = scratch_.strips;
  each_strip(stage::resolve, label_nanoseconds(), [&](std::size_t k) {
    u64 guests_before = 0;
    for (std::size_t j = 0; j < k; ++j) guests_before += strips[j].guests.size();
    const u64 before_guests = labels_ + guests_before + (k + 1) * rows_between_threads;
    label_stages::number(strips[k], strips[k].first_component - guests_before + 1, before_guests + 1,
                         scratch_.label.data());
  });
}

void strip_work::settle() {
  each_strip(stage::resolve, border_nanoseconds_,
             [&](std::size_t k) { label_stages::settle(scratch_.strips[k], scratch_.label.data()); });
}

void strip_work::number() {
  number_guests_apart();
  settle();
}

void strip_work::measure_strip(std::size_t k, const measure_options& features, feature_table& table) {
  const strip& s = scratch_.strips[k];
  const u32* const label = scratch_.label.data();
  if (!in_bands_) return label_stages::measure(s, source_.image.size, features, label, table);
  u32 started = 0;
  each_block(k, [&](i64 begin, i64 end) {
    measure_bands(s, {begin, end}, source_.image.size.rows(),
                  {label, table.components.data(), scratch_.emit[k].row_labels}, started);
  });
}

void strip_work::measure(const measure_options& features, feature_table& table) {
  std::vector<strip>& strips = scratch_.strips;
  const u32* const label = scratch_.label.data();

  number_guests_apart();
  const u64 rows = components_ + strips.size() * rows_between_threads;
  each_feature_group([&](auto group) { make_rows(table.*group.rows, group.is_wanted(features) ? rows : 0); });
  for (std::size_t k = 0; in_bands_ && k < strips.size(); ++k)
    scratch_.emit[k].row_labels.reserve_growing(strips[k].most_runs_of_row + room_of_labels);
  each_strip(stage::measure, [&](std::size_t k) { measure_strip(k, features, table); });
  join_guests(strips, label, table);
  each_feature_group([&](auto group) {
    if (group.is_wanted(features)) (table.*group.rows).resize(labels_);
  });
  settle();
}

// A label image that caches cannot hold is written past them: it would push out what is needed, and be read before it is
// written. But new pages are in the caches, cleared, when they are written.
bool strip_work::writes_past_caches(const mutable_image& out) const {
  return static_cast<i64>(dense_bytes(out)) >= on_.least_streamed_bytes && !is_new(out);
}

void strip_work::emit(const mutable_image& out) {
  const bool past_caches = writes_past_caches(out);
  const bool provides = !past_caches && dense_bytes(out) >= least_provided_bytes && is_dense(out) && is_new(out);
  for (std::size_t k = 0; k < scratch_.strips.size(); ++k) prepare_emit(scratch_.strips[k], out, scratch_.emit[k]);
  each_strip(stage::emit, [&](std::size_t k) {
    strip& s = scratch_.strips[k];
    scratch_.emit[k].past_caches = past_caches;
    each_block(k, [&](i64 begin, i64 end) {
      if (provides)
        provide_pages(static_cast<std::byte*>(out.data) + begin * out.strides.y,
                      static_cast<std::size_t>((end - begin) * out.strides.y));
      label_stages::emit(s, source_.joins_by_value(), begin, end, scratch_.label.data(), scratch_.emit[k], out);
    });
  });
}

void strip_work::reserve_runs(std::vector<labelled_run>& out) {
  stage_timer time(on_.clock, stage::emit, stage_timer::by::one_thread);
  time.run([&] {
    u64 runs = 0;
    for (const strip& s : scratch_.strips)
      for (i64 r = s.row_begin; r < s.row_end; ++r) runs += s.runs_of(r).count;
    out.clear();
    out.reserve(runs);
  });
}

void strip_work::emit_runs(std::vector<labelled_run>& out) {
  stage_timer time(on_.clock, stage::emit, stage_timer::by::one_thread);
  time.run([&] {
    for (const strip& s : scratch_.strips) {
      stop_point();
      label_stages::emit_runs(s, scratch_.label.data(), out);
    }
  });
}

}  // namespace skerry::label_stages
