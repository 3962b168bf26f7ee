// SPDX-License-Identifier: Apache-2.0
// Several channels of intensities: each has the columns that it has alone.
#include <map>
#include <sstream>

#include "tiff_maker.hpp"
#include "workspace.hpp"

namespace skerry::test {
namespace {

using words = std::vector<std::string>;

class channels_command : public workspace {
 protected:
  channels_command() {
    write("three.ppm", "P6\n3 2\n255\n" + std::string("\1\7\2\0\3\4\3\1\1\5\1\7\0\2\2\6\5\4", 18));
    write("labels.pgm", pgm_bytes("3 2\n255\n1 0 4\n1 4 4"));
    const auto page = [](const char* pixels) { return grey_page(3, 2, 8, std::string(pixels, 6)); };
    auto first = page("\1\0\3\5\0\6");
    first.describe(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><OME><Image ID=\"Image:0\"><Pixels SizeX=\"3\" SizeY=\"2\" "
        "DimensionOrder=\"XYZCT\" SizeZ=\"1\" SizeC=\"2\" SizeT=\"1\"><Channel Name=\"DAPI\" SamplesPerPixel=\"1\"/>"
        "<Channel Name=\"all\" SamplesPerPixel=\"1\"/><TiffData/></Pixels></Image></OME>");
    write("named.tif", tiff_bytes({first, page("\7\3\1\1\2\5")}));
  }

  // The columns of a table as CSV, by name.
  static std::map<std::string, words> columns(const std::string& table) {
    std::istringstream lines(table);
    std::string line, field;
    words names;
    std::map<std::string, words> found;
    for (bool head = true; std::getline(lines, line); head = false) {
      std::istringstream fields(line);
      for (std::size_t i = 0; std::getline(fields, field, ','); ++i) {
        if (head) names.push_back(field);
        else found[names.at(i)].push_back(field);
      }
    }
    return found;
  }

  [[nodiscard]] std::string with(words arguments, const words& channels) const {
    for (const std::string& channel : channels) arguments.insert(arguments.end(), {"--intensity-channel", channel});
    return succeed(arguments);
  }

