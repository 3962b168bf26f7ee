// SPDX-License-Identifier: Apache-2.0
// What a piece of a label image holds that columns are made of.
#pragma once
#include <bit>
#include <vector>

#include "blocks/piece_shape.hpp"
#include "blocks/region_state.hpp"
#include "core/portable.hpp"
#include "features/group.hpp"
#include "features/stored_sums.hpp"
#include "skerry/column_blocks.hpp"

namespace skerry {

namespace blocks {

/// What is asked of one channel of intensities; of the first one, or where there is none, also what reads no intensities.
struct channel_question {
  u32 groups = 0;  // that have sums: bits, in the order of features::all_groups()
  u8 medians = 0;  // values are counted
  u8 type = 0;     // of the image + 1; 0 without one
  u16 unused = 0;  // questions travel as they lie in memory

  [[nodiscard]] std::size_t lists() const { return static_cast<std::size_t>(std::popcount(groups)) + medians; }
  friend bool operator==(const channel_question&, const channel_question&) = default;
};

/// What must be the same for two pieces to join, besides the question of their regions.
struct column_question {
  u8 numbered = 0;                         // names of columns end with the number of the channel
  std::vector<channel_question> channels;  // at least one, but for a piece of no block

  [[nodiscard]] std::size_t lists() const { return end_of(channels.size()); }
  /// The place of a group among the sums of a piece.
  [[nodiscard]] std::size_t place_of(std::size_t channel, const features::feature_group& group) const;
  /// That of the values of a channel.
  [[nodiscard]] std::size_t place_of_values(std::size_t channel) const { return end_of(channel + 1) - 1; }
  [[nodiscard]] bool has(std::size_t channel, const features::feature_group& group) const;
  friend bool operator==(const column_question&, const column_question&) = default;

 private:
  [[nodiscard]] std::size_t end_of(std::size_t channel) const;
};

}  // namespace blocks

struct column_state {
  static constexpr u64 header = blocks::bytes_header('c', 2);
  region_piece regions;
  blocks::column_question asked;
  std::vector<label_bits> labels;           // of the regions of blocks and halos, ascending
  std::vector<features::stored_sums> sums;  // for these, of each channel: of each group, then of the values

  [[nodiscard]] const blocks::placed_blocks& placed() const { return regions.inside(); }
  [[nodiscard]] bool is_blank() const { return regions.inside().is_blank(); }
  [[nodiscard]] u64 memory() const;
  template <class Self, class Parts>
  static void each_part(Self& of, Parts& parts);
  void check() const;
};

}  // namespace skerry
