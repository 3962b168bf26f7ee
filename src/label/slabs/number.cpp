// SPDX-License-Identifier: Apache-2.0
// Method  sets of the components at borders, by their first pixels. What does not touch a border is numbered by counting.
#include "label/slabs/number.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "core/feature_groups.hpp"
#include "core/union_find.hpp"
#include "engine/stop.hpp"
#include "skerry/error.hpp"

namespace skerry::label_stages {
namespace {

// Numbers keys as they come. Open addressing: one line of memory for nearly every key.
class key_numbers {
 public:
  explicit key_numbers(std::size_t most) : slots_(std::bit_ceil(2 * most + 2), slot{~u64{0}, 0}) {
    keys_.reserve(most);
  }

  u32 of(u64 key) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = (key * 0x9e3779b97f4a7c15U >> 20) & mask;; at = (at + 1) & mask) {
      slot& here = slots_[at];
      if (here.key == key) return here.number;
      if (here.key != ~u64{0}) continue;
      here = {key, static_cast<u32>(keys_.size())};
      keys_.push_back(key);
      return here.number;
    }
  }
  [[nodiscard]] const std::vector<u64>& keys() const { return keys_; }

 private:
  struct slot {
    u64 key;
    u32 number;
  };
  std::vector<slot> slots_;
  std::vector<u64> keys_;
};

void join_groups(geometry& to, const geometry& from) { join<3>(to, from, join_alone()); }
void join_groups(second_moments& to, const second_moments& from) { join<3>(to, from, join_alone()); }
void join_groups(intensity& to, const intensity& from) { join(to, from, join_alone()); }
void join_groups(real_intensity& to, const real_intensity& from) { join(to, from, join_alone()); }

}  // namespace

slab_numbering::slab_numbering(std::span<const slab_findings> slabs)
    : slabs_(slabs), given_up_(slabs.size()), before_(slabs.size() + 1) {
  unite(slabs);
  for (std::size_t i = 0; i < slabs.size(); ++i) before_[i + 1] = before_[i] + slabs[i].count - given_up_[i].size();
  count_ = before_.back();
  if (count_ > UINT32_MAX)
    throw invalid_argument("image: " + std::to_string(count_) + " components are more than 2^32 - 1");
}

void slab_numbering::unite(std::span<const slab_findings> slabs) {
  std::size_t pairs = 0;
  for (const slab_findings& slab : slabs) pairs += slab.touching.size();
  key_numbers numbers(2 * pairs);
  std::vector<std::pair<u32, u32>> edges;
  edges.reserve(pairs);
  for (std::size_t i = 1; i < slabs.size(); ++i)
    for (const touching_labels& pair : slabs[i].touching)
      edges.emplace_back(numbers.of(slab_component(i - 1, pair.before - 1).key),
                         numbers.of(slab_component(i, pair.here - 1).key));

  // Sets of places in the order of first pixels: the root of each is its earliest member.
  std::vector<u64> keys = numbers.keys();
  std::sort(keys.begin(), keys.end());
  std::vector<u32> place(keys.size());
  for (u32 i = 0; i < keys.size(); ++i) place[numbers.of(keys[i])] = i;
  std::vector<u32> parent(keys.size());
  for (u32 i = 0; i < parent.size(); ++i) parent[i] = i;
  const union_find<u32, sharing::one_thread> sets(parent.data());
  for (const auto& [a, b] : edges) sets.unite(place[a], place[b]);
  for (u32 i = 0; i < keys.size(); ++i) {
    stop_point(i);
    const slab_component part(keys[i]);
    if (const u32 root = sets.find(i); root != i) given_up_[part.slab()].push_back({part.component(), keys[root]});
  }
}

u32 slab_numbering::label_of(slab_component one) const {
  const std::vector<given_up>& parts = given_up_[one.slab()];
  const auto next = std::lower_bound(parts.begin(), parts.end(), one.component(),
                                     [](const given_up& part, u32 component) { return part.component < component; });
  if (next != parts.end() && next->component == one.component()) return label_of(slab_component(next->owner));
  return static_cast<u32>(before_[one.slab()] + one.component() + 1 - static_cast<u64>(next - parts.begin()));
}

void slab_numbering::make_room(feature_table& table) const {
  each_feature_group([&](auto group) {
    const bool is_there = std::any_of(slabs_.begin(), slabs_.end(),
                                      [&](const slab_findings& slab) { return !(slab.rows.*group.rows).empty(); });
    (table.*group.rows).resize(is_there ? count_ : 0);
  });
}

void slab_numbering::place_rows(std::size_t slab, feature_table& table) const {
  const std::vector<given_up>& parts = given_up_[slab];
  each_feature_group([&](auto group) {
    const auto& from = slabs_[slab].rows.*group.rows;
    if (from.empty()) return;
    auto to = (table.*group.rows).begin() + static_cast<std::ptrdiff_t>(before_[slab]);
    std::size_t begin = 0;
    for (const given_up& part : parts) {
      to = std::copy(from.data() + begin, from.data() + part.component, to);
      begin = std::size_t{part.component} + 1;
    }
    std::copy(from.data() + begin, from.data() + from.size(), to);
  });
}

void slab_numbering::join_rows(feature_table& table) const {
  for (std::size_t i = 0; i < slabs_.size(); ++i)
    for (const given_up& part : given_up_[i]) {
      const std::size_t row = label_of(slab_component(part.owner)) - 1;
      each_feature_group([&](auto group) {
        const auto& from = slabs_[i].rows.*group.rows;
        if (!from.empty()) join_groups((table.*group.rows)[row], from[part.component]);
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
