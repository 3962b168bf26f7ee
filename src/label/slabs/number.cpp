// SPDX-License-Identifier: Apache-2.0
// Method  sets of the components at borders; of each set the component whose first pixel comes first. What does not touch a border
//         is numbered by counting.
#include "label/slabs/number.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/sort_by_key.hpp"
#include "skerry/error.hpp"

namespace skerry::label_stages {

void keep_uniting(std::vector<touching_labels>& pairs, component_sets& sets) {
  sets.clear();
  std::erase_if(pairs, [&](const touching_labels& pair) { return !sets.unite({0, pair.before}, {1, pair.here}); });
}

void slab_numbering::begin(std::span<const slab_findings> slabs) {
  slabs_ = slabs;
  sets_.clear();
  given_up_.resize(slabs.size());
  for (auto& each : given_up_) each.clear();
  is_joined_.assign(slabs.size() - 1, false);
  has_come_.assign(slabs.size(), false);
  before_.assign(slabs.size() + 1, 0);
  selected_.clear();
  inbox_ = read_ = {};
  is_uniting_.clear();  // it may have failed
  joined_ = 0;
  numbered_ = 0;
  count_ = 0;
}

// ---- while slabs are on their way -----------------------------------------------------------------

void slab_numbering::unite(std::size_t border, std::vector<touching_labels>& pairs) {
  const std::lock_guard alone(inbox_lock_);
  inbox_.borders.push_back({border, std::move(pairs)});
  pairs.clear();
  if (spare_.empty()) return;
  pairs = std::move(spare_.back());
  spare_.pop_back();
}

void slab_numbering::arrive(std::size_t slab) {
  const std::lock_guard alone(inbox_lock_);
  inbox_.slabs.push_back(slab);
}

std::size_t slab_numbering::number_final() {
  if (is_uniting_.test_and_set(std::memory_order_acquire)) return numbered_;
  read_messages();
  is_uniting_.clear(std::memory_order_release);
  return numbered_;
}

void slab_numbering::read_messages() {
  constexpr std::size_t most = 1 << 14;  // of many pairs most are of the same few components
  for (;;) {
    {
      const std::lock_guard sealed(inbox_lock_);
      for (auto& [border, pairs] : read_.borders) spare_.push_back(std::move(pairs));
      read_.borders.clear();
      read_.slabs.clear();
      std::swap(read_, inbox_);
    }
    if (read_.none()) return;
    for (const auto& [border, pairs] : read_.borders) {
      for (const std::size_t slab : {border, border + 1}) sets_.expect(slab, std::min(pairs.size(), most));
      for (const touching_labels& pair : pairs) sets_.unite({border, pair.before - 1}, {border + 1, pair.here - 1});
      is_joined_[border] = true;
    }
    while (joined_ < is_joined_.size() && is_joined_[joined_]) ++joined_;
    for (const std::size_t slab : read_.slabs) has_come_[slab] = true;
    for (const std::size_t end = final_slabs(); numbered_ < end && has_come_[numbered_];) number_next();
  }
}

// How many slabs have final labels. Only sets that have a component of the last joined slab can still be united with others, and only
// with each other: the one that begins first keeps its label in any case.
std::size_t slab_numbering::final_slabs() {
  if (joined_ + 1 == slabs_.size()) return slabs_.size();
  u64 first = ~u64{0}, second = ~u64{0};
  for (const u32 number : sets_.members(joined_)) {
    const u64 owner = sets_.first_of(number);
    if (owner == first) continue;
    second = std::min(second, std::max(first, owner));
    first = std::min(first, owner);
  }
  return std::min(joined_, slab_component(second).slab());
}

void slab_numbering::number_next() {
  const std::size_t slab = numbered_;
  std::vector<given_up_component>& parts = given_up_[slab];
  for (const u32 number : sets_.members(slab)) {
    const slab_component part(sets_.key_of(number));
    if (const u64 first = sets_.first_of(number); first != part.key) parts.push_back({part.component(), first});
  }
  sort_by_key(parts, sorted_, [](const given_up_component& part) { return part.component; });
  before_[slab + 1] = before_[slab] + slabs_[slab].count - parts.size();
  numbered_ = slab + 1;
}

// ---- then -----------------------------------------------------------------------------------------

void slab_numbering::finish() {
  read_messages();
  count_ = before_.back();
  if (count_ > UINT32_MAX)
    throw invalid_argument("image: " + std::to_string(count_) + " components are more than 2^32 - 1");
}

std::size_t slab_numbering::bytes() const {
  std::size_t sum = sets_.bytes() + before_.capacity() * sizeof(u64) + selected_.capacity() * sizeof(u32) +
                    sorted_.capacity() * sizeof(given_up_component);
  for (const auto& each : given_up_) sum += each.capacity() * sizeof(given_up_component);
  for (const auto& each : spare_) sum += each.capacity() * sizeof(touching_labels);
  return sum;
}

u32 slab_numbering::label_of(slab_component one) const {
  const auto parts = given_up(one.slab());
  const auto next = first_not_before(parts, one.component());
  if (next != parts.end() && next->component == one.component()) return label_of(slab_component(next->owner));
  return static_cast<u32>(before_[one.slab()] + one.component() + 1 - static_cast<u64>(next - parts.begin()));
}

u64 slab_numbering::select(const selection& keep, const extent& whole, feature_table& table) {
  std::vector<u32> order;
  count_ = choose(keep, {whole, {}}, table.components, selected_, order);
  keep_chosen(selected_, count_, table);
  return count_;
}

slab_labels slab_numbering::labels_of(std::size_t slab) const {
  slab_labels labels;
  const std::vector<given_up_component>& parts = given_up_[slab];
  labels.given_up.reserve(parts.size());
  labels.label.reserve(parts.size());
  const auto give_up = [&](u32 component, u32 label) {
    labels.given_up.push_back(component);
    labels.label.push_back(label);
  };
  if (selected_.empty()) {
    labels.base = static_cast<u32>(before_[slab]);
    for (const given_up_component& part : parts) give_up(part.component, label_of(slab_component(part.owner)));
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
