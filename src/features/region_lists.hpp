// SPDX-License-Identifier: Apache-2.0
// Lists of stretches of rows, one for each region, gathered in raster order.
#pragma once
#include <span>
#include <vector>

#include "engine/stop.hpp"
#include "features/group.hpp"
#include "regions/region_runs.hpp"

namespace skerry::features {

using regions::row_stretch;

class region_lists {
 public:
  explicit region_lists(std::size_t regions) : last_(regions, none) {}

  [[nodiscard]] std::size_t bytes() const { return last_.size() * sizeof last_[0]; }

  // Appends a stretch to the list of a region.
  void add(u32 region, const row_stretch& stretch) {
    last_[region] = items_.size();
    items_.push_back({region, stretch});
  }
  // What was last appended to the list of a region, or null.
  [[nodiscard]] row_stretch* last(u32 region) {
    return last_[region] == none ? nullptr : &items_[last_[region]].stretch;
  }
  // Appends the lists of the rows that follow.
  void join(region_lists& later) {
    items_.insert(items_.end(), later.items_.begin(), later.items_.end());
    later.items_ = {};
  }
  // Brings the lists together: of() is right from then on.
  void sort() {
    begin_.assign(last_.size() + 1, 0);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      stop_point(i);
      ++begin_[items_[i].region + 1];
    }
    for (std::size_t region = 0; region < last_.size(); ++region) begin_[region + 1] += begin_[region];
    sorted_.resize(items_.size());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      stop_point(i);
      sorted_[next[items_[i].region]++] = items_[i].stretch;
    }
    items_ = {};
  }
  // For feature_sums::store() and restore(), before sort().
  void store(stored_sums& to, const block_origin& block, bool spans) const {
    const auto x = static_cast<i32>(block.x);
    to.spans = spans ? 1 : 0;
    to.stretches.reserve(items_.size());
    for (const auto& [region, stretch] : items_)
      to.stretches.push_back({block.row_in_whole(stretch.row), region, stretch.begin + x, stretch.end + x});
    settle(to.stretches, spans);
  }
  void restore(const stored_sums& from) {
    items_.reserve(from.stretches.size());
    for (const stored_stretch& each : from.stretches) items_.push_back({each.region, {each.row, each.begin, each.end}});
  }
  [[nodiscard]] std::span<const row_stretch> of(std::size_t region) const {
    return std::span(sorted_).subspan(begin_[region], begin_[region + 1] - begin_[region]);
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  struct item {
    u32 region;
    row_stretch stretch;
  };
  std::vector<std::size_t> last_;  // into items_
  std::vector<item> items_;
  std::vector<std::size_t> begin_;
  std::vector<row_stretch> sorted_;
};

}  // namespace skerry::features
