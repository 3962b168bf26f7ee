// SPDX-License-Identifier: Apache-2.0
// Two pieces join where runs at their faces touch. What is left of the faces is what no block of either covers.
#include <algorithm>
#include <iterator>
#include <utility>

#include "blocks/check.hpp"
#include "blocks/value_rule.hpp"
#include "core/union_find.hpp"
#include "engine/image_checks.hpp"

namespace skerry {
namespace {

using namespace blocks;

// Calls visit(left, right) for each pair of runs that touch, of two lists in raster order, when those of the left are moved
// along x.
template <class Visit>
void each_touch_at(const neighbours& near, i64 shift, const std::vector<border_run>& left,
                   const std::vector<border_run>& right, Visit visit) {
  const i64 height = near.whole().height;
  near.each_row([&](i64 dz, i64 dy, i64 by) {
    std::size_t from = 0;
    i64 row_before = 0;
    for (const border_run& run : left) {
      const i64 row = near.row_at(run.row / height + dz, run.row % height + dy);
      const i64 begin = run.begin + shift - by, end = run.end + shift + by;
      if (row < 0) continue;
      if (row < row_before)  // rows are in order but where an axis wraps around
        from = static_cast<std::size_t>(
            std::partition_point(right.begin(), right.end(), [&](const border_run& other) { return other.row < row; }) -
            right.begin());
      row_before = row;
      while (from < right.size() && (right[from].row < row || (right[from].row == row && right[from].end <= begin)))
        ++from;
      for (std::size_t i = from; i < right.size() && right[i].row == row && right[i].begin < end; ++i)
        visit(run, right[i]);
    }
  });
}

template <class Visit>
void each_touch(const neighbours& near, const std::vector<border_run>& left, const std::vector<border_run>& right,
                Visit visit) {
  each_touch_at(near, 0, left, right, visit);
  if (!near.periodic().x) return;
  for (const i64 shift : {-near.whole().width, near.whole().width}) each_touch_at(near, shift, left, right, visit);
}

// Neighbours that the boxes hold are not missing any more.
void cover(const neighbours& near, const std::vector<box>& boxes, std::vector<border_run>& border) {
  if (border.empty() || boxes.empty()) return;
  box_coverage covering(boxes);
  const i64 height = near.whole().height;
  for (border_run& run : border)
    near.each_stretch({run.row / height, run.row % height, run.begin, run.end},
                      [&](const stretch& s) { run.uncovered -= covering.covered(s); });
}

template <class T, class Less>
std::vector<T> merged_lists(const std::vector<T>& a, const std::vector<T>& b, Less less) {
  std::vector<T> all;
  all.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all), less);
  return all;
}

bool earlier_alias(const alias& a, const alias& b) { return a.first < b.first; }
bool earlier_run(const border_run& a, const border_run& b) {
  return a.row != b.row ? a.row < b.row : a.begin < b.begin;
}

// The open components of both pieces in the order of first pixels, and how they become those of the joined piece.
class open_components {
 public:
  open_components(const piece::state& a, const piece::state& b) : all_(merged(a.open, b.open)) {
    place_of_a_ = places(a.open);
    place_of_b_ = places(b.open);
    parent_.resize(all_.size());
    for (std::size_t i = 0; i < parent_.size(); ++i) parent_[i] = i;
  }

  // Components i of a and j of b are one.
  void unite(u64 i, u64 j) { sets().unite(place_of_a_[i], place_of_b_[j]); }

