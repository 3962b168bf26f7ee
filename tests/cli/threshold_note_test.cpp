// SPDX-License-Identifier: Apache-2.0
// What is said of thresholds that select no pixel, or every one.
#include <limits>

#include "workspace.hpp"

namespace skerry::test {
namespace {

class threshold_notes : public workspace {
 protected:
  threshold_notes() {
    write("a.pgm", pgm_bytes("3 2\n255\n7 9 7\n200 8 9"));
    write("flat.pgm", pgm_bytes("2 1\n255\n5 5"));
    write("f.npy", npy_bytes("<f4", "(1, 3)", bytes_of<float>({-0.5F, 2, std::numeric_limits<float>::quiet_NaN()})));
    write("i.npy", npy_bytes("<i2", "(2, 1, 2)", bytes_of<std::int16_t>({-5, -3, -9, 2})));
  }
  // The notes of a command; "" for none.
  [[nodiscard]] std::string notes(std::vector<std::string> options, const std::string& image) const {
    options.insert(options.begin(), {"label", image});
    const outcome result = run(options);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.err;
  }
};

TEST_F(threshold_notes, name_the_condition_and_the_range) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--threshold", "300"}, "no pixel is above 300: uint8 ends at 255;"},
      {{"-t", "200"}, "no pixel is above 200"},
      {{"-t", "199"}, ""},
      {{"-t", "6.5"}, "every pixel is above 6.5"},
      {{"-t", "7"}, ""},
      {{"-t", "300", "--invert"}, "every pixel is at or below 300: uint8 ends at 255;"},
      {{"-t", "-1", "--invert"}, "no pixel is at or below -1: uint8 begins at 0;"},
      {{"--at-least", "201"}, "no pixel is 201 or above"},
      {{"--at-least", "200"}, ""},
      {{"--at-least", "7"}, "every pixel is 7 or above"},
      {{"--at-least", "7", "--invert"}, "no pixel is below 7"},
      {{"--range", "10", "199"}, "no pixel is from 10 to 199"},
      {{"--range", "7", "200"}, "every pixel is from 7 to 200"},
      {{"--range", "201", "256"}, "no pixel is from 201 to 256: uint8 ends at 255;"},
      {{"--range", "201", "255"}, "no pixel is from 201 to 255"},
      {{"--range", "-9", "-1"}, "no pixel is from -9 to -1: uint8 begins at 0;"},
      {{"--at-least", "0"}, "every pixel is 0 or above"},
      {{"--range", "7", "199"}, ""},
      {{"-t", "300", "-q"}, ""},
      {{"-t", "199", "--min-area", "9"}, ""},  // a selection leaves nothing, not the threshold
      {{"--invert"}, ""},
  };
  for (const auto& [options, text] : cases)
    EXPECT_EQ(notes(options, "@/a.pgm"), text.empty() ? text
                                                      : "skerry: note: @/a.pgm: " + text +
                                                            (text.back() == ';' ? "" : ":") + " values are 7 to 200\n");
}

TEST_F(threshold_notes, read_binary16) {
  write("h.npy", npy_bytes("<f2", "(1, 2)", bytes_of<std::uint16_t>({0x3C00, 0x4100})));  // 1 and 2.5
  EXPECT_EQ(notes({"-t", "5"}, "@/h.npy"), "skerry: note: @/h.npy: no pixel is above 5: values are 1 to 2.5\n");
  EXPECT_EQ(notes({"-t", "1"}, "@/h.npy"), "");
}

// A threshold that no value of the type can reach is said with the end of the type.
TEST_F(threshold_notes, name_the_end_of_the_type) {
  write("i8.npy", npy_bytes("|i1", "(1, 2)", bytes_of<std::int8_t>({-5, 3})));
  write("i64.npy", npy_bytes("<i8", "(1, 2)", bytes_of<std::int64_t>({-5, 3})));
  write("u64.npy", npy_bytes("<u8", "(1, 2)", bytes_of<std::uint64_t>({5, 3})));
  write("b.npy", npy_bytes("|b1", "(1, 2)", bytes_of<std::uint8_t>({0, 1})));
  const auto note = [&](const std::string& threshold, const std::string& image) {
    return notes({"-t", threshold}, "@/" + image);
  };
  const std::string name = "skerry: note: @/";
  EXPECT_EQ(note("128", "i8.npy"), name + "i8.npy: no pixel is above 128: int8 ends at 127; values are -5 to 3\n");
  EXPECT_EQ(note("127", "i8.npy"), name + "i8.npy: no pixel is above 127: values are -5 to 3\n");
  EXPECT_EQ(note("-129", "i8.npy"),
            name + "i8.npy: every pixel is above -129: int8 begins at -128; values are -5 to 3\n");
  EXPECT_EQ(note("-128", "i8.npy"), name + "i8.npy: every pixel is above -128: values are -5 to 3\n");
  EXPECT_EQ(note("1e19", "i64.npy"),
            name + "i64.npy: no pixel is above 1e19: int64 ends at 9223372036854775807; values are -5 to 3\n");
  EXPECT_EQ(note("1e20", "u64.npy"),
            name + "u64.npy: no pixel is above 1e20: uint64 ends at 18446744073709551615; values are 3 to 5\n");
  EXPECT_EQ(note("1.5", "b.npy"), name + "b.npy: no pixel is above 1.5: bool ends at 1; values are 0 to 1\n");
}

TEST_F(threshold_notes, say_that_without_a_threshold_all_of_a_photograph_is_foreground) {
  EXPECT_EQ(
      notes({}, "@/a.pgm"),
      "skerry: note: @/a.pgm: every pixel is foreground (not 0): values are 7 to 200; select some with --threshold\n");
  EXPECT_EQ(notes({"-q"}, "@/a.pgm"), "");
  EXPECT_EQ(notes({"--delta", "200"}, "@/a.pgm"), "");
  write("some.pgm", pgm_bytes("2 1\n255\n5 0"));
  write("none.pgm", pgm_bytes("2 1\n255\n0 0"));
  write("mask.pbm", "P1\n2 1\n1 1");
  for (const char* const image : {"@/some.pgm", "@/none.pgm", "@/mask.pbm"}) EXPECT_EQ(notes({}, image), "");
}

TEST_F(threshold_notes, of_other_images) {
  EXPECT_EQ(notes({"-t", "otsu"}, "@/flat.pgm"),
            "skerry: note: @/flat.pgm: no pixel is above the otsu threshold 5: all values are 5\n");
  EXPECT_EQ(notes({"-t", "2"}, "@/f.npy"), "skerry: note: @/f.npy: no pixel is above 2: values are -0.5 to 2\n");
  EXPECT_EQ(notes({"-t", "-1"}, "@/f.npy"), "");  // NaN is never foreground
  EXPECT_EQ(notes({"-t", "5"}, "@/i.npy"), "skerry: note: @/i.npy: no pixel is above 5: values are -9 to 2\n");
  EXPECT_EQ(notes({"-t", "-4", "--stack"}, "@/i.npy"), "");  // some pixels of the second frame alone are
  EXPECT_EQ(notes({"-t", "2", "--stack"}, "@/i.npy"),
            "skerry: note: @/i.npy: no pixel is above 2: values are -9 to 2\n");
  const outcome measured = run({"measure", "@/a.pgm", "@/flat.pgm", "-t", "100", "--features", "area"});
  EXPECT_EQ(measured.err, "skerry: note: @/flat.pgm: no pixel is above 100: all values are 5\n");
  EXPECT_EQ(measured.out.find("image,label,area\n"), 0U);
}

}  // namespace
}  // namespace skerry::test
