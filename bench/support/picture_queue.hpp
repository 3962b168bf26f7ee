// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <future>
#include <vector>

#include "data/random_image.hpp"

namespace skerry::bench {

/// Random images that are drawn on other threads while the device works.
class picture_queue {
 public:
  /// One image for each density.
  picture_queue(const extent& size, int granularity, const std::vector<int>& densities, std::uint32_t seed) {
    for (const int density : densities)
      pictures_.push_back(std::async(std::launch::async, [=] {
        return random_image(size, {granularity, density, seed});
      }));
  }
  /// The image of the density with this number; once.
  [[nodiscard]] std::vector<std::uint8_t> take(std::size_t number) { return pictures_.at(number).get(); }

 private:
  std::vector<std::future<std::vector<std::uint8_t>>> pictures_;
};

}  // namespace skerry::bench
