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
      {{"--threshold", "300"}, "no pixel is above 300"},
      {{"-t", "200"}, "no pixel is above 200"},
      {{"-t", "199"}, ""},
      {{"-t", "6.5"}, "every pixel is above 6.5"},
      {{"-t", "7"}, ""},
      {{"-t", "300", "--invert"}, "every pixel is at or below 300"},
      {{"-t", "-1", "--invert"}, "no pixel is at or below -1"},
      {{"--at-least", "201"}, "no pixel is 201 or above"},
      {{"--at-least", "200"}, ""},
      {{"--at-least", "7"}, "every pixel is 7 or above"},
      {{"--at-least", "7", "--invert"}, "no pixel is below 7"},
      {{"--range", "10", "199"}, "no pixel is from 10 to 199"},
      {{"--range", "7", "200"}, "every pixel is from 7 to 200"},
      {{"--range", "7", "199"}, ""},
      {{"-t", "300", "-q"}, ""},
      {{"-t", "199", "--min-area", "9"}, ""},  // a selection leaves nothing, not the threshold
      {{}, ""},
  };
  for (const auto& [options, text] : cases)
    EXPECT_EQ(notes(options, "@/a.pgm"),
              text.empty() ? text : "skerry: note: @/a.pgm: " + text + ": values are 7 to 200\n");
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
