// SPDX-License-Identifier: Apache-2.0
// Grey images with the slopes, the edges of many sizes and the grain of a photograph; the recipe is in README.md beside
// this file.
#pragma once
#include <cstdint>
#include <vector>

#include "skerry/image.hpp"

namespace skerry::bench {

/// Draws one image of rank 2, the same one in each of the three types.
[[nodiscard]] std::vector<std::uint8_t> natural_u8(const extent& size, std::uint32_t seed);
[[nodiscard]] std::vector<std::uint16_t> natural_u16(const extent& size, std::uint32_t seed);
[[nodiscard]] std::vector<float> natural_f32(const extent& size, std::uint32_t seed);

}  // namespace skerry::bench
