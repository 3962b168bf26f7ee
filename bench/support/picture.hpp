// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "skerry/image.hpp"
#include "support/options.hpp"

namespace skerry::bench {

/// One image of the set that the options describe.
struct picture {
  extent size;
  int granularity, density;
  std::vector<std::uint8_t> pixels;

  [[nodiscard]] int side() const { return static_cast<int>(size.width); }
  [[nodiscard]] image_view view() const { return {pixels.data(), size}; }
  [[nodiscard]] std::string name() const;
};

[[nodiscard]] std::vector<picture> make_pictures(const options& what);

/// Pixels of the largest picture.
[[nodiscard]] std::size_t most_pixels(const std::vector<picture>& pictures);

}  // namespace skerry::bench