  // Gives the joined piece its components: open where a run of the border, of both pieces, is left, else closed.
  void part(std::vector<border_run> border_of_a, std::vector<border_run> border_of_b, const piece::state& a,
            const piece::state& b, piece::state& to) {
    std::vector<u64> owner(all_.size());  // of each component; the first of its set
    for (std::size_t i = 0; i < owner.size(); ++i) owner[i] = sets().find(i);
    const auto move_to_owners = [&](std::vector<border_run>& border, const std::vector<u64>& place) {
      std::erase_if(border, [](const border_run& run) { return run.uncovered == 0; });
      for (border_run& run : border) run.component = owner[place[run.component]];
    };
    move_to_owners(border_of_a, place_of_a_);
    move_to_owners(border_of_b, place_of_b_);
    to.border = merged_lists(border_of_a, border_of_b, earlier_run);

    std::vector<u64> open_index(all_.size(), closed);
    for (const border_run& run : to.border) open_index[run.component] = open;
    component_list closing;
    place_rows(owner, open_index, to.open, closing);
    to.closed = merged(merged(a.closed, b.closed), closing);
    for (border_run& run : to.border) run.component = open_index[run.component];
    place_aliases(owner, open_index, a, b, to);
  }

 private:
  static constexpr u64 closed = ~u64{0}, open = closed - 1;

  [[nodiscard]] union_find<u64, sharing::one_thread> sets() {
    return union_find<u64, sharing::one_thread>(parent_.data());
  }
  [[nodiscard]] std::vector<u64> places(const component_list& part) const {
    std::vector<u64> place(part.size());
    for (std::size_t i = 0, at = 0; i < place.size(); ++i, ++at) {
      while (all_.first[at] != part.first[i]) ++at;
      place[i] = at;
    }
    return place;
  }
  // Rows of one component are joined; `open_index` becomes the index among the open ones.
  void place_rows(const std::vector<u64>& owner, std::vector<u64>& open_index, component_list& still_open,
                  component_list& closing) {
    for (std::size_t i = 0; i < owner.size(); ++i)
      if (owner[i] != i) all_.join_row(owner[i], all_, i);
    for (std::size_t i = 0; i < owner.size(); ++i) {
      if (owner[i] != i) continue;
      if (open_index[i] == closed) {
        closing.add(all_, i);
      } else {
        open_index[i] = still_open.size();
        still_open.add(all_, i);
      }
    }
  }
  void place_aliases(const std::vector<u64>& owner, const std::vector<u64>& open_index, const piece::state& a,
                     const piece::state& b, piece::state& to) const {
    std::vector<alias> own, of_a = a.open_aliases, of_b = b.open_aliases, closing;
    for (std::size_t i = 0; i < owner.size(); ++i)
      if (owner[i] != i) own.push_back({all_.first[i], owner[i]});
    for (alias& known : of_a) known.owner = owner[place_of_a_[known.owner]];
    for (alias& known : of_b) known.owner = owner[place_of_b_[known.owner]];
    for (const alias& known : merged_lists(merged_lists(of_a, of_b, earlier_alias), own, earlier_alias)) {
      const u64 index = open_index[known.owner];
      if (index == closed) closing.push_back({known.first, all_.first[known.owner]});
      else to.open_aliases.push_back({known.first, index});
    }
    to.closed_aliases =
        merged_lists(merged_lists(a.closed_aliases, b.closed_aliases, earlier_alias), closing, earlier_alias);
  }

  component_list all_;
  std::vector<u64> place_of_a_, place_of_b_;  // of their components in all_
  std::vector<u64> parent_;
};

}  // namespace

piece join(const piece& a, const piece& b) {
  constexpr const char* different =
      "were labelled with different connectivity, foreground, joining, pixel type or features";
  return join_blocks(a, b, different, [](const piece_state& left, const piece_state& right, piece_state& to) {
    const neighbours near(to.whole, to.asked.connectivity, to.asked.periodic());
    const value_rule rule(to.asked);
    open_components components(left, right);
    each_touch(near, left.border, right.border, [&](const border_run& i, const border_run& j) {
      if (rule.join(i.value, j.value)) components.unite(i.component, j.component);
    });
    std::vector<border_run> border_of_a = left.border, border_of_b = right.border;
    cover(near, right.boxes, border_of_a);
    cover(near, left.boxes, border_of_b);
    components.part(std::move(border_of_a), std::move(border_of_b), left, right, to);
  });
}

}  // namespace skerry
