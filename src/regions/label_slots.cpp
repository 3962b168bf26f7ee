// SPDX-License-Identifier: Apache-2.0
#include "regions/label_slots.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/stop.hpp"
#include "skerry/error.hpp"

namespace skerry::regions {

label_slots::label_slots(u64 dense)
    : dense_(dense), room_(dense),
      small_(static_cast<u32*>(std::calloc(static_cast<std::size_t>(dense), sizeof(u32)))) {
  if (small_ == nullptr) throw out_of_memory("out of memory: a table of " + std::to_string(dense) + " labels");
}

void label_slots::forget() {
  forgotten_ += static_cast<u32>(labels_.size());
  reach_ = std::max(reach_, std::exchange(end_, 0));
  labels_.clear();
  ascend_ = true, looked_at_ = 0;
  large_.clear();
  large_count_ = 0;
}

void label_slots::forget(u64 dense, u64 most) {
  forget();
  if (dense > room_ || forgotten_ + most > none) {
    label_slots anew(dense);
    small_.swap(anew.small_);
    room_ = dense, reach_ = 0, forgotten_ = 0;
  }
  dense_ = dense;
}

u32 label_slots::add_small(label_bits label) {
  end_ = std::max(end_, label + 1);
  return forgotten_ + add(label) + 1;
}

u32 label_slots::add(label_bits label) {
  if (labels_.size() == none - 1) throw invalid_argument("labels: more than 2^32 - 2 different ones");
  labels_.push_back(label);
  return static_cast<u32>(labels_.size() - 1);
}

// Where a large label is, or the free place where it belongs.
std::size_t label_slots::place_of(label_bits label) const {
  const std::size_t mask = large_.size() - 1;
  const u64 mixed = label * 0x9e3779b97f4a7c15u;
  std::size_t place = static_cast<std::size_t>(mixed ^ mixed >> 32) & mask;
  while (large_[place] != 0 && labels_[large_[place] - 1] != label) place = (place + 1) & mask;
  return place;
}

void label_slots::rehash() {
  large_.assign(std::max<std::size_t>(16, 2 * large_.size()), 0);
  for (std::size_t slot = 0; slot < labels_.size(); ++slot)
    if (labels_[slot] >= dense_) large_[place_of(labels_[slot])] = static_cast<u32>(slot) + 1;
}

u32 label_slots::slot_of_large(label_bits label) {
  if (2 * (large_count_ + 1) > large_.size()) rehash();
  u32& slot = large_[place_of(label)];
  if (slot == 0) {
    slot = add(label) + 1;
    ++large_count_;
  }
  return slot - 1;
}

u32 label_slots::find_large(label_bits label) const { return large_.empty() ? none : large_[place_of(label)] - 1; }

void label_slots::look_at_order() {
  bool ascend = true;
  for (std::size_t slot = std::max<std::size_t>(looked_at_, 1); slot < labels_.size(); ++slot)
    ascend &= labels_[slot - 1] < labels_[slot];
  ascend_ = ascend_ && ascend;
  looked_at_ = labels_.size();
}

void label_slots::list_ascending(bool is_signed, std::vector<u32>& order) const {
  order.resize(labels_.size());
  const auto key = [&](u32 slot) { return order_of_label(labels_[slot], is_signed); };
  std::iota(order.begin(), order.end(), u32{0});
  if (std::is_sorted(order.begin(), order.end(), [&](u32 a, u32 b) { return key(a) < key(b); })) return;
  // Negative labels, small ones by a walk along their table, and those above.
  std::vector<u32> large;
  for (u32 slot = 0; slot < labels_.size(); ++slot)
    if (labels_[slot] >= dense_) large.push_back(slot);
  std::size_t compared = 0;
  std::sort(large.begin(), large.end(), with_stop_points(compared, [&](u32 a, u32 b) { return key(a) < key(b); }));
  const u64 zero = order_of_label(0, is_signed);
  const auto above = std::partition_point(large.begin(), large.end(), [&](u32 slot) { return key(slot) < zero; });
  auto to = std::copy(large.begin(), above, order.begin());
  for (label_bits label = 0; label < end_; ++label) {
    stop_point(label);
    if (const u32 slot = find(label); slot != none) *to++ = slot;
  }
  std::copy(above, large.end(), to);
}

std::size_t label_slots::bytes() const {
  return (std::max(reach_, end_) + large_.capacity()) * sizeof(u32) + labels_.capacity() * sizeof(label_bits);
}

}  // namespace skerry::regions
