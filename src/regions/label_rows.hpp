// SPDX-License-Identifier: Apache-2.0
// The rows of a given label image; later steps never see its type and strides.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/pixel_type.hpp"
#include "core/portable.hpp"
#include "skerry/regions.hpp"

namespace skerry::regions {

template <class Label>
using label_type = pixel_type<Label>;

// Calls work(label_type<Label>()) for the type of a label image that has been checked. Booleans are u8, 0 or 1.
template <class Work>
auto with_label_type(dtype type, Work work) {
  return with_integer_type(type, work);
}

// A label as the public interface has it: sign-extended, where the type has a sign.
template <class Label>
[[nodiscard]] constexpr label_bits bits_of(Label label) {
  if constexpr (std::is_signed_v<Label>) return static_cast<label_bits>(i64{label});
  else return label;
}

// Whether labels are background. They are the labels from `low` on, `span` of them and one more.
template <class Label>
class background_test {
 public:
  explicit constexpr background_test(const background& rule) {
    if (rule.kind == background::rule::none) return;
    if (rule.kind == background::rule::zero_and_below) {
      low_ = std::is_signed_v<Label> ? static_cast<natural>(natural{1} << (8 * sizeof(Label) - 1)) : natural{0};
      span_ = static_cast<natural>(0 - low_);  // up to 0
    } else {
      low_ = static_cast<natural>(rule.label);
      const auto label = static_cast<Label>(low_);
      if (bits_of(label) != rule.label || std::cmp_less(label, 0) != rule.negative) return;  // of another type
    }
    any_ = true;
  }

  [[nodiscard]] SKERRY_BOTH constexpr bool operator()(Label label) const {
    return any_ && static_cast<natural>(static_cast<natural>(label) - low_) <= span_;
  }

  // The same of labels without their sign.
  using natural = std::make_unsigned_t<Label>;
  [[nodiscard]] constexpr background_test<natural> of_bits() const {
    background_test<natural> same(background::none());
    same.low_ = low_, same.span_ = span_, same.any_ = any_;
    return same;
  }

 private:
  template <class>
  friend class background_test;
  natural low_ = 0, span_ = 0;
  bool any_ = false;
};

// Gives rows as contiguous labels. A row is read where it is when its labels lie side by side and are aligned; else it is
// copied to memory of the reader's. One thread uses a reader; threads have one each.
template <class Label>
class label_row_reader {
 public:
  // Row r remains as it was given until row r + rows_kept, or one that many rows further, is asked for. The memory of
  // rows that are copied is allocated here.
  explicit label_row_reader(const image_view& image, i64 rows_kept = 1) : image_(image), kept_(rows_kept) {
    constexpr i64 bytes = sizeof(Label);
    side_by_side_ = image.strides.x == bytes || image.size.width < 2;
    const auto aligned = [](i64 address) { return address % static_cast<i64>(alignof(Label)) == 0; };
    const bool in_place = image.type != dtype::boolean && side_by_side_ &&
                          aligned(static_cast<i64>(reinterpret_cast<std::intptr_t>(image.data))) &&
                          aligned(image.strides.y) && aligned(image.strides.z);
    if (!in_place) copies_.resize(static_cast<std::size_t>(kept_ * image.size.width));
    copies_rows_ = !in_place;
  }

  [[nodiscard]] bool copies() const { return copies_rows_; }

  // Labels of row r = z · height + y, from x = 0 on; `width` of them.
  [[nodiscard]] const Label* row(i64 r) {
    if (image_.size.width == 0) return copies_.data();  // there may be no memory at all
    const std::byte* const at = start_of(r);
    return copies_rows_ ? copy(at, copies_.data() + r % kept_ * image_.size.width) : reinterpret_cast<const Label*>(at);
  }

 private:
  [[nodiscard]] const std::byte* start_of(i64 r) const {
    const i64 z = r / image_.size.height, y = r % image_.size.height;
    return static_cast<const std::byte*>(image_.data) + z * image_.strides.z + y * image_.strides.y;
  }

  const Label* copy(const std::byte* at, Label* to) const {
    const auto width = static_cast<std::size_t>(image_.size.width);
    if (side_by_side_) {
      std::memcpy(to, at, width * sizeof(Label));
    } else {
      for (std::size_t x = 0; x < width; ++x, at += image_.strides.x) std::memcpy(to + x, at, sizeof(Label));
    }
    if (image_.type == dtype::boolean)
      for (std::size_t x = 0; x < width; ++x) to[x] = static_cast<Label>(to[x] != 0 ? 1 : 0);
    return to;
  }

  image_view image_;
  i64 kept_;
  bool side_by_side_ = false, copies_rows_ = false;
  std::vector<Label> copies_;
};

}  // namespace skerry::regions
