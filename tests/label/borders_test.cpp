// SPDX-License-Identifier: Apache-2.0
// Strips know each other by their borders: after stage 2 nobody reads pixels to join them.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "label/cpu/strips/strips.hpp"
#include "skerry/skerry.hpp"

namespace skerry {
namespace {

using namespace label_stages;

std::vector<std::uint8_t> noise(std::int64_t pixels, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> image(static_cast<std::size_t>(pixels));
  for (std::uint8_t& pixel : image) pixel = random() % 2 == 0 ? 0 : 1;
  return image;
}

// Components of an image whose pixels are lost after stage 2.
u64 count_without_pixels(extent size, int connectivity, run_edges::form edges, std::uint32_t seed) {
  std::vector<std::uint8_t> pixels = noise(size.pixels(), seed);
  engine on = engine::cpu(3);
  on.inside().least_pixels_per_strip = 1;
  strip_work work(on.inside(), {{pixels.data(), size}, foreground::nonzero()}, connectivity, {edges, false});
  work.encode_and_local();
  EXPECT_GT(work.scratch().strips.size(), 2u);
  std::fill(pixels.begin(), pixels.end(), std::uint8_t{0});
  work.merge();
  return work.resolve();
}

u64 count_by_definition(extent size, int connectivity, std::uint32_t seed) {
  const std::vector<std::uint8_t> pixels = noise(size.pixels(), seed);
  std::vector<std::uint32_t> labels(pixels.size());
  engine on = engine::reference();
  return label(on, image_view{pixels.data(), size}, label_options{.connectivity = connectivity},
               mutable_image{labels.data(), size});
}

void compare(extent size, int connectivity, run_edges::form edges) {
  for (std::uint32_t seed = 1; seed <= 5; ++seed)
    EXPECT_EQ(count_without_pixels(size, connectivity, edges, seed), count_by_definition(size, connectivity, seed))
        << connectivity << " neighbours, " << size.height << " rows, seed " << seed;
}

TEST(borders, planes) {
  for (const std::int64_t height : {97, 160, 401})
    for (const int connectivity : {4, 8}) compare({height, 130}, connectivity, run_edges::form::short_form);
}

TEST(borders, bands) {
  for (const std::int64_t height : {97, 160, 401}) compare({height, 130}, 8, run_edges::form::none);
}

TEST(borders, volumes) {
  for (const std::int64_t height : {1, 2, 7, 30})
    for (const int connectivity : {6, 18, 26}) compare({40, height, 70}, connectivity, run_edges::form::none);
}

}  // namespace
}  // namespace skerry
