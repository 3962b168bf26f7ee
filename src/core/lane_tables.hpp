// SPDX-License-Identifier: Apache-2.0
// What is known of each lane by 8 bits, one for each, where no instruction counts the ones below each of them.
#pragma once
#include "core/portable.hpp"

namespace skerry {

struct lane_bytes {
  u8 of[256][8];
};

// How many of the ones lie up to each lane, itself included.
inline constexpr lane_bytes ones_up_to_lane = [] {
  lane_bytes all{};
  for (u32 bits = 0; bits < 256; ++bits)
    for (u32 lane = 0, ones = 0; lane < 8; ++lane) all.of[bits][lane] = static_cast<u8>(ones += bits >> lane & 1);
  return all;
}();

// The lane of each one, from the lowest; then 0.
inline constexpr lane_bytes place_of_ones = [] {
  lane_bytes all{};
  for (u32 bits = 0; bits < 256; ++bits)
    for (u32 lane = 0, ones = 0; lane < 8; ++lane)
      if ((bits >> lane & 1) != 0) all.of[bits][ones++] = static_cast<u8>(lane);
  return all;
}();

// `Value` for a zero, 0 for a one.
template <u8 Value>
inline constexpr lane_bytes value_at_zeros = [] {
  lane_bytes all{};
  for (u32 bits = 0; bits < 256; ++bits)
    for (u32 lane = 0; lane < 8; ++lane) all.of[bits][lane] = (bits >> lane & 1) != 0 ? 0 : Value;
  return all;
}();

// An index for which byte look-ups return 0, even when combined (OR) with a lane.
inline constexpr u8 no_place = 0x80;

// Such lanes as places of the two bytes of each among eight numbers.
struct lane_pairs {
  u8 of[256][16];
};
constexpr lane_pairs bytes_of_pairs(const lane_bytes& lanes) {
  lane_pairs all{};
  for (u32 bits = 0; bits < 256; ++bits)
    for (u32 byte = 0; byte < 16; ++byte) {
      const u8 lane = lanes.of[bits][byte / 2];
      all.of[bits][byte] = lane == no_place ? no_place : static_cast<u8>((lane & 7) * 2 + byte % 2);
    }
  return all;
}
inline constexpr lane_pairs pairs_up_to_lane = bytes_of_pairs(ones_up_to_lane),
                            no_pair_at_zeros = bytes_of_pairs(value_at_zeros<no_place>);

}  // namespace skerry