  // Columns of channels are those of each alone, and others those without a channel.
  void expect_those_of_each(const words& asked, const words& channels) const {
    const auto together = columns(with(asked, channels));
    std::size_t compared = 0;
    for (std::size_t i = 0; i < channels.size(); ++i)
      for (const auto& [name, values] : columns(with(asked, {channels[i]}))) {
        const bool is_numbered = name.starts_with("intensity") || name.find("weighted") != std::string::npos;
        const auto same = together.find(is_numbered ? name + "-" + std::to_string(i) : name);
        ASSERT_NE(same, together.end()) << name;
        EXPECT_EQ(same->second, values) << name;
        ++compared;
      }
    EXPECT_GE(compared, together.size());
  }
};

TEST_F(channels_command, components_have_the_columns_of_each) {
  words asked = {"measure", "@/three.ppm", "--channel", "0", "--intensity", "self"};
  expect_those_of_each(asked, {"2", "0", "1"});
  asked.insert(asked.end(), {"--features", "all", "--pixel-size", "2,3um"});
  expect_those_of_each(asked, {"1", "1"});
}

TEST_F(channels_command, regions_have_the_columns_of_each) {
  const words asked = {"measure", "--labels", "@/labels.pgm", "--intensity", "@/three.ppm"};
  expect_those_of_each(asked, {"0", "2"});
  EXPECT_EQ(with({"measure", "--labels", "@/labels.pgm", "--intensity", "@/three.ppm", "--features", "intensity_sum"},
                 {"all"}),
            "label,intensity_sum-0,intensity_sum-1,intensity_sum-2\n1,6,8,9\n4,9,8,7\n");
}

TEST_F(channels_command, all_are_numbered_even_one) {
  const words asked = {"measure", "@/three.ppm", "--channel", "0", "--intensity", "self"};
  EXPECT_EQ(with(asked, {"all"}), with(asked, {"0", "1", "2"}));
  EXPECT_EQ(with({"measure", "@/labels.pgm", "--intensity", "self", "--features", "intensity_max"}, {"all"}),
            "label,intensity_max-0\n1,4\n");
}

// "all" is every channel of a file that names one so, too.
TEST_F(channels_command, names_stand_for_channels) {
  const words asked = {"measure",     "@/named.tif", "--channel",  "DAPI",
                       "--intensity", "self",        "--features", "intensity_sum"};
  EXPECT_EQ(with(asked, {"1", "DAPI"}), "label,intensity_sum-0,intensity_sum-1\n1,8,6\n2,6,9\n");
  EXPECT_EQ(with(asked, {"all"}), "label,intensity_sum-0,intensity_sum-1\n1,6,8\n2,9,6\n");
}

TEST_F(channels_command, conditions_take_their_columns) {
  words asked = {"measure", "@/three.ppm", "--channel", "0", "--intensity", "self", "--features", "area"};
  const outcome without = run({"measure", "@/three.ppm", "--channel", "0", "--features", "area"});
  EXPECT_EQ(without.out, "label,area\n1,2\n2,2\n");
  asked.insert(asked.end(), {"--keep", "intensity_max-1>=5 and intensity_sum-0>6"});
  EXPECT_EQ(with(asked, {"0", "1"}), "label,area\n1,2\n");
}

TEST_F(channels_command, what_does_not_fit_is_refused) {
  const outcome partly =
      run({"measure", "@/labels.pgm", "@/three.ppm", "--intensity", "self", "--intensity-channel", "all"});
  EXPECT_EQ(partly.code, 2);
  EXPECT_EQ(partly.err,
            "skerry: 1 of 2 images have no result:\nskerry: @/three.ppm: has intensities of 3 channels, images before "
            "it of 1: "
            "they do "
            "not fit one table; write a table for each with {name}, or choose by --intensity-channel N\n");
  EXPECT_EQ(
      fail({"measure", "@/labels.pgm", "--intensity", "@/three.ppm", "--intensity-channel", "all", "--memory", "1G"}),
      "--intensity-channel: --memory measures one channel at a time; give one");
  EXPECT_EQ(fail({"measure", "@/labels.pgm", "--intensity", "@/three.ppm", "--intensity-channel", "1",
                  "--intensity-channel", "3"}),
            "@/three.ppm: has no channel 3: it has 3, the first is 0");
  EXPECT_EQ(fail({"measure", "@/labels.pgm", "--intensity", "@/three.ppm", "--intensity-channel", "all", "--features",
                  "intensity_mean-3"})
                .find("--features: no 'intensity_mean-3'; did you mean"),
            0U);
}

TEST_F(channels_command, the_option_of_intensities_chooses_their_channel) {
  const auto refusal = [&](const std::string& intensity) {
    return fail({"measure", "--labels", "@/labels.pgm", "--intensity", intensity});
  };
  const std::string how = "choose a channel with --intensity-channel N (the first is 0)",
                    all = ", or take all of them with --intensity-channel all";
  EXPECT_EQ(refusal("@/named.tif"), "@/named.tif: has the axes C 2 (DAPI, all); " + how + " or its name" + all);
  write("labels.tif", tiff_bytes({grey_page(3, 2, 8, std::string("\1\0\4\1\4\4", 6))}));
  EXPECT_EQ(fail({"measure", "--labels", "@/labels.tif", "--intensity", "@/named.tif", "--memory", "1G"}),
            "@/named.tif: has the axes C 2 (DAPI, all); " + how + " or its name");
  auto page = grey_page(3, 2, 8, std::string("\1\2\3\4\5\6\1\2\3\4\5\6", 12)).set(277, {2}, 3).set(258, {8, 8}, 3);
  write("two.tif", tiff_bytes({page.set(338, {0}, 3)}));
  EXPECT_EQ(refusal("@/two.tif"), "@/two.tif: has 2 channels; " + how + all);
  EXPECT_EQ(fail({"measure", "@/two.tif"}),
            "@/two.tif: has 2 channels; choose a channel with --channel N (the first is 0)");
}

TEST_F(channels_command, pages_without_axes_are_not_channels) {
  const auto page = [](const char* pixels) { return grey_page(3, 2, 8, std::string(pixels, 6)); };
  write("pages.tif", tiff_bytes({page("\1\0\3\5\0\6"), page("\7\3\1\1\2\5")}));
  write("labels.tif", tiff_bytes({page("\1\0\4\1\4\4")}));
  for (const words& more : {words{}, words{"--intensity-channel", "all"}, words{"--memory", "1G"}}) {
    words asked = {"measure", "--labels", "@/labels.tif", "--intensity", "@/pages.tif"};
    asked.insert(asked.end(), more.begin(), more.end());
    EXPECT_EQ(
        fail(asked),
        "@/pages.tif: is 2 x 2 x 3, but @/labels.tif is 2 x 3; its pages have no axes, and are not channels: save "
        "them with an axis C of ImageJ or OME-TIFF, or save each in a file of its own");
  }
  write("other.tif", tiff_bytes({grey_page(2, 2, 8, "abcd"), grey_page(2, 2, 8, "abcd")}));
  EXPECT_EQ(fail({"measure", "--labels", "@/labels.pgm", "--intensity", "@/other.tif"}),
            "@/other.tif: is 2 x 2 x 2, but @/labels.pgm is 2 x 3");
}

}  // namespace
}  // namespace skerry::test
