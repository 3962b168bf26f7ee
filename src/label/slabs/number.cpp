// SPDX-License-Identifier: Apache-2.0
// Method  sets of the components at borders; of each set the component whose first pixel comes first. What does not touch a border
//         is numbered by counting.
#include "label/slabs/number.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "core/feature_groups.hpp"
#include "core/moved_rows.hpp"
#include "skerry/error.hpp"

namespace skerry::label_stages {
namespace {

void join_groups(geometry& to, const geometry& from) { join<3>(to, from, join_alone()); }
void join_groups(second_moments& to, const second_moments& from) { join<3>(to, from, join_alone()); }
void join_groups(intensity& to, const intensity& from) { join(to, from, join_alone()); }
void join_groups(real_intensity& to, const real_intensity& from) { join(to, from, join_alone()); }

template <class Row>
const Row* rows_of(const slab_findings& slab) {
  return std::get<const Row*>(slab.rows.groups);
}

constexpr u64 rows_of_piece = 1 << 14;

template <class Work>
void for_each_piece(std::size_t count, const Work& work) {
#ifndef __SANITIZE_THREAD__  // which cannot see into libtbb
  if (count > 2) return tbb::parallel_for(std::size_t{0}, count, work);
#endif
  for (std::size_t i = 0; i < count; ++i) work(i);
}

}  // namespace

void keep_uniting(std::vector<touching_labels>& pairs) {
  component_sets sets;
  std::erase_if(pairs, [&](const touching_labels& pair) { return !sets.unite({0, pair.before}, {1, pair.here}); });
}

void slab_unions::add(std::size_t border, std::span<const touching_labels> pairs) {
  const std::lock_guard alone(lock_);
  for (const touching_labels& pair : pairs) sets_.unite({border, pair.before - 1}, {border + 1, pair.here - 1});
}

slab_numbering::slab_numbering(std::span<const slab_findings> slabs, slab_unions& unions)
    : slabs_(slabs), given_up_(slabs.size()), before_(slabs.size() + 1) {
  give_up(unions.sets_);
  for (std::size_t i = 0; i < slabs.size(); ++i) before_[i + 1] = before_[i] + slabs[i].count - given_up_[i].size();
  count_ = before_.back();
  if (count_ > UINT32_MAX)
    throw invalid_argument("image: " + std::to_string(count_) + " components are more than 2^32 - 1");
}

void slab_numbering::give_up(component_sets& sets) {
  const std::vector<u64>& keys = sets.keys();
  std::vector<u64> owner(keys.size(), ~u64{0});  // of each root: the component of its set that comes first
  for (u32 i = 0; i < keys.size(); ++i) {
    u64& first = owner[sets.root_of(i)];
    first = std::min(first, keys[i]);
  }
  for (u32 i = 0; i < keys.size(); ++i) {
    const slab_component part(keys[i]);
    if (const u64 first = owner[sets.root_of(i)]; first != part.key)
      given_up_[part.slab()].push_back({part.component(), first});
  }
  for_each_piece(given_up_.size(), [&](std::size_t slab) {
    std::sort(given_up_[slab].begin(), given_up_[slab].end(),
              [](const given_up& a, const given_up& b) { return a.component < b.component; });
  });
}

u32 slab_numbering::label_of(slab_component one) const {
  const std::vector<given_up>& parts = given_up_[one.slab()];
  const auto next = std::lower_bound(parts.begin(), parts.end(), one.component(),
                                     [](const given_up& part, u32 component) { return part.component < component; });
  if (next != parts.end() && next->component == one.component()) return label_of(slab_component(next->owner));
  return static_cast<u32>(before_[one.slab()] + one.component() + 1 - static_cast<u64>(next - parts.begin()));
}

void slab_numbering::make_table(feature_table& table) const {
  each_feature_group([&](auto group) {
    const bool is_there = std::any_of(slabs_.begin(), slabs_.end(), [&](const slab_findings& slab) {
      return rows_of<typename decltype(group)::row>(slab) != nullptr;
    });
    (table.*group.rows).resize(is_there ? count_ : 0);
  });
  std::vector<std::pair<std::size_t, u64>> pieces;  // slab, first component
  for (std::size_t slab = 0; slab < slabs_.size(); ++slab)
    for (u64 begin = 0; begin < slabs_[slab].count; begin += rows_of_piece) pieces.emplace_back(slab, begin);
  const auto place = [&](std::size_t i) {
    const auto& [slab, begin] = pieces[i];
    place_rows(slab, begin, std::min(slabs_[slab].count, begin + rows_of_piece), table);
  };
  for_each_piece(pieces.size(), place);
  join_rows(table);
}

// Those of components [begin, end) that begin in the slab.
void slab_numbering::place_rows(std::size_t slab, u64 begin, u64 end, feature_table& table) const {
  const std::vector<given_up>& parts = given_up_[slab];
  auto next = std::lower_bound(parts.begin(), parts.end(), begin,
                               [](const given_up& part, u64 component) { return part.component < component; });
  u64 to = before_[slab] + begin - static_cast<u64>(next - parts.begin());
  for (u64 from = begin; from < end; ++from) {
    if (next != parts.end() && next->component == from) {
      ++next;
      continue;
    }
    each_feature_group([&](auto group) {
      const auto* rows = rows_of<typename decltype(group)::row>(slabs_[slab]);
      if (rows != nullptr) (table.*group.rows)[to] = rows[from];
    });
    if (!table.moments.empty()) move(table.moments[to], table.components[to], slabs_[slab].rows.first);
    move(table.components[to++], slabs_[slab].rows.first);
  }
}

void slab_numbering::join_rows(feature_table& table) const {
  row_locks locks;
  for_each_piece(slabs_.size(), [&](std::size_t slab) { join_parts(slab, locks, table); });
}

// What a slab has given up, to the rows of the owners. Nearly all of it belongs to a few: it is joined before a lock is taken.
void slab_numbering::join_parts(std::size_t slab, row_locks& locks, feature_table& table) const {
  std::vector<given_up> parts = given_up_[slab];
  std::sort(parts.begin(), parts.end(), [](const given_up& a, const given_up& b) { return a.owner < b.owner; });
  for (auto begin = parts.begin(), end = begin; begin != parts.end(); begin = end) {
    end = std::find_if(begin, parts.end(), [&](const given_up& part) { return part.owner != begin->owner; });
    const auto joined = [&](const auto* rows) {
      auto all = rows[begin->component];
      for (auto part = begin + 1; part != end; ++part) join_groups(all, rows[part->component]);
      return all;
    };
    const std::size_t row = label_of(slab_component(begin->owner)) - 1;
    const geometry g = joined(rows_of<geometry>(slabs_[slab]));
    const std::lock_guard alone(locks[row % locks.size()]);
    each_feature_group([&]<class Group>(Group group) {
      const auto* rows = rows_of<typename Group::row>(slabs_[slab]);
      if (rows == nullptr) return;
      auto own = joined(rows);
      if constexpr (std::is_same_v<Group, moments_group>) move(own, g, slabs_[slab].rows.first);
      if constexpr (std::is_same_v<Group, geometry_group>) move(own, slabs_[slab].rows.first);
      join_groups((table.*group.rows)[row], own);
    });
  }
}

u64 slab_numbering::select(const selection& keep, const extent& whole, feature_table& table) {
  std::vector<u32> order;
  count_ = choose(keep, {whole, {}}, table.components, selected_, order);
  keep_chosen(selected_, count_, table);
  return count_;
}

slab_labels slab_numbering::labels_of(std::size_t slab) const {
  slab_labels labels;
  const std::vector<given_up>& parts = given_up_[slab];
  labels.given_up.reserve(parts.size());
  labels.label.reserve(parts.size());
  const auto give_up = [&](u32 component, u32 label) {
    labels.given_up.push_back(component);
    labels.label.push_back(label);
  };
  if (selected_.empty()) {
    labels.base = static_cast<u32>(before_[slab]);
    for (const given_up& part : parts) give_up(part.component, label_of(slab_component(part.owner)));
    return labels;
  }
  auto part = parts.begin();
  u64 row = before_[slab];
  bool found = false;
  for (u32 component = 0; component < slabs_[slab].count; ++component) {
    if (part != parts.end() && part->component == component) {
      give_up(component, selected_[label_of(slab_component(part->owner)) - 1]);
      ++part;
      continue;
    }
    const u32 label = selected_[row++];
    if (label == 0) give_up(component, 0);
    else if (!found) found = true, labels.base = label - 1;
  }
  return labels;
}

}  // namespace skerry::label_stages
