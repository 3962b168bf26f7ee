// SPDX-License-Identifier: Apache-2.0
// What a piece of a label image holds that columns are made of.
#pragma once
#include <vector>

#include "blocks/piece_shape.hpp"
#include "blocks/region_state.hpp"
#include "core/portable.hpp"
#include "features/stored_sums.hpp"
#include "skerry/column_blocks.hpp"

namespace skerry {

namespace blocks {

/// What must be the same for two pieces to join, besides the question of their regions.
struct column_question {
  u32 groups = 0;      // that have sums: bits, in the order of features::all_groups()
  u8 medians = 0;      // values are counted
  u8 intensities = 0;  // type of the image + 1; 0 without one
  u16 unused = 0;      // questions travel as they lie in memory

  friend bool operator==(const column_question&, const column_question&) = default;
};

}  // namespace blocks

struct column_state {
  static constexpr u64 header = blocks::bytes_header('c', 1);
  region_piece regions;
  blocks::column_question asked;
  std::vector<label_bits> labels;           // of the regions of blocks and halos, ascending
  std::vector<features::stored_sums> sums;  // for these: of each group, and of the values

  [[nodiscard]] const blocks::placed_blocks& placed() const { return regions.inside(); }
  [[nodiscard]] bool is_blank() const { return regions.inside().is_blank(); }
  [[nodiscard]] u64 memory() const;
  template <class Self, class Parts>
  static void each_part(Self& of, Parts& parts);
  void check() const;
};

}  // namespace skerry
