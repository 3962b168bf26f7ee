// SPDX-License-Identifier: Apache-2.0
// Labels of a turned image in the raster order of the image itself: each component's first pixel there is the first pixel of
// one of its runs, a bit in a map of the image, and the bits up to it are its label.
#include <algorithm>
#include <bit>

#include "core/feature_groups.hpp"
#include "engine/stop.hpp"
#include "label/cpu/bands/bands.hpp"
#include "label/cpu/strips/strips.hpp"

namespace skerry::label_stages {
namespace {

// Calls visit(run of the strip, rows below r, first pixel) for each run of row r, or of the band that begins there, by its bits.
template <class Visit>
void each_run_of_bits(strip& s, i64 rows, i64 r, Visit visit) {
  const row_runs runs = s.runs_of(r);
  const u64* const row = s.bits.row(r);
  const u64* const other = other_row_of_band(s, rows, r);
  s.numbers.reserve_growing(u64{runs.count} + spare_numbers_of_band);
  u32* const numbers = s.numbers.data();
  if (other != nullptr) number_from_left(s, runs, numbers);
  u64 before = 0;
  for (i64 word = 0, left = 0; word < s.bits.words_per_row(); ++word) {
    const u64 columns = other != nullptr ? row[word] | other[word] : row[word];
    for (u64 starts = columns & ~(columns << 1 | before); starts != 0; starts &= starts - 1, ++left) {
      const int bit = std::countr_zero(starts);
      visit(runs.first + (other != nullptr ? numbers[left] : static_cast<u32>(left)),
            (row[word] >> bit & 1) != 0 ? 0 : 1, 64 * word + bit);
    }
    before = columns >> 63;
  }
}

// The same for runs whose edges were kept.
template <class Visit>
void each_run_of_edges(const strip& s, i64 r, Visit visit) {
  const row_runs runs = s.runs_of(r);
  for (u64 i = runs.first; i < runs.end(); ++i) visit(i, 0, static_cast<i64>(s.edges.at(2 * i)));
}

// Rows in the order of their new labels. `room` keeps its memory for the next time.
void move_rows(const std::vector<u32>& renumbered, feature_table& table, feature_table& room) {
  each_feature_group([&](auto group) {
    auto& rows = table.*group.rows;
    auto& moved = room.*group.rows;
    moved.clear();
    moved.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      stop_point(i);
      moved[renumbered[i] - 1] = rows[i];
    }
    rows.swap(moved);
  });
}

}  // namespace

// Of each component, guests apart. A row that repeats an earlier one has nothing new: its pixels are later ones.
void strip_work::find_first_pixels(std::size_t k, const axis_order::places& place) {
  strip& s = scratch_.strips[k];
  u64* const first = scratch_.first_pixels.data() + s.first_component;
  std::fill_n(first, s.components, ~u64{0});
  const i64 height = source_.image.size.height, rows = source_.image.size.rows();
  i64 place_of_row = 0;
  const auto visit = [&](u64 run, i64 below, i64 x) {
    u64& of_component = first[s.component[run]];
    of_component = std::min(of_component, static_cast<u64>(place_of_row + below * place.y + x * place.x));
  };
  const i64 step = in_bands_ ? rows_of_band : 1;
  u32 known = 0;
  const auto each_new_row = [&](i64 begin, i64 end, auto visit_row) {
    for (i64 r = begin; r < end; r += step) {
      place_of_row = r / height * place.z + r % height * place.y;
      if (s.runs_of(r).end() > known) visit_row(r);
      known = std::max(known, s.runs_of(r).end());
    }
  };
  if (s.edges.kept == run_edges::form::none) {
    each_block(
        k, [&](i64 begin, i64 end) { each_new_row(begin, end, [&](i64 r) { each_run_of_bits(s, rows, r, visit); }); });
    return;
  }
  each_new_row(s.row_begin, s.row_end, [&](i64 r) {
    stop_point();
    each_run_of_edges(s, r, visit);
  });
}

// Makes first pixels of components those of their sets, and marks them.
void strip_work::mark_first_pixels(i64 pixels) {
  std::vector<u64>& first = scratch_.first_pixels;
  const auto each_guest = [&](auto visit) {
    for (const strip& s : scratch_.strips)
      for (const strip::guest& guest : s.guests) visit(first[guest.component], first[guest.root]);
  };
  each_guest([](u64 of_guest, u64& of_root) { of_root = std::min(of_root, of_guest); });
  each_guest([](u64& of_guest, u64 of_root) { of_guest = of_root; });

  std::vector<u64>& bits = scratch_.first_bits;
  bits.assign(static_cast<std::size_t>(pixels / 64 + 1), 0);
  for (u64 c = 0; c < components_; ++c) {
    stop_point(c);
    bits[first[c] / 64] |= u64{1} << first[c] % 64;
  }
  std::vector<u32>& before = scratch_.bits_before;
  before.resize(bits.size());
  u32 sum = 0;
  for (std::size_t word = 0; word < bits.size(); ++word) {
    before[word] = sum;
    sum += static_cast<u32>(std::popcount(bits[word]));
  }
}

u32 strip_work::label_in_image(u64 component) const {
  const u64 place = scratch_.first_pixels[component], up_to = ~u64{0} >> (63 - place % 64);
  return scratch_.bits_before[place / 64] + static_cast<u32>(std::popcount(scratch_.first_bits[place / 64] & up_to));
}

void strip_work::renumber(const axis_order& order, const extent& size, feature_table* table) {
  const axis_order::places place = order.places_in(size);
  scratch_.first_pixels.resize(components_);
  each_strip(stage::resolve, [&](std::size_t k) { find_first_pixels(k, place); });
  {
    stage_timer time(on_.clock, stage::resolve, stage_timer::by::one_thread);
    time.run([&] { mark_first_pixels(size.pixels()); });
  }
  u32* const label = scratch_.label.data();
  if (table == nullptr) {
    each_strip(stage::resolve, [&](std::size_t k) {
      const strip& s = scratch_.strips[k];
      for (u64 c = s.first_component; c < s.first_component + s.components; ++c) label[c] = label_in_image(c);
    });
    return;
  }
  stage_timer time(on_.clock, stage::resolve, stage_timer::by::one_thread);
  time.run([&] {
    std::vector<u32>& renumbered = scratch_.renumbered;
    renumbered.resize(labels_);
    for (u64 c = 0; c < components_; ++c) {
      stop_point(c);
      label[c] = renumbered[label[c] - 1] = label_in_image(c);
    }
    move_rows(renumbered, *table, scratch_.moved);
    order.turn_back(*table);
  });
}

}  // namespace skerry::label_stages
