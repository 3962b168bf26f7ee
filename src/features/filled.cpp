// SPDX-License-Identifier: Apache-2.0
// Group "filled": holes of a region, from its runs. What is not the region is connected by corners; a piece of it that does not
// reach the outside is a hole, whatever other regions lie in it. This is scikit-image's image_filled.
//
// A gap is what lies between two runs of a row. Gaps of neighbouring rows that touch are joined; a gap that touches what lies
// before the first run or behind the last run of a neighbouring row, or a row without runs, is joined to the outside.
#include <algorithm>
#include <numeric>

#include "core/union_find.hpp"
#include "features/groups.hpp"
#include "features/region_lists.hpp"

namespace skerry::features {
namespace {

struct filled_row {
  u64 hole_pixels = 0;
  u64 holes = 0;
};

// The runs of one row of a region: stretches [first, end) of its list.
struct run_row {
  i64 row;
  std::size_t first, end;
};

class hole_finder {
 public:
  hole_finder(std::span<const row_stretch> runs, const extent& size) : runs_(runs), size_(size), parents_(runs.size()) {
    std::iota(parents_.begin(), parents_.end(), u64{0});
    for (std::size_t k = 0; k < runs.size(); ++k) {
      if (rows_.empty() || rows_.back().row != runs[k].row) rows_.push_back({runs[k].row, k, k});
      ++rows_.back().end;
    }
  }

  filled_row holes() {
    if (rows_.size() == runs_.size()) return {};  // no gaps
    for (const run_row& row : rows_) join_to_neighbours(row);
    filled_row found;
    for (const run_row& row : rows_)
      for (std::size_t k = row.first + 1; k < row.end; ++k) {
        const u64 set = sets().find(k);
        if (set == 0) continue;
        found.hole_pixels += static_cast<u64>(runs_[k].begin - runs_[k - 1].end);
        if (set == k) ++found.holes;
      }
    return found;
  }

 private:
  [[nodiscard]] union_find<u64, sharing::one_thread> sets() {
    return union_find<u64, sharing::one_thread>(parents_.data());
  }

  [[nodiscard]] const run_row* row_at(i64 z, i64 y) const {
    const i64 wanted = z * size_.height + y;
    if (z < 0 || z >= size_.depth || y < 0 || y >= size_.height) return nullptr;
    const auto at = std::lower_bound(rows_.begin(), rows_.end(), wanted,
                                     [](const run_row& row, i64 number) { return row.row < number; });
    return at != rows_.end() && at->row == wanted ? &*at : nullptr;
  }

  void join_to_neighbours(const run_row& row) {
    if (row.end - row.first < 2) return;
    const i64 z = row.row / size_.height, y = row.row % size_.height;
    const i64 reach = size_.rank == 3 ? 1 : 0;
    for (i64 dz = -reach; dz <= reach; ++dz)
      for (i64 dy = -1; dy <= 1; ++dy)
        if (dz != 0 || dy != 0) join_gaps(row, row_at(z + dz, y + dy));
  }

  // Joins the gaps of a row to what they touch in a neighbouring row; both ascend.
  void join_gaps(const run_row& row, const run_row* other) {
    std::size_t from = other != nullptr ? other->first : 0;
    for (std::size_t k = row.first + 1; k < row.end; ++k) {
      if (other == nullptr) {
        sets().unite(k, 0);
        continue;
      }
      const i64 begin = runs_[k - 1].end, end = runs_[k].begin;  // of the gap
      // The gap before stretch j touches this one if it begins at `end` or before, and ends at `begin` or behind.
      while (from < other->end && runs_[from].begin < begin) ++from;
      for (std::size_t j = from; j <= other->end; ++j) {
        if (j > other->first && runs_[j - 1].end > end) break;
        sets().unite(k, j == other->first || j == other->end ? 0 : j);
      }
    }
  }

  std::span<const row_stretch> runs_;
  extent size_;
  std::vector<run_row> rows_;
  std::vector<u64>
      parents_;  // of gaps: 0 is the outside, and gap k lies before stretch k, if that is not the first of its row
};

class filled_sums final : public feature_sums {
 public:
  explicit filled_sums(const region_frame& frame) : height_(frame.size.height), lists_(frame.count()) {}

  void add(const image_row& row) override {
    const i64 number = row.z * height_ + row.y;
    for (const region_run& run : row.runs)
      lists_.add(run.region, {number, static_cast<i32>(run.begin), static_cast<i32>(run.end)});
  }

  void join(feature_sums& later) override { lists_.join(static_cast<filled_sums&>(later).lists_); }

  void prepare(const region_frame& frame) override {
    lists_.sort();
    rows_.resize(frame.count());
  }

  void finish(const region_frame& frame, std::size_t index) override {
    rows_[index] = hole_finder(lists_.of(index), frame.size).holes();
  }

  void store(stored_sums& to, const block_origin& block) override { lists_.store(to, block, false); }
  void restore(const stored_sums& from) override { lists_.restore(from); }

  [[nodiscard]] const filled_row& of(std::size_t row) const { return rows_[row]; }

 private:
  i64 height_;
  region_lists lists_;
  std::vector<filled_row> rows_;
};

const filled_row& filled_at(const column_source& from, std::size_t row) {
  return static_cast<const filled_sums&>(*from.sums).of(row);
}

double area_filled(const column_source& from, std::size_t row, int) {
  return static_cast<double>(from.frame.region(row).area + filled_at(from, row).hole_pixels) * from.frame.pixel();
}

i64 number_of_holes(const column_source& from, std::size_t row, int) {
  return static_cast<i64>(filled_at(from, row).holes);
}

constexpr feature_column filled_columns[] = {
    {"area_filled", area_filled, column_shape::single, needs_many_axes},
    {"number_of_holes", number_of_holes, column_shape::single, needs_many_axes},
};

std::unique_ptr<feature_sums> start_filleds(const region_frame& frame) { return std::make_unique<filled_sums>(frame); }

}  // namespace

const feature_group filled_group = {.name = "filled", .columns = filled_columns, .start = start_filleds};

}  // namespace skerry::features
