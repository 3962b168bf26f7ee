// SPDX-License-Identifier: Apache-2.0
#include "support/picture.hpp"

#include <algorithm>

#include "data/random_image.hpp"

namespace skerry::bench {

std::string picture::name() const {
  return std::to_string(side()) + (size.rank == 3 ? "³" : "²") + " g=" + std::to_string(granularity) + " " +
         std::to_string(density) + " %";
}

std::vector<picture> make_pictures(const options& what) {
  std::vector<picture> pictures;
  for (const int side : what.sizes)
    for (const int granularity : what.granularities)
      for (const int density : what.densities) {
        const extent size = what.volumes ? extent(side, side, side) : extent(side, side);
        pictures.push_back({size, granularity, density, random_image(size, {granularity, density, what.seed})});
      }
  return pictures;
}

std::size_t most_pixels(const std::vector<picture>& pictures) {
  std::size_t most = 0;
  for (const picture& image : pictures) most = std::max(most, image.pixels.size());
  return most;
}

}  // namespace skerry::bench
