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
#include "core/union_find.hpp"
#include "engine/stop.hpp"
#include "skerry/error.hpp"

namespace skerry::label_stages {
namespace {

// Numbers keys as they come. Open addressing in a table that is at most half full: the few keys that nearly all pairs have stay
// in the first cache.
class key_numbers {
 public:
  u32 of(u64 key) {
    if (2 * keys_.size() >= slots_.size()) grow();
    slot& here = place_of(key);
    if (here.key == key) return here.number;
    here = {key, static_cast<u32>(keys_.size())};
    keys_.push_back(key);
    return here.number;
  }
  [[nodiscard]] const std::vector<u64>& keys() const { return keys_; }

 private:
  static constexpr u64 nobody = ~u64{0};
  struct slot {
    u64 key = nobody;
    u32 number = 0;
  };

  slot& place_of(u64 key) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (key * 0x9e3779b97f4a7c15U >> 20) & mask;
    while (slots_[at].key != key && slots_[at].key != nobody) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(1024, 2 * slots_.size()), slot());
    for (u32 i = 0; i < keys_.size(); ++i) place_of(keys_[i]) = {keys_[i], i};
  }

  std::vector<slot> slots_;
  std::vector<u64> keys_;
};

// Sets of components that are numbered as they come.
class component_sets {
 public:
  // Returns whether they were two sets.
  bool unite(slab_component a, slab_component b) {
    const u32 one = number_of(a), other = number_of(b);
    if (sets().find(one) == sets().find(other)) return false;
    sets().unite(one, other);
    return true;
  }
  [[nodiscard]] const std::vector<u64>& keys() const { return numbers_.keys(); }
  [[nodiscard]] u32 root_of(u32 number) { return sets().find(number); }

 private:
  u32 number_of(slab_component part) {
    const u32 number = numbers_.of(part.key);
    if (number == parent_.size()) parent_.push_back(number);
    return number;
  }
  union_find<u32, sharing::one_thread> sets() { return union_find<u32, sharing::one_thread>(parent_.data()); }

  key_numbers numbers_;
  std::vector<u32> parent_;
};

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

slab_numbering::slab_numbering(std::span<const slab_findings> slabs)
    : slabs_(slabs), given_up_(slabs.size()), before_(slabs.size() + 1) {
  unite(slabs);
  for (std::size_t i = 0; i < slabs.size(); ++i) before_[i + 1] = before_[i] + slabs[i].count - given_up_[i].size();
  count_ = before_.back();
  if (count_ > UINT32_MAX)
    throw invalid_argument("image: " + std::to_string(count_) + " components are more than 2^32 - 1");
}

void slab_numbering::unite(std::span<const slab_findings> slabs) {
  component_sets sets;
  for (std::size_t i = 1; i < slabs.size(); ++i) {
    stop_point();
    for (const touching_labels& pair : slabs[i].touching) sets.unite({i - 1, pair.before - 1}, {i, pair.here - 1});
  }
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
  for (std::vector<given_up>& parts : given_up_)
    std::sort(parts.begin(), parts.end(),
              [](const given_up& a, const given_up& b) { return a.component < b.component; });
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
  for (std::size_t i = 0; i < slabs_.size(); ++i)
    for (const given_up& part : given_up_[i]) {
      const std::size_t row = label_of(slab_component(part.owner)) - 1;
      geometry g = rows_of<geometry>(slabs_[i])[part.component];
      each_feature_group([&]<class Group>(Group group) {
        const auto* rows = rows_of<typename Group::row>(slabs_[i]);
        if (rows == nullptr) return;
        auto own = rows[part.component];
        if constexpr (std::is_same_v<Group, moments_group>) move(own, g, slabs_[i].rows.first);
        if constexpr (std::is_same_v<Group, geometry_group>) move(own, slabs_[i].rows.first);
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
