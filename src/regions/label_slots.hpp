// SPDX-License-Identifier: Apache-2.0
// Numbers labels in the order in which they are first met.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <vector>

#include "core/portable.hpp"
#include "skerry/regions.hpp"

namespace skerry::regions {

// Labels of signed types in the order of their numbers, as those of unsigned ones are.
[[nodiscard]] constexpr u64 order_of_label(label_bits label, bool is_signed) {
  return is_signed ? label ^ u64 { 1 } << 63 : label;
}

// Small labels have their slot in a table, of which only those pages are touched that hold labels; all others in a hash table.
class label_slots {
 public:
  static constexpr u32 none = std::numeric_limits<u32>::max();

  // Labels below `dense` are small.
  explicit label_slots(u64 dense);

  // The slot of a label, which gets the next one when it is new. There are at most 2^32 - 2 labels.
  u32 slot_of(label_bits label) {
    if (label >= dense_) return slot_of_large(label);
    u32& slot = small_.get()[label];
    if (slot == 0) slot = add(label) + 1;
    return slot - 1;
  }
  // The slot of a label, or `none`.
  [[nodiscard]] u32 find(label_bits label) const {
    return label < dense_ ? small_.get()[label] - 1 : find_large(label);  // of 0 it is `none`
  }

  // In the order of slots.
  [[nodiscard]] const std::vector<label_bits>& labels() const { return labels_; }
  // Slots in ascending order of their labels.
  [[nodiscard]] std::vector<u32> ascending(bool is_signed) const;

 private:
  struct release {
    void operator()(u32* memory) const { std::free(memory); }
  };
  u32 add(label_bits label);
  u32 slot_of_large(label_bits label);
  [[nodiscard]] u32 find_large(label_bits label) const;
  void rehash();
  [[nodiscard]] std::size_t place_of(label_bits label) const;

  u64 dense_;
  std::unique_ptr<u32, release> small_;  // slot + 1, or 0
  std::vector<u32> large_;               // the same by hash; a power of two, or nothing
  std::size_t large_count_ = 0;
  std::vector<label_bits> labels_;
};

// How many labels are small in an image of so many pixels.
[[nodiscard]] constexpr u64 small_labels(i64 pixels) {
  constexpr u64 least = u64{1} << 12, most = u64{1} << 28;
  const u64 twice = 2 * static_cast<u64>(pixels);
  return twice < least ? least : twice < most ? twice : most;
}

}  // namespace skerry::regions
