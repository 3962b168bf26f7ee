// SPDX-License-Identifier: Apache-2.0
// Labels of a turned image in the raster order of the image itself: each component's first pixel there is the first pixel of
// one of its runs, a bit in a map of the image, and the bits before it are its label.
#include <bit>

#include "core/feature_groups.hpp"
#include "label/cpu/strips.hpp"

namespace skerry::label_stages {
namespace {

// Calls visit(component of all strips, row, first pixel) for each run; a row that repeats an earlier one has nothing new.
template <class Visit>
void each_run_once(const std::vector<strip>& strips, Visit visit) {
  for (const strip& s : strips) {
    const bool short_form = s.edges.kept == run_edges::form::short_form;
    u32 known = 0;
    for (i64 r = s.row_begin; r < s.row_end; ++r) {
      stop_point();
      const row_runs runs = s.runs_of(r);
      for (u32 i = std::max(runs.first, known); i < runs.end(); ++i)
        visit(s.first_component + s.component[i], r,
              short_form ? i64{s.edges.short_edges[std::size_t{2} * i]} : i64{s.edges.long_edges[std::size_t{2} * i]});
      known = std::max(known, runs.end());
    }
  }
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

void strip_work::renumber(const axis_order& order, const extent& size, feature_table* table) {
  stage_timer time(on_.clock, stage::resolve, stage_timer::by::one_thread);
  time.run([&] {
    const axis_order::places place = order.places_in(size);
    const i64 height = source_.image.size.height;
    std::vector<u64>& first = scratch_.first_pixels;
    first.assign(labels_, ~u64{0});
    each_run_once(scratch_.strips, [&](u64 component, i64 row, i64 x) {
      u64& of_label = first[scratch_.label[component] - 1];
      of_label = std::min(of_label, static_cast<u64>(row / height * place.z + row % height * place.y + x * place.x));
    });

    std::vector<u64>& bits = scratch_.first_bits;
    bits.assign(static_cast<std::size_t>(size.pixels() / 64 + 1), 0);
    for (std::size_t i = 0; i < first.size(); ++i) {
      stop_point(i);
      bits[first[i] / 64] |= u64{1} << first[i] % 64;
    }
    std::vector<u32>& before = scratch_.bits_before;
    before.resize(bits.size());
    u32 sum = 0;
    for (std::size_t word = 0; word < bits.size(); ++word) {
      before[word] = sum;
      sum += static_cast<u32>(std::popcount(bits[word]));
    }

    std::vector<u32>& renumbered = scratch_.renumbered;
    renumbered.resize(labels_);
    for (std::size_t i = 0; i < renumbered.size(); ++i) {
      stop_point(i);
      const u64 word = first[i] / 64, mask = (u64{1} << first[i] % 64) - 1;
      renumbered[i] = before[word] + static_cast<u32>(std::popcount(bits[word] & mask)) + 1;
    }
    for (u64 c = 0; c < components_; ++c) {
      stop_point(c);
      scratch_.label[c] = renumbered[scratch_.label[c] - 1];
    }
    if (table == nullptr) return;
    move_rows(renumbered, *table, scratch_.moved);
    order.turn_back(*table);
  });
}

}  // namespace skerry::label_stages
