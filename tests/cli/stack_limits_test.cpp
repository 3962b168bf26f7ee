// SPDX-License-Identifier: Apache-2.0
// Pages, channels and sizes at their limits, the same for every reader.
#include "io/file_error.hpp"
#include "io/gif.hpp"
#include "io/grey.hpp"
#include "tiff_maker.hpp"
#include "workspace.hpp"

namespace skerry::test {
namespace {

// A FITS file of bytes: cards of 80 characters in blocks of 2880.
std::string fits_bytes(const std::vector<int>& sides, const std::string& pixels) {
  std::string cards;
  const auto add = [&](std::string card) { cards += card.append(80 - card.size(), ' '); };
  const auto number = [&](const std::string& key, int value) {
    const std::string digits = std::to_string(value);
    add(key + std::string(8 - key.size(), ' ') + "= " + std::string(20 - digits.size(), ' ') + digits);
  };
  add("SIMPLE  =                    T");
  number("BITPIX", 8);
  number("NAXIS", static_cast<int>(sides.size()));
  for (std::size_t i = 0; i < sides.size(); ++i) number("NAXIS" + std::to_string(i + 1), sides[i]);
  add("END");
  cards.append((2880 - cards.size() % 2880) % 2880, ' ');
  return cards + pixels + std::string((2880 - pixels.size() % 2880) % 2880, '\0');
}

class stack_limits : public workspace {
 protected:
  // "height x width: pixel …", or the reason of an error.
  std::string read_as(const std::string& name, std::int64_t page, int channel = -1) const {
    io::read_options options;
    options.page = page;
    options.channel = channel;
    try {
      const io::image image = io::read_image(path(name), options);
      return io::text_of(image.size) + ": " + std::to_string(std::to_integer<int>(image.bytes[0]));
    } catch (const io::file_error& error) {
      return error.reason();
    }
  }
  // Files of three pages that begin with 1, 2 and 3, and of one page that begins with 1.
  void write_stacks() const {
    write("three.npy", npy_bytes("|u1", "(3, 1, 2)", "\1 \2 \3 "));
    write("three.tif", tiff_bytes({grey_page(2, 1, 8, "\1 "), grey_page(2, 1, 8, "\2 "), grey_page(2, 1, 8, "\3 ")}));
    write("three.pgm", "P5 2 1 255\n\1 P5 2 1 255\n\2 P5 2 1 255\n\3 ");
    write("one.npy", npy_bytes("|u1", "(1, 2)", "\1 "));
    write("one.tif", tiff_bytes({grey_page(2, 1, 8, "\1 ")}));
    write("one.pgm", "P5 2 1 255\n\1 ");
    write("one.fits", fits_bytes({2, 1}, "\1 "));
  }
};

TEST_F(stack_limits, pages_from_the_first_to_the_last_and_no_more) {
  write_stacks();
  for (const std::string end : {"npy", "tif", "pgm"}) {
    EXPECT_EQ(read_as("three." + end, -1), "3 x 1 x 2: 1") << end;
    EXPECT_EQ(read_as("three." + end, 0), "1 x 2: 1") << end;
    EXPECT_EQ(read_as("three." + end, 2), "1 x 2: 3") << end;
    EXPECT_EQ(read_as("three." + end, 3), "has no page 3: it has 3, the first is 0") << end;
  }
  for (const std::string end : {"npy", "tif", "pgm", "fits"}) {
    EXPECT_EQ(read_as("one." + end, 0), "1 x 2: 1") << end;
    EXPECT_EQ(read_as("one." + end, 1), "has no page 1: it has 1, the first is 0") << end;
  }
}

TEST_F(stack_limits, channels_from_the_first_to_the_last_and_no_more) {
  write_stacks();
  write("rgb.ppm", "P6 1 1 255\n\1\2\3");
  write("rgb.tif", tiff_bytes({grey_page(1, 1, 8, "\1\2\3").set(262, {2}, 3).set(277, {3}, 3).set(258, {8, 8, 8}, 3)}));
  for (const std::string end : {"npy", "tif", "pgm", "fits"}) {
    EXPECT_EQ(read_as("one." + end, -1, 0), "1 x 2: 1") << end;
    EXPECT_NE(read_as("one." + end, -1, 1).find("has no channel 1: "), std::string::npos) << end;
  }
  for (const std::string name : {"rgb.ppm", "rgb.tif"}) {
    EXPECT_EQ(read_as(name, -1, 2), "1 x 1: 3") << name;
    EXPECT_EQ(read_as(name, -1, 3), "has no channel 3: it has 3, the first is 0") << name;
  }
}

TEST_F(stack_limits, which_channels_are_colours) {
  struct choice {
    int channels;
    bool last_is_alpha;
    int begin, end;
  };
  for (const choice& each : {choice{1, false, 0, 1}, choice{1, true, 0, 1}, choice{2, true, 0, 1},
                             choice{3, false, 0, 3}, choice{4, true, 0, 3}}) {
    const io::grey_rule rule = io::choose_channels(each.channels, each.last_is_alpha, -1, "x");
    EXPECT_EQ(rule.begin, each.begin) << each.channels;
    EXPECT_EQ(rule.end, each.end) << each.channels;
  }
  for (const choice& each :
       {choice{2, false, 0, 0}, choice{3, true, 0, 0}, choice{4, false, 0, 0}, choice{5, true, 0, 0}})
    EXPECT_THROW((void)io::choose_channels(each.channels, each.last_is_alpha, -1, "x"), io::file_error)
        << each.channels;
}

TEST_F(stack_limits, tiff_with_more_samples_than_colours) {
  auto page = grey_page(1, 1, 8, "\x64\x64\x64\7").set(262, {2}, 3).set(277, {4}, 3).set(258, {8, 8, 8, 8}, 3);
  write("four.tif",
        tiff_bytes({page.set(338, {0}, 3)}));  // the fourth is not said to be alpha: everybody takes it for it
  EXPECT_EQ(read_as("four.tif", -1), "1 x 1: 100");
  write("five.tif", tiff_bytes({grey_page(1, 1, 8, "\1\2\3\4\5")
                                    .set(262, {2}, 3)
                                    .set(277, {5}, 3)
                                    .set(258, {8, 8, 8, 8, 8}, 3)
                                    .set(338, {0, 0}, 3)}));
  EXPECT_EQ(read_as("five.tif", -1), "has 5 channels; choose a channel with --channel N (the first is 0)");
}

TEST_F(stack_limits, tiff_volumes_and_what_is_no_page) {
  const auto tiled = [](std::uint32_t depth, std::uint32_t tile_depth, std::size_t bytes) {
    auto page = grey_page(16, 16, 8, std::string(bytes, '\7')).set(32997, {depth}).set(32998, {tile_depth});
    return page.set(322, {16}).set(323, {16}).without(278);
  };
  write("deep.tif", tiff_bytes({tiled(2, 2, 512)}));
  EXPECT_EQ(read_as("deep.tif", -1), "is a volume in tiles of several slices; save it as pages");
  auto two = tiled(2, 1, 512);
  write("two.tif", tiff_bytes({two, two}));
  EXPECT_EQ(read_as("two.tif", -1), "has several pages that are volumes; choose one");
  const auto mask = grey_page(2, 1, 8, "xy").set(254, {4});
  write("masked.tif", tiff_bytes({grey_page(2, 1, 8, "ab"), mask}));
  EXPECT_EQ(read_as("masked.tif", -1), "1 x 2: 97");
  for (const int images : {1, 2, 3}) {
    write("hidden.tif",
          tiff_bytes({grey_page(2, 1, 8, "ab").describe("ImageJ=1.53t\nimages=" + std::to_string(images) + "\n")}));
    EXPECT_EQ(read_as("hidden.tif", -1) == "1 x 2: 97", images == 1) << images;
  }
}

TEST_F(stack_limits, of_several_fits_images_one_is_chosen) {
  std::string second = fits_bytes({2, 1}, "\2 ");
  second.replace(0, 30, "XTENSION= 'IMAGE   '          ");
  write("two.fits", fits_bytes({2, 1}, "\1 ") + second);
  EXPECT_EQ(read_as("two.fits", -1), "holds 2 images; choose one by --page, the first is 0");
  EXPECT_EQ(read_as("two.fits", 1), "1 x 2: 2");
  EXPECT_EQ(fail({"info", "@/two.fits"}), "@/two.fits: holds 2 images; choose one by --page, the first is 0");
  EXPECT_NE(succeed({"info", "@/two.fits", "--page", "1"}).find("1 x 2"), std::string::npos);
  write("none.fits", fits_bytes({}, ""));
  EXPECT_EQ(read_as("none.fits", -1), "holds no image, only headers or tables");
  write("short.fits", fits_bytes({2000, 2000}, "\1 "));
  EXPECT_EQ(read_as("short.fits", -1), "is truncated: 2880 bytes of pixels");
}

TEST_F(stack_limits, pnm_that_is_not_whole_or_not_right) {
  const std::string broken = "is truncated or damaged";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"P5 2 1 255\n\1", "is truncated: 1 bytes of pixels for 1 rows of 2"},
      {"P5 2 1 256\n\1\1\1", "is truncated: 3 bytes of pixels for 1 rows of 4"},
      {"P4 9 2 \1\1\1", "is truncated: 3 bytes of pixels for 2 rows of 2"},
      {"P2 2 1 255\n1", broken + " (it ends early)"},
      {"P2 2 1 255\n1 ", broken + " (it ends early)"},
      {"P2 2 1 255\n1 x", broken + " (a number is missing)"},
      {"P2 2 1 7\n1 8", broken + " (a number is above 7)"},
      {"P5 1 1 7\n\x08", broken + " (the value 8 is above the maxval 7)"},
      {"P5 1 1 0\n\1", broken + " (the maxval is 0)"},
      {"P5 1 1 65536\n\1\1\1", broken + " (a number is above 65535)"},
      {"P1 2 1 0 2", broken + " (a bit is neither 0 nor 1)"},
      {"P5 99999999999 1 255\n", broken + " (a number is above 2147483647)"},
      {"P5 1", broken + " (it ends early)"},
      {"P5 # no end", broken + " (it ends early)"},
      {"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nENDHDR\n\1", broken + " (the header lacks a line)"},
      {"P7\nWIDE 1\nENDHDR\n\1", broken + " (the header has an unknown line)"},
      {"Pf 1 1 0.0\n1234", broken + " (the byte order is missing)"},
      {"P2 2147483647 2147483647 255\n1", broken + " (it ends early)"},
  };
  for (const auto& [bytes, reason] : cases) {
    write("x.pgm", bytes);
    EXPECT_EQ(read_as("x.pgm", -1), reason) << bytes;
  }
}

