// SPDX-License-Identifier: Apache-2.0
// Numbers labels in the order in which they are first met.
#pragma once
#include <algorithm>
#include <cassert>
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
// The table may serve one image after the other and is not cleared between: slots of an image are above those of all before it.
class label_slots {
 public:
  static constexpr u32 none = std::numeric_limits<u32>::max();

  label_slots() = default;  // until the first forget()
  // Labels below `dense` are small.
  explicit label_slots(u64 dense);

  void forget();  // all labels
  // The same, for an image that has at most `most` of them, whose small ones are below `dense`.
  void forget(u64 dense, u64 most);

  // The slot of a label, which gets the next one when it is new. There are at most 2^32 - 2 labels.
  u32 slot_of(label_bits label) {
    if (label >= dense_) return slot_of_large(label);
    u32& entry = small_.get()[label];
    if (entry <= forgotten_) entry = add_small(label);
    return entry - forgotten_ - 1;
  }
  // Fetches what slot_of() reads.
  void prefetch(label_bits label) const {
    if (label < dense_) __builtin_prefetch(small_.get() + label, 1);
  }
  // The slot of a label, or `none`.
  [[nodiscard]] u32 find(label_bits label) const {
    if (label >= dense_) return find_large(label);
    const u32 entry = small_.get()[label];
    return entry > forgotten_ ? entry - forgotten_ - 1 : none;
  }

  // The slots of small labels from `label` on, for loops without branches: `origin` more than the slot, or less than `origin`.
  [[nodiscard]] const u32* small_from(label_bits label) const { return small_.get() + label; }
  [[nodiscard]] u32 origin() const { return forgotten_ + 1; }

  // In the order of slots.
  [[nodiscard]] const std::vector<label_bits>& labels() const { return labels_; }
  // Looks whether labels that are new since the last look ascend: at each as it comes would cost a sixth of a region of one pixel.
  void look_at_order();
  // Whether labels are known to ascend with their slots. All have been looked at.
  [[nodiscard]] bool ascend(bool is_signed) const {
    assert(looked_at_ == labels_.size());
    return ascend_ && (!is_signed || labels_.empty() || labels_.back() < u64{1} << 63);
  }
  [[nodiscard]] bool has_large() const { return large_count_ != 0; }
  // Small labels are below.
  [[nodiscard]] u64 end_of_small() const { return end_; }
  // Slots in ascending order of their labels.
  void list_ascending(bool is_signed, std::vector<u32>& order) const;
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct release {
    void operator()(u32* memory) const { std::free(memory); }
  };
  u32 add(label_bits label);
  u32 add_small(label_bits label);
  u32 slot_of_large(label_bits label);
  [[nodiscard]] u32 find_large(label_bits label) const;
  void rehash();
  [[nodiscard]] std::size_t place_of(label_bits label) const;

  u64 dense_ = 0, room_ = 0;             // how many labels are small, and could be
  u64 end_ = 0, reach_ = 0;              // up to where the table was written, for this image and those before it
  u32 forgotten_ = 0;                    // slots of earlier images
  std::unique_ptr<u32, release> small_;  // forgotten_ + slot + 1, or less
  std::vector<u32> large_;               // slot + 1, or 0, by hash; a power of two, or nothing
  std::size_t large_count_ = 0;
  std::vector<label_bits> labels_;
  bool ascend_ = true;
  std::size_t looked_at_ = 0;
};

// How many labels are small in an image: those below twice its pixels, as far as its type has them.
[[nodiscard]] constexpr u64 small_labels(const image_view& labels) {
  constexpr u64 least = u64{1} << 12, most = u64{1} << 28;
  const std::size_t bytes = size_of(labels.type);
  const u64 values = bytes < 4 ? u64{1} << 8 * bytes : most;
  return std::min(values, std::clamp(2 * static_cast<u64>(labels.size.pixels()), least, most));
}

}  // namespace skerry::regions
