// SPDX-License-Identifier: Apache-2.0
// Filtered images, pixel by pixel.
#include "tree_command.hpp"

namespace skerry::test {
namespace {

TEST_F(tree_command, area_opening_and_its_top_hat) {
  EXPECT_EQ(filtered({"--min-area", "5"}),
            "1 1 1 1 1 1 1 1 1/1 4 4 4 2 2 3 2 1/1 4 4 4 2 3 3 3 1/1 4 4 4 2 2 3 2 1/1 1 1 1 1 1 1 1 1/"
            "1 1 1 1 1 1 1 1 1/1 1 1 1 1 1 1 1 1");
  EXPECT_EQ(filtered({"--min-area", "5", "--top-hat"}),
            "0 0 0 0 0 0 0 0 0/0 0 0 0 0 0 0 0 0/0 0 2 0 0 0 2 0 0/0 0 0 0 0 0 0 0 0/0 0 0 0 0 0 0 0 0/"
            "0 0 6 0 0 0 1 1 0/0 0 0 0 0 0 0 0 0");
  EXPECT_EQ(filtered({"--min-area", "1"}), hills);
  EXPECT_EQ(filtered({"--min-area", "0"}), hills);
}

TEST_F(tree_command, a_diagonal_counts_pixels) {
  // The faint pair has a box of 1 × 2; the square and the cross have 3 × 3.
  EXPECT_EQ(filtered({"--min-diagonal", "2.2"}), filtered({"--min-area", "2"}));
  EXPECT_EQ(filtered({"--min-diagonal", "2.3"}), filtered({"--min-area", "5"}));
}

TEST_F(tree_command, h_cuts_every_peak) {
  EXPECT_EQ(filtered({"--h", "2"}),
            "1 1 1 1 1 1 1 1 1/1 4 4 4 2 2 3 2 1/1 4 4 4 2 3 3 3 1/1 4 4 4 2 2 3 2 1/1 1 1 1 1 1 1 1 1/"
            "1 1 5 1 1 1 1 1 1/1 1 1 1 1 1 1 1 1");
  EXPECT_EQ(filtered({"--h", "0"}), hills);
  write("f.npy", npy_bytes("<f4", "(1, 5)", bytes_of<float>({0, 1, 0.5F, 2, 0})));
  EXPECT_EQ(filtered({"--h", "0.75"}, "@/f.npy"), "0 0.5 0.5 1.25 0");
  EXPECT_EQ(filtered({"--h", "0.75", "--top-hat"}, "@/f.npy"), "0 0.5 0 0.75 0");
}

TEST_F(tree_command, conditions_and_rules) {
  // What is small and stands out comes down to the ground, with its contrasts.
  const std::string stars =
      "1 1 1 1 1 1 1 1 1/1 3 3 3 1 1 2 1 1/1 3 5 3 1 2 4 2 1/1 3 3 3 1 1 2 1 1/1 1 1 1 1 1 1 1 1/"
      "1 1 7 1 1 1 1 1 1/1 1 1 1 1 1 1 1 1";
  EXPECT_EQ(filtered({"--keep", "area<=9", "--keep", "dynamics>=3", "--rule", "subtractive"}), stars);
  EXPECT_EQ(filtered({"--keep", "area < 10", "--keep", " dynamics > +2.5 ", "--rule", "subtractive"}), stars);
  EXPECT_EQ(filtered({"--keep", "area<=9 and dynamics>=3", "--rule", "subtractive"}), stars);
  EXPECT_EQ(filtered({"--keep", "not (area>9 or dynamics<3)", "--rule", "subtractive"}), stars);
  EXPECT_EQ(filtered({"--keep", "area<=9", "--keep", "dynamics>=3"}),
            "1 1 1 1 1 1 1 1 1/1 4 4 4 1 1 3 1 1/1 4 6 4 1 3 5 3 1/1 4 4 4 1 1 3 1 1/1 1 1 1 1 1 1 1 1/"
            "1 1 7 1 1 1 1 1 1/1 1 1 1 1 1 1 1 1");
  EXPECT_EQ(filtered({"--keep", "area<=9", "--keep", "dynamics>=3", "--rule", "min"}),
            "1 1 1 1 1 1 1 1 1/1 1 1 1 1 1 1 1 1/1 1 1 1 1 1 1 1 1/1 1 1 1 1 1 1 1 1/1 1 1 1 1 1 1 1 1/"
            "1 1 7 1 1 1 1 1 1/1 1 1 1 1 1 1 1 1");
  EXPECT_EQ(filtered({"--keep", "area<=9", "--keep", "dynamics>=3", "--rule", "max"}),
            "1 1 1 1 1 1 1 1 1/1 4 4 4 2 2 3 2 1/1 4 6 4 2 3 5 3 1/1 4 4 4 2 2 3 2 1/1 1 1 1 1 1 1 1 1/"
            "1 1 7 1 1 1 1 1 1/1 1 1 1 1 1 1 1 1");
  EXPECT_EQ(filtered({"--min-area", "5", "--keep", "level>=3"}),
            "1 1 1 1 1 1 1 1 1/1 4 4 4 1 1 3 1 1/1 4 4 4 1 3 3 3 1/1 4 4 4 1 1 3 1 1/1 1 1 1 1 1 1 1 1/"
            "1 1 1 1 1 1 1 1 1/1 1 1 1 1 1 1 1 1");
}

TEST_F(tree_command, a_min_tree_has_pits) {
  write("pits.pgm", pgm_bytes("5 1\n255\n9 3 9 5 6"));
  EXPECT_EQ(filtered({"--kind", "min", "--min-area", "2"}, "@/pits.pgm"), "9 9 9 6 6");
  EXPECT_EQ(filtered({"--kind", "min", "--min-area", "2", "--top-hat"}, "@/pits.pgm"), "0 6 0 1 0");
  EXPECT_EQ(filtered({"--kind", "min", "--h", "2"}, "@/pits.pgm"), "9 5 9 7 7");
  EXPECT_EQ(filtered({"--kind", "min", "--keep", "dynamics>=5"}, "@/pits.pgm"), "9 3 9 9 9");
}

TEST_F(tree_command, connectivity) {
  write("diagonal.pgm", pgm_bytes("2 2\n255\n5 0\n0 7"));
  EXPECT_EQ(filtered({"--min-area", "2"}, "@/diagonal.pgm"), "5 0/0 5");
  EXPECT_EQ(filtered({"--min-area", "2", "--connectivity", "8"}, "@/diagonal.pgm"), "5 0/0 5");
  EXPECT_EQ(filtered({"--min-area", "2", "--connectivity", "4"}, "@/diagonal.pgm"), "0 0/0 0");
  write("volume.npy", npy_bytes("|u1", "(2, 2, 2)", std::string("\5\0\0\0\0\0\0\7", 8)));
  EXPECT_EQ(filtered({"--min-area", "2"}, "@/volume.npy"), "5 0/0 0 | 0 0/0 5");
  EXPECT_EQ(filtered({"--min-area", "2", "--connectivity", "6"}, "@/volume.npy"), "0 0/0 0 | 0 0/0 0");
}

TEST_F(tree_command, output_has_the_type_of_the_input) {
  const std::vector<std::pair<std::string, std::string>> images = {
      {"<u2", bytes_of<std::uint16_t>({1, 60000, 2})},
      {"<i2", bytes_of<std::int16_t>({-30000, 30000, -29999})},
      {"<u4", bytes_of<std::uint32_t>({1, 4000000000, 2})},
      {"<f4", bytes_of<float>({-0.5F, 1e30F, 0.25F})},
  };
  for (const auto& [type, bytes] : images) {
    write("in.npy", npy_bytes(type, "(1, 3)", bytes));
    const std::string pixel = bytes.substr(bytes.size() / 3 * 2);
    const std::string wanted = npy_bytes(type, "(1, 3)", bytes.substr(0, bytes.size() / 3) + pixel + pixel);
    succeed({"tree", "@/in.npy", "-q", "--min-area", "2", "-o", "@/out.npy"});
    EXPECT_EQ(read("out.npy"), wanted) << type;
    // Through TIFF, and with a filter that keeps everything back to NPY.
    succeed({"tree", "@/in.npy", "-q", "--min-area", "2", "-o", "@/out.tif"});
    succeed({"tree", "@/out.tif", "-q", "--min-area", "1", "-o", "@/back.npy"});
    EXPECT_EQ(read("back.npy"), wanted) << type;
  }
  write("in.npy", npy_bytes("<i2", "(1, 3)", bytes_of<std::int16_t>({-30000, 30000, -29999})));
  succeed({"tree", "@/in.npy", "-q", "--min-area", "2", "--top-hat", "-o", "@/hat.npy"});
  EXPECT_EQ(read("hat.npy"), npy_bytes("<u2", "(1, 3)", bytes_of<std::uint16_t>({0, 59999, 0})));
  write("wide.npy", npy_bytes("<u2", "(1, 3)", bytes_of<std::uint16_t>({1, 60000, 2})));
  succeed({"tree", "@/wide.npy", "-q", "--min-area", "2", "-o", "@/wide.png"});
  EXPECT_EQ(pixels("wide.png"), "1 2 2");
}

}  // namespace
}  // namespace skerry::test
