// SPDX-License-Identifier: Apache-2.0
// Animated pictures, as another program reads them.
#include "io/gif.hpp"

#include <OpenImageIO/imageio.h>

#include <cstdlib>
#include <random>

#include "io/file_error.hpp"
#include "workspace.hpp"

namespace skerry::test {
namespace {

using frames = std::vector<std::vector<std::uint8_t>>;

class gif : public workspace {
 protected:
  void write(const frames& pictures, std::int64_t height, std::int64_t width, int rate = 25) const {
    io::pending_file file(path("a.gif"));
    io::write_gif(file, pictures, height, width, rate);
    file.commit();
  }
  // What a viewer shows, as RGB.
  [[nodiscard]] frames shown() const {
    frames seen;
    const auto input = OIIO::ImageInput::open(path("a.gif"));
    for (int i = 0; input && input->seek_subimage(i, 0); ++i) {
      const OIIO::ImageSpec& spec = input->spec();
      seen.emplace_back(static_cast<std::size_t>(3 * spec.width * spec.height));
      EXPECT_TRUE(input->read_image(i, 0, 0, 3, OIIO::TypeDesc::UINT8, seen.back().data()));
    }
    return seen;
  }
};

TEST_F(gif, few_colours_come_back_as_they_are) {
  std::mt19937 draw(1);
  for (const auto& [height, width] : {std::pair(1, 1), std::pair(3, 5), std::pair(70, 90), std::pair(1, 5000)}) {
    frames pictures;
    for (int i = 0; i < 5; ++i) {
      pictures.push_back(i % 2 == 1 ? pictures.back() : std::vector<std::uint8_t>(3 * height * width));
      for (std::size_t p = 0; p < pictures.back().size(); p += 3) {
        if (i % 2 == 1 && draw() % 10 != 0) continue;  // little changes
        const unsigned colour = draw() % 250;          // bins of five bits
        pictures.back()[p] = static_cast<std::uint8_t>(colour % 16 * 16);
        pictures.back()[p + 1] = static_cast<std::uint8_t>(colour / 16 * 16);
        pictures.back()[p + 2] = 77;
      }
    }
    write(pictures, height, width);
    EXPECT_EQ(shown(), pictures) << height << " x " << width;
  }
}

TEST_F(gif, many_colours_come_back_about) {
  std::mt19937 draw(2);
  frames pictures(2, std::vector<std::uint8_t>(3 * 200 * 200));
  for (auto& picture : pictures)
    for (std::uint8_t& value : picture) value = static_cast<std::uint8_t>(draw());
  write(pictures, 200, 200);
  const frames seen = shown();
  ASSERT_EQ(seen.size(), 2U);
  double error = 0;
  for (std::size_t i = 0; i < pictures[0].size(); ++i) error += std::abs(seen[1][i] - pictures[1][i]);
  // 255 boxes of the whole cube are about 40 wide: 10 away in the mean.
  EXPECT_LT(error / static_cast<double>(pictures[0].size()), 15);
}

TEST_F(gif, rates_and_repetitions_are_in_the_file) {
  write({{1, 2, 3}, {200, 2, 3}}, 1, 1, 20);
  const std::string bytes = read("a.gif");
  EXPECT_NE(bytes.find(std::string("NETSCAPE2.0\3\1\0\0\0", 16)), std::string::npos);
  EXPECT_NE(bytes.find(std::string("\x21\xf9\4\5\5\0", 6)), std::string::npos);  // five hundredths of a second
}

TEST_F(gif, the_palette_begins_with_the_colours_of_the_film) {
  write({{200, 2, 3}}, 1, 1);
  EXPECT_EQ(read("a.gif").substr(13, 3), "\xc8\2\3");
}

TEST_F(gif, what_stands_still_takes_little_room) {
  std::mt19937 draw(3);
  std::vector<std::uint8_t> picture(3 * 60 * 60);
  for (std::uint8_t& value : picture) value = draw() % 2 == 0 ? 40 : 200;
  write({picture}, 60, 60);
  const std::size_t one = read("a.gif").size();
  write(frames(10, picture), 60, 60);
  EXPECT_EQ(shown(), frames(10, picture));
  EXPECT_LT(read("a.gif").size(), 2 * one);
}

TEST_F(gif, sides_that_do_not_fit_are_refused) {
  EXPECT_THROW(write({std::vector<std::uint8_t>(3 * 70000)}, 1, 70000), io::file_error);
  EXPECT_TRUE(files().empty());
}

}  // namespace
}  // namespace skerry::test
