// SPDX-License-Identifier: Apache-2.0
// Published methods on more than 2^31 pixels: rows that are the same memory, so that the image is small; what a method keeps
// for each pixel is not.
#include <iostream>

#include "cuda/device_image.hpp"
#include "skerry/error.hpp"
#include "skerry/published.hpp"
#include "support/bars.hpp"
#include "support/compare.hpp"

namespace skerry::test {
namespace {

// Some of each kind: labels of places, of segments, of pixels in blocks, and of squares.
TEST(cuda_huge, published_methods) {
  SKERRY_NEEDS_CUDA_DEVICE();
  constexpr std::int64_t width = 65537, height = 33000;  // an odd width, and places of 32 bits in FLSL
  const extent size(height, width);
  ASSERT_GT(size.pixels(), std::int64_t{1} << 31);
  const std::vector<bar> bars = {{0, 100}, {200, 201}, {40000, width}};
  std::vector<std::uint8_t> row(width, 0);
  for (const bar& b : bars) std::fill(row.begin() + b.begin, row.begin() + b.end, std::uint8_t{1});
  const device_bytes pixels(row);
  const image_view image(pixels.data(), dtype::u8, size, {0, 0, 1});
  for (const char* method : {"flsl-cd", "ha-cd", "playne-block", "block-fill"}) {
    SCOPED_TRACE(method);
    engine on = engine::cuda();
    feature_table table;
    try {
      published::label(on, method, {image, with_connectivity(4)}, {.table = &table});
    } catch (const out_of_memory& error) {
      std::cout << "left out: " << method << ": " << error.what() << '\n';
      continue;
    }
    ASSERT_EQ(table.components.size(), bars.size());
    for (std::size_t i = 0; i < bars.size(); ++i) EXPECT_EQ(table.components[i], geometry_of_block(size, bars[i])) << i;
  }
}

}  // namespace
}  // namespace skerry::test
