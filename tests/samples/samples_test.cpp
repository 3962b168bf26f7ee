// SPDX-License-Identifier: Apache-2.0
// Every engine gives the answers of the reference for the images in samples/.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "io/image_file.hpp"
#include "support/compare.hpp"
#include "support/grey.hpp"

namespace skerry::test {
namespace {

struct sample {
  std::string name;
  foreground rule;
};

const sample samples[] = {{"archipelago.png", foreground::nonzero()},
                          {"brain.tif", foreground::above(640)},
                          {"coins.png", foreground::above(112)},
                          {"galaxies.png", foreground::above(45)},
                          {"page.png", foreground::within(0, 127)}};

io::image read(const std::string& name) { return io::read_image(std::string(SAMPLES_FOLDER) + "/" + name); }

// The reference visits the neighbours of each pixel at each level, so it is given a window out of the middle.
image_view window_of(image_view image) {
  const auto cut = [&](std::int64_t& side, std::int64_t most, std::int64_t step) {
    const std::int64_t kept = std::min(side, most), skipped = (side - kept) / 2;
    image.data = static_cast<const std::byte*>(image.data) + skipped * step;
    side = kept;
  };
  const byte_strides step = image.strides;
  cut(image.size.depth, 4, step.z);
  cut(image.size.height, 61, step.y);
  cut(image.size.width, 101, step.x);
  return image;
}

TEST(samples, components) {
  for (const sample& each : samples) {
    SCOPED_TRACE(each.name);
    const io::image image = read(each.name);
    for (const int connectivity : connectivities_of(image.size)) {
      question asked{image.view(), with_connectivity(connectivity, each.rule)};
      asked.features.moments = true;
      asked.features.intensity = image.view();
      expect_everywhere(asked);
      ASSERT_FALSE(HasFailure());
    }
  }
}

TEST(samples, trees) {
  for (const sample& each : samples) {
    SCOPED_TRACE(each.name);
    const io::image image = read(each.name);
    const image_view window = window_of(image.view());
    for (const int connectivity : tree_connectivities(window.size))
      for (const tree_kind kind : {tree_kind::max, tree_kind::min}) {
        expect_tree_everywhere(window, {connectivity, kind});
        ASSERT_FALSE(HasFailure());
      }
  }
}

}  // namespace
}  // namespace skerry::test
