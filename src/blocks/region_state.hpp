// SPDX-License-Identifier: Apache-2.0
// What a piece of a given label image holds.
#pragma once
#include <vector>

#include "blocks/piece_shape.hpp"
#include "core/portable.hpp"
#include "skerry/region_blocks.hpp"

namespace skerry {

namespace blocks {

/// What must be the same for two pieces to join.
struct region_question {
  u16 flags = 0;  // question::moments, intensities, real_intensities
  u8 signed_labels = 0;
  skerry::background::rule background = skerry::background::rule::zero_and_below;
  label_bits background_label = 0;
  u8 negative_background = 0;
  std::vector<u16> channels = {};  // flags of each: question::intensities or real_intensities

  friend bool operator==(const region_question&, const region_question&) = default;
};

}  // namespace blocks

struct region_state : blocks::placed_blocks {
  static constexpr u64 header = blocks::bytes_header('r', 2);
  blocks::region_question asked;
  std::vector<label_bits> labels;       // of the regions, ascending
  feature_table rows;                   // of the same order; groups that were not asked for are empty
  std::vector<feature_table> channels;  // of each its intensities, in the same order

  [[nodiscard]] bool is_blank() const { return boxes.empty(); }
  [[nodiscard]] u64 memory() const;
  /// Appends a region of another piece of the same question.
  void add_region(const region_state& from, std::size_t row);
  /// Joins a region of another piece to that of a row.
  void join_region(std::size_t row, const region_state& from, std::size_t other);
  template <class Self, class Parts>
  static void each_part(Self& of, Parts& parts);
  void check() const;
};

}  // namespace skerry
