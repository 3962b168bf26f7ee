// SPDX-License-Identifier: Apache-2.0
// Tables of small label images on the CUDA engine, by one kernel.
#pragma once
#include <algorithm>
#include <bit>

#include "core/label_type.hpp"
#include "engine/cuda/device_memory.cuh"
#include "regions/small_table.hpp"

namespace skerry::regions::on_device {

inline constexpr u32 least_small_labels = 1 << 14, most_small_labels = 1 << 18;

/// Labels of a small image of this size and type are less than this. A negative one is not: as an unsigned number it is at least half
/// the range.
[[nodiscard]] inline u32 small_labels_of(const extent& size, dtype type) {
  const u32 of_size = std::max(least_small_labels, std::bit_ceil(static_cast<u32>(size.pixels())));
  const auto bits = static_cast<u32>(8 * size_of(type));
  return is_signed_label_type(type) && bits <= 16 ? std::min(of_size, u32{1} << (bits - 1)) : of_size;
}

/// What the engine keeps for small images.
struct small_scratch {
  device_memory rows, turns;
  pinned_memory arrived;
  u32 empty_rows = 0;  // that there are
  bool is_second_turn = false;
  bool had_large_labels = false;  // the last image that could have been a small one

  [[nodiscard]] std::size_t bytes() const { return rows.bytes() + turns.bytes() + arrived.bytes(); }
};

/// Whether an image of this size, all of whose regions are to be measured, may be a small one. Each slice takes a block.
[[nodiscard]] inline bool may_be_small(const extent& size) {
  constexpr i64 most_slices = 1 << 10;
  return size.pixels() <= most_small_labels && size.depth <= most_slices;
}

struct region_launch;

/// The geometry of all regions of an image that may be small. False, and nothing is written, where its labels are too large, or where
/// the device does not run blocks together.
[[nodiscard]] bool measure_small_image(engine::state& on, small_scratch& scratch, const region_launch& image,
                                       region_table& table);

}  // namespace skerry::regions::on_device
