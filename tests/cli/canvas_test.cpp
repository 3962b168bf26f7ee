// SPDX-License-Identifier: Apache-2.0
#include "io/canvas.hpp"

#include <gtest/gtest.h>

#include <string>

namespace skerry::test {
namespace {

constexpr io::rgb white = {255, 255, 255}, red = {255, 0, 0};

struct sheet {
  std::int64_t height, width;
  std::vector<std::uint8_t> pixels = std::vector<std::uint8_t>(static_cast<std::size_t>(3 * height * width), 255);
  io::canvas draw = io::canvas(pixels, height, width);

  sheet(std::int64_t rows, std::int64_t columns) : height(rows), width(columns) {}
  sheet(const sheet&) = delete;
  sheet& operator=(const sheet&) = delete;
  ~sheet() = default;

  [[nodiscard]] io::rgb at(std::int64_t row, std::int64_t column) const {
    const auto place = static_cast<std::size_t>(3 * (row * width + column));
    return {pixels[place], pixels[place + 1], pixels[place + 2]};
  }
  // '#' where it is red, '.' where it is white, '+' elsewhere.
  [[nodiscard]] std::string text() const {
    std::string all;
    for (std::int64_t row = 0; row < height; ++row, all += '\n')
      for (std::int64_t column = 0; column < width; ++column)
        all += at(row, column) == red ? '#' : at(row, column) == white ? '.' : '+';
    return all;
  }
};

TEST(canvas, a_dot_is_drawn_inside_only) {
  for (std::int64_t row = -1; row <= 3; ++row)
    for (std::int64_t column = -1; column <= 4; ++column) {
      sheet page(3, 4);
      page.draw.dot(row, column, red);
      std::string want = "....\n....\n....\n";
      if (row >= 0 && row < 3 && column >= 0 && column < 4) want[static_cast<std::size_t>(5 * row + column)] = '#';
      EXPECT_EQ(page.text(), want) << row << ", " << column;
    }
}

TEST(canvas, a_share_of_a_colour_is_mixed_in) {
  sheet page(1, 1);
  page.draw.dot(0, 0, {55, 155, 255}, 0.25);
  EXPECT_EQ(page.at(0, 0), (io::rgb{205, 230, 255}));
}

TEST(canvas, lines_have_both_ends) {
  sheet page(3, 5);
  page.draw.line(0, 0, 2, 4, red);
  EXPECT_EQ(page.text(), "#....\n.##..\n...##\n");
  sheet back(3, 5);
  back.draw.line(2, 1, 0, 1, red);
  back.draw.line(0, 4, 0, 4, red);
  EXPECT_EQ(back.text(), ".#..#\n.#...\n.#...\n");
}

TEST(canvas, numbers_stand_in_the_middle_with_an_edge) {
  sheet page(9, 11);
  page.draw.number(4, 5, 12, red);
  EXPECT_EQ(page.text(),
            "...........\n"
            "..++++++++.\n"
            ".++#++###+.\n"
            ".+##++++#+.\n"
            ".++#++###+.\n"
            ".++#++#+++.\n"
            ".+###+###+.\n"
            ".+++++++++.\n"
            "...........\n");
}

TEST(canvas, numbers_are_cut_at_the_border) {
  sheet page(5, 6);
  page.draw.number(0, 5, 1, red);
  EXPECT_EQ(page.text(),
            "...++#\n"  // two rows of the digit are above, a column is beside
            "...++#\n"
            "...+##\n"
            "...+++\n"
            "......\n");
}

}  // namespace
}  // namespace skerry::test
