// SPDX-License-Identifier: Apache-2.0
// Given label images: every pixel with the same label is one region, connected or not.
//
// A label image is (height, width) or (depth, height, width), of integers of 8 to 64 bits, signed or not, or of booleans, with
// any strides. Labels may have gaps. Outside of the image a label is 64 bits: of a signed type those of the same
// std::int64_t, of an unsigned type those of the same std::uint64_t.
#pragma once
#include <concepts>
#include <cstdint>

#include "skerry/image.hpp"

namespace skerry {

/// The bits of a label as functions take and give them: static_cast<std::int64_t>() of them is a label of a signed type.
using label_bits = std::uint64_t;

/// Which labels are background, whose pixels belong to no region.
struct background {
  enum class rule : std::uint8_t { zero_and_below, one_label, none };
  rule kind = rule::zero_and_below;
  label_bits label = 0;  // one_label only; a label that the type of the image cannot hold is that of no pixel

  [[nodiscard]] static constexpr background zero_and_below() { return {}; }
  [[nodiscard]] static constexpr background none() { return {rule::none, 0}; }
  /// That label alone: then 0 and negative labels are regions.
  template <std::integral Label>
  [[nodiscard]] static constexpr background equal_to(Label label) {
    return {rule::one_label, static_cast<label_bits>(label)};
  }
};

}  // namespace skerry
