// SPDX-License-Identifier: Apache-2.0
#include "io/overlay.hpp"

#include <cstdlib>

#include "workspace.hpp"

namespace skerry::test {
namespace {

using rgb = std::array<std::uint8_t, 3>;

class overlay : public workspace {
 protected:
  static rgb pixel(const std::vector<std::uint8_t>& picture, std::size_t index) {
    return {picture[3 * index], picture[3 * index + 1], picture[3 * index + 2]};
  }
};

TEST_F(overlay, colours_are_stable_and_differ) {
  for (std::uint64_t label = 1; label < 200; ++label) {
    EXPECT_EQ(io::label_colour(label), io::label_colour(label));
    for (std::uint64_t near = 1; near <= 3; ++near) {
      const rgb a = io::label_colour(label), b = io::label_colour(label + near);
      EXPECT_GT(std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]), 40)
          << label << " and " << label + near;
    }
  }
  EXPECT_EQ(io::label_colour(1), (rgb{117, 198, 84}));  // pictures made years apart agree
  (void)io::label_colour(~std::uint64_t{0});
}

TEST_F(overlay, background_is_grey_outlines_are_full_colour_the_inside_is_between) {
  const std::vector<std::uint8_t> image(25, 200);
  std::vector<std::uint32_t> labels(25, 0);
  for (const std::size_t y : {1U, 2U, 3U})
    for (const std::size_t x : {1U, 2U, 3U}) labels[5 * y + x] = 7;
  const auto picture =
      io::paint_overlay(image_view(image.data(), extent(5, 5)), image_view(labels.data(), extent(5, 5)));
  ASSERT_EQ(picture.size(), 75U);
  EXPECT_EQ(pixel(picture, 0), (rgb{200, 200, 200}));
  EXPECT_EQ(pixel(picture, 5 + 1), io::label_colour(7));
  const rgb inside = pixel(picture, 2 * 5 + 2);
  EXPECT_NE(inside, io::label_colour(7));
  EXPECT_NE(inside, (rgb{200, 200, 200}));
}

TEST_F(overlay, other_types_are_stretched_and_nan_is_black) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> image = {-10, 30, nan, 10};
  const std::vector<std::uint8_t> labels(4, 0);
  const auto picture =
      io::paint_overlay(image_view(image.data(), extent(2, 2)), image_view(labels.data(), extent(2, 2)));
  EXPECT_EQ(pixel(picture, 0), (rgb{0, 0, 0}));
  EXPECT_EQ(pixel(picture, 1), (rgb{255, 255, 255}));
  EXPECT_EQ(pixel(picture, 2), (rgb{0, 0, 0}));
  const std::vector<std::uint8_t> mask = {0, 1};
  const auto binary =
      io::paint_overlay(image_view(mask.data(), dtype::boolean, extent(1, 2)), image_view(labels.data(), extent(1, 2)));
  EXPECT_EQ(pixel(binary, 1), (rgb{255, 255, 255}));
}

TEST_F(overlay, the_command_writes_it_for_images_and_the_middle_slice) {
  write("a.pgm", pgm_bytes("3 1\n255\n50 0 90"));
  succeed({"label", "@/a.pgm", "--threshold", "60", "--overlay", "@/a.png", "-q"});
  const io::image picture = io::read_image(path("a.png"));
  EXPECT_EQ(picture.channels, 3);
  EXPECT_EQ(picture.size, extent(1, 3));
  EXPECT_EQ(std::to_integer<int>(picture.bytes[0]), 50);
  EXPECT_EQ(std::to_integer<int>(picture.bytes[1]), 0);

  write("v.npy", npy_bytes("|u1", "(3, 1, 2)", std::string("\x0a\x0b\x14\x15\x1e\x1f", 6)));
  succeed({"label", "@/v.npy", "--threshold", "100", "--overlay", "@/v.png", "-q"});
  EXPECT_EQ(pixels("v.png"), "20 21");
}

}  // namespace
}  // namespace skerry::test