TEST_F(stack_limits, pnm_that_is_right) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"P2 2 1 255 1 2", "1 2"},      {"P2#a\n2#b\n1 255\n1 #c\n2\n", "1 2"},        {"P1 3 1\n010", "255 0 255"},
      {"P1 3 1\n0 1 0", "255 0 255"}, {std::string("P4 3 1\n\x40", 8), "255 0 255"}, {"P5 2 1 255#x\nab", "97 98"},
      {"P5 2 1 255\nab\n", "97 98"},  {"P2 2 1 65535 40000 65535", "40000 65535"},   {"P5 1 1 4095\n\x0f\xff", "4095"},
  };
  for (const auto& [bytes, text] : cases) {
    write("x.pgm", bytes);
    EXPECT_EQ(pixels("x.pgm"), text) << bytes;
  }
}

TEST_F(stack_limits, sides_of_gif) {
  for (const auto& [height, width, fits] : {std::tuple(1, 65535, true), std::tuple(65535, 1, true),
                                            std::tuple(1, 65536, false), std::tuple(65536, 1, false)}) {
    io::pending_file file(path("a.gif"));
    if (fits) EXPECT_NO_THROW(io::check_gif_size(file, height, width));
    else EXPECT_THROW(io::check_gif_size(file, height, width), io::file_error);
  }
}

}  // namespace
}  // namespace skerry::test
