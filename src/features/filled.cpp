// SPDX-License-Identifier: Apache-2.0
// Group "filled": holes of a region, from its runs. What is not the region is connected by corners; a piece of it that does not
// reach the outside is a hole, whatever other regions lie in it. This is scikit-image's image_filled.
//
// Gaps between runs that touch are united; regions/region_gaps.hpp says which do. The CUDA engine counts holes itself.
#include <algorithm>
#include <numeric>

#include "core/union_find.hpp"
#include "features/groups.hpp"
#include "features/region_lists.hpp"
#include "regions/region_gaps.hpp"

namespace skerry::features {
namespace {

using regions::region_gaps;
using regions::region_holes;

// The runs of one row of a region: stretches [first, end) of its list.
struct run_row {
  i64 row;
  std::size_t first, end;
};

class hole_finder {
 public:
  hole_finder(std::span<const row_stretch> runs, const extent& size)
      : runs_(runs), size_(size), gaps_{runs.data(), 0, runs.size()}, parents_(runs.size()) {
    std::iota(parents_.begin(), parents_.end(), u64{0});
    for (std::size_t k = 0; k < runs.size(); ++k) {
      if (rows_.empty() || rows_.back().row != runs[k].row) rows_.push_back({runs[k].row, k, k});
      ++rows_.back().end;
    }
  }

  region_holes holes() {
    if (rows_.size() == runs_.size()) return {};  // no gaps
    for (const run_row& row : rows_)
      if (row.end - row.first > 1) regions::each_row_around(row.row, size_, [&](i64 other) { join_gaps(row, other); });
    region_holes found;
    for (const run_row& row : rows_)
      for (std::size_t k = row.first + 1; k < row.end; ++k) {
        const u64 set = sets().find(k);
        if (set == gaps_.first) continue;
        found.pixels += gaps_.pixels(k);
        if (set == k) ++found.holes;
      }
    return found;
  }

 private:
  [[nodiscard]] union_find<u64, sharing::one_thread> sets() {
    return union_find<u64, sharing::one_thread>(parents_.data());
  }

  [[nodiscard]] const run_row* row_at(i64 wanted) const {
    const auto at = std::lower_bound(rows_.begin(), rows_.end(), wanted,
                                     [](const run_row& row, i64 number) { return row.row < number; });
    return at != rows_.end() && at->row == wanted ? &*at : nullptr;
  }

  // Joins the gaps of a row to what they touch in a neighbouring row; both ascend.
  void join_gaps(const run_row& row, i64 neighbour) {
    const run_row* const other = row_at(neighbour);
    std::size_t next = other != nullptr ? other->first : 0;
    for (std::size_t k = row.first + 1; k < row.end; ++k) {
      if (other == nullptr) {
        sets().unite(k, gaps_.first);
        continue;
      }
      while (next < other->end && runs_[next].begin < runs_[k - 1].end) ++next;
      gaps_.join(k, neighbour, next, [&](u64 a, u64 b) { sets().unite(a, b); });
    }
  }

  std::span<const row_stretch> runs_;
  extent size_;
  region_gaps gaps_;
  std::vector<run_row> rows_;
  std::vector<u64> parents_;  // of gaps
};

class filled_sums final : public feature_sums {
 public:
  explicit filled_sums(const region_frame& frame) : height_(frame.size.height), lists_(frame.count()) {}
  explicit filled_sums(std::vector<region_holes> found) : height_(0), lists_(0), rows_(std::move(found)) {}

  void add(const image_row& row) override {
    const i64 number = row.z * height_ + row.y;
    for (const region_run& run : row.runs)
      lists_.add(run.region, {number, static_cast<i32>(run.begin), static_cast<i32>(run.end)});
  }

  [[nodiscard]] std::size_t bytes() const override { return lists_.bytes(); }

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

  [[nodiscard]] const region_holes& of(std::size_t row) const { return rows_[row]; }

 private:
  i64 height_;
  region_lists lists_;
  std::vector<region_holes> rows_;
};

const region_holes& holes_at(const column_source& from, std::size_t row) {
  return static_cast<const filled_sums&>(*from.sums).of(row);
}

double area_filled(const column_source& from, std::size_t row, int) {
  return static_cast<double>(from.frame.region(row).area + holes_at(from, row).pixels) * from.frame.pixel();
}

i64 number_of_holes(const column_source& from, std::size_t row, int) {
  return static_cast<i64>(holes_at(from, row).holes);
}

constexpr feature_column filled_columns[] = {
    {"area_filled", area_filled, column_shape::single, needs_many_axes},
    {"number_of_holes", number_of_holes, column_shape::single, needs_many_axes},
};

std::unique_ptr<feature_sums> start_filleds(const region_frame& frame) { return std::make_unique<filled_sums>(frame); }

std::unique_ptr<feature_sums> filleds_of_holes(const std::vector<region_holes>& found) {
  return std::make_unique<filled_sums>(found);
}

}  // namespace

const feature_group filled_group = {
    .name = "filled", .columns = filled_columns, .start = start_filleds, .of_holes = filleds_of_holes};

}  // namespace skerry::features
