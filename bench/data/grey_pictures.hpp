// SPDX-License-Identifier: Apache-2.0
// Grey images for trees, by name: natural-like ones, blurred noise, and noise.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "skerry/image.hpp"

namespace skerry::bench {

struct grey_picture {
  std::string name;  // "natu_u8", …
  dtype type = dtype::u8;
  extent size;
  std::vector<std::uint8_t> bytes;
  [[nodiscard]] image_view view() const { return {bytes.data(), type, size}; }
};

/// All `looks` (natural, blurred, noise) in all `types` (u8, u16, f32), drawn at the same time.
/// Throws std::invalid_argument for other names.
[[nodiscard]] std::vector<grey_picture> grey_pictures(const extent& size, const std::vector<std::string>& types,
                                                      const std::vector<std::string>& looks, std::uint32_t seed);

}  // namespace skerry::bench
