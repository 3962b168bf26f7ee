// SPDX-License-Identifier: Apache-2.0
#include "io/overlay.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "io/montage.hpp"
#include "tiff_maker.hpp"
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

TEST_F(overlay, each_side_of_a_component_has_its_outline_but_not_where_the_image_ends) {
  const std::vector<std::uint8_t> image(35, 200);
  std::vector<std::uint32_t> labels(35, 0);
  const auto paint = [&] {
    return io::paint_overlay(image_view(image.data(), extent(5, 7)), image_view(labels.data(), extent(5, 7)));
  };
  for (const std::size_t y : {1U, 2U, 3U})
    for (std::size_t x = 1; x < 6; ++x) labels[7 * y + x] = 7;
  auto picture = paint();
  for (std::size_t y = 1; y < 4; ++y)
    for (std::size_t x = 1; x < 6; ++x)
      EXPECT_EQ(pixel(picture, 7 * y + x) == io::label_colour(7), y != 2 || x == 1 || x == 5) << y << ", " << x;
  labels.assign(35, 7);
  picture = paint();
  for (std::size_t at = 0; at < 35; ++at) EXPECT_NE(pixel(picture, at), io::label_colour(7)) << at;
}

// From the 0.5 % to the 99.5 % quantile.
TEST_F(overlay, other_types_are_stretched_between_quantiles) {
  std::vector<std::uint16_t> image(1001);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<std::uint16_t>(3000 + i);
  const std::vector<std::uint8_t> labels(1001, 0);
  const auto picture =
      io::paint_overlay(image_view(image.data(), extent(7, 143)), image_view(labels.data(), extent(7, 143)));
  for (std::size_t i = 0; i < image.size(); ++i) {
    const double shade = std::clamp((static_cast<double>(i) - 5) / 990, 0.0, 1.0) * 255;
    const auto byte = static_cast<std::uint8_t>(std::lround(shade));
    ASSERT_EQ(pixel(picture, i), (rgb{byte, byte, byte})) << i;
  }
}

TEST_F(overlay, an_image_without_a_finite_pixel_is_black_and_white) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> image = {nan, -infinity, infinity, nan};
  const std::vector<std::uint8_t> labels(4, 0);
  const auto picture =
      io::paint_overlay(image_view(image.data(), extent(2, 2)), image_view(labels.data(), extent(2, 2)));
  EXPECT_EQ(pixel(picture, 0), (rgb{0, 0, 0}));
  EXPECT_EQ(pixel(picture, 1), (rgb{0, 0, 0}));
  EXPECT_EQ(pixel(picture, 2), (rgb{255, 255, 255}));
  EXPECT_EQ(pixel(picture, 3), (rgb{0, 0, 0}));
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

TEST_F(overlay, maps_are_land_on_a_dark_sea) {
  for (std::uint64_t label = 1; label < 2000; ++label) {
    const rgb land = io::label_colour(label, io::palette::map);
    EXPECT_GT(land[1], land[2]) << label << ": blue is for the sea";
    EXPECT_GT(land[1], 100) << label;
    EXPECT_NE(land, io::label_colour(label + 1, io::palette::map));
  }
  const rgb sea = io::sea_colour(0);
  EXPECT_LT(sea[0], sea[2]);
  EXPECT_LT(sea[2], 80);
  EXPECT_EQ(io::sea_colour(255), (rgb{255, 255, 255}));
  // A component of a mask is its colour throughout, whatever the type of the image.
  const std::vector<std::uint8_t> mask = {0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0};
  const auto picture = io::paint_overlay(image_view(mask.data(), dtype::boolean, extent(5, 5)),
                                         image_view(mask.data(), extent(5, 5)), io::palette::map);
  EXPECT_EQ(pixel(picture, 0), sea);
  EXPECT_EQ(pixel(picture, 5 + 1), io::label_colour(1, io::palette::map));
  EXPECT_EQ(pixel(picture, 2 * 5 + 2), io::label_colour(1, io::palette::map));
  write("mask.pgm", pgm_bytes("2 1\n255\n0 255"));
  succeed({"label", "@/mask.pgm", "--overlay", "@/map.png", "--palette", "map", "-q"});
  io::read_options blue;
  blue.channel = 2;
  EXPECT_EQ(std::to_integer<int>(io::read_image(path("map.png"), blue).bytes[0]), sea[2]);
  EXPECT_NE(fail({"label", "@/mask.pgm", "--palette", "map"}).find("--overlay"), std::string::npos);
}

TEST_F(overlay, volumes_show_as_many_slices_as_fit) {
  using slices = std::vector<std::int64_t>;
  EXPECT_EQ(io::slices_to_show(1, 5, 5), slices{0});
  EXPECT_EQ(io::slices_to_show(3, 5, 5), (slices{0, 1, 2}));
  const slices some = io::slices_to_show(48, 5, 5);
  ASSERT_EQ(some.size(), 24U);
  EXPECT_EQ(some.front(), 1);
  EXPECT_EQ(some.back(), 47);
  EXPECT_EQ(io::slices_to_show(9, 1 << 13, 1 << 13), slices{4});
  EXPECT_EQ(io::slices_to_show(9, 1 << 14, 1 << 14), slices{4});
  EXPECT_EQ(io::slices_to_show(8, 1 << 12, 1 << 13), (slices{2, 6}));
}

TEST_F(overlay, tiles_lie_in_reading_order) {
  io::montage two(2, 1, 1);  // one row of two
  two.put(0, {1, 2, 3});
  two.put(1, {4, 5, 6});
  EXPECT_EQ(two.height(), 1);
  EXPECT_EQ(two.width(), 4);
  EXPECT_EQ(two.pixels(), (std::vector<std::uint8_t>{1, 2, 3, 90, 90, 90, 90, 90, 90, 4, 5, 6}));
  const io::montage brain(24, 96, 88);  // four rows of six
  EXPECT_EQ(brain.height(), 4 * 96 + 3 * 2);
  EXPECT_EQ(brain.width(), 6 * 88 + 5 * 2);
  const io::montage tall(5, 1000, 1);
  EXPECT_EQ(tall.height(), 1000);
  const io::montage wide(5, 1, 1000);
  EXPECT_EQ(wide.width(), 1000);
}

TEST_F(overlay, colours_stay_outside_of_components_and_show_through_inside) {
  std::vector<std::uint8_t> image(3 * 25);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = std::array<std::uint8_t, 3>{200, 10, 90}[i % 3];
  std::vector<std::uint32_t> labels(25, 0);
  for (const std::size_t y : {1U, 2U, 3U})
    for (const std::size_t x : {1U, 2U, 3U}) labels[5 * y + x] = 7;
  const auto picture =
      io::paint_overlay(image_view(image.data(), extent(5, 5, 3)), image_view(labels.data(), extent(5, 5)));
  ASSERT_EQ(picture.size(), 75U);
  EXPECT_EQ(pixel(picture, 0), (rgb{200, 10, 90}));
  EXPECT_EQ(pixel(picture, 24), (rgb{200, 10, 90}));
  EXPECT_EQ(pixel(picture, 5 + 1), io::label_colour(7));
  const rgb inside = pixel(picture, 2 * 5 + 2), paint = io::label_colour(7);
  for (std::size_t c = 0; c < 3; ++c) {
    const int own = (std::array{200, 10, 90})[c];
    EXPECT_GE(inside[c], own / 2) << c;
    EXPECT_LE(inside[c], (own + paint[c]) / 2 + 1) << c;
  }
}

TEST_F(overlay, wide_colours_are_stretched_alike) {
  const std::vector<std::uint16_t> image = {1000, 1000, 1000, 3000, 1000, 2000, 1000, 3000, 1000};
  const std::vector<std::uint8_t> labels(3, 0);
  const auto picture =
      io::paint_overlay(image_view(image.data(), extent(1, 3, 3)), image_view(labels.data(), extent(1, 3)));
  EXPECT_EQ(pixel(picture, 0), (rgb{0, 0, 0}));
  EXPECT_EQ(pixel(picture, 1), (rgb{255, 0, 128}));
  EXPECT_EQ(pixel(picture, 2), (rgb{0, 255, 0}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> floats = {nan, 0, 1};
  EXPECT_EQ(io::paint_overlay(image_view(floats.data(), extent(1, 1, 3)), image_view(labels.data(), extent(1, 1))),
            (std::vector<std::uint8_t>{0, 0, 255}));
}

// What the overlay of a file shows where no component is: the program paints none of its pixels.
class overlay_of_files : public overlay {
 protected:
  [[nodiscard]] std::vector<rgb> shown(const std::vector<std::string>& inputs) const {
    std::vector<std::string> words = {"label"};
    words.insert(words.end(), inputs.begin(), inputs.end());
    words.insert(words.end(), {"--min-area", "1000", "--overlay", "@/seen.png", "-q"});
    succeed(words);
    io::read_options options;
    options.keep_colours = true;
    const io::image seen = io::read_image(path("seen.png"), options);
    std::vector<rgb> pixels;
    for (std::int64_t i = 0; i < 3 * seen.size.pixels(); i += 3)
      pixels.push_back({std::to_integer<std::uint8_t>(seen.colours[i]),
                        std::to_integer<std::uint8_t>(seen.colours[i + 1]),
                        std::to_integer<std::uint8_t>(seen.colours[i + 2])});
    return pixels;
  }
};

TEST_F(overlay_of_files, keep_the_colours_of_the_file) {
  const std::string two = bytes_of<std::uint8_t>({200, 10, 90, 0, 255, 30});
  const std::vector<rgb> colours = {{200, 10, 90}, {0, 255, 30}};
  write("a.ppm", "P3\n2 1\n255\n200 10 90 0 255 30");
  EXPECT_EQ(shown({"@/a.ppm"}), colours);
  write("rgb.tif", tiff_bytes({colour_page(2, 1, 8, 3, two)}));
  EXPECT_EQ(shown({"@/rgb.tif"}), colours);
  // Alpha is left out.
  const std::string with_alpha = bytes_of<std::uint8_t>({200, 10, 90, 0, 0, 255, 30, 128});
  write("rgba.tif", tiff_bytes({colour_page(2, 1, 8, 4, with_alpha).set(338, {2}, 3)}));
  EXPECT_EQ(shown({"@/rgba.tif"}), colours);
  EXPECT_EQ(shown({"--channel", "0", "@/rgb.tif"}), (std::vector<rgb>{{200, 200, 200}, {0, 0, 0}}));
}

TEST_F(overlay_of_files, of_png_with_alpha_and_palette) {
  const std::string_view alpha(
      "\211\120\116\107\015\012\032\012\000\000\000\015\111\110\104\122\000\000\000\002\000\000\000\001\010"
      "\006\000\000\000\364\042\177\212\000\000\000\021\111\104\101\124\170\234\143\070\301\025\305\300\360"
      "\137\256\001\000\014\144\002\312\123\030\237\314\000\000\000\000\111\105\116\104\256\102\140\202",
      74);
  const std::string_view palette(
      "\211\120\116\107\015\012\032\012\000\000\000\015\111\110\104\122\000\000\000\002\000\000\000\001\010"
      "\003\000\000\000\303\374\217\270\000\000\000\006\120\114\124\105\000\377\036\310\012\132\061\050\311"
      "\167\000\000\000\013\111\104\101\124\170\234\143\140\144\000\000\000\005\000\002\321\146\063\170\000"
      "\000\000\000\111\105\116\104\256\102\140\202",
      86);
  const std::string_view alpha_of_16_bits(
      "\211\120\116\107\015\012\032\012\000\000\000\015\111\110\104\122\000\000\000\003\000\000\000\001\020"
      "\006\000\000\000\113\160\310\367\000\000\000\035\111\104\101\124\170\234\143\140\176\001\202\377\377"
      "\163\357\140\176\301\176\201\201\223\371\005\210\305\300\000\000\212\341\011\347\071\241\143\105\000"
      "\000\000\000\111\105\116\104\256\102\140\202",
      86);
  const std::vector<rgb> colours = {{200, 10, 90}, {0, 255, 30}};
  write("alpha.png", alpha);
  EXPECT_EQ(shown({"@/alpha.png"}), colours);
  write("palette.png", palette);
  EXPECT_EQ(shown({"@/palette.png"}), colours);
  write("wide.png", alpha_of_16_bits);
  EXPECT_EQ(shown({"@/wide.png"}), (std::vector<rgb>{{0, 0, 0}, {255, 0, 128}, {0, 255, 0}}));
}

TEST_F(overlay_of_files, of_16_bits_are_stretched) {
  const std::vector<std::uint16_t> wide = {1000, 1000, 1000, 3000, 1000, 2000, 1000, 3000, 1000};
  write("rgb16.tif", tiff_bytes({colour_page(3, 1, 16, 3, bytes_of(wide))}));
  const std::vector<rgb> colours = {{0, 0, 0}, {255, 0, 128}, {0, 255, 0}};
  EXPECT_EQ(shown({"@/rgb16.tif"}), colours);
  write("rgb16.ppm", "P3\n3 1\n65535\n1000 1000 1000 3000 1000 2000 1000 3000 1000");
  EXPECT_EQ(shown({"@/rgb16.ppm"}), colours);
}

TEST_F(overlay_of_files, of_palettes_have_its_colours) {
  std::vector<std::uint32_t> map(3 * 256, 0);
  map[5] = 0xc8ff, map[256 + 5] = 0x0a00, map[512 + 5] = 0x5a10;  // red, green, blue
  map[256 + 9] = 0xffff;
  const auto page = grey_page(2, 1, 8, bytes_of<std::uint8_t>({5, 9})).set(262, {3}, 3);
  write("palette.tif", tiff_bytes({tiff_page_recipe(page).set(320, map, 3)}));
  EXPECT_EQ(shown({"@/palette.tif"}), (std::vector<rgb>{{0xc8, 0x0a, 0x5a}, {0, 0xff, 0}}));
  for (std::uint32_t& value : map) value >>= 8;  // as some programs write it
  write("bytes.tif", tiff_bytes({tiff_page_recipe(page).set(320, map, 3)}));
  EXPECT_EQ(shown({"@/bytes.tif"}), (std::vector<rgb>{{0xc8, 0x0a, 0x5a}, {0, 0xff, 0}}));
  // Without a map its numbers are grey.
  write("none.tif", tiff_bytes({page}));
  EXPECT_EQ(shown({"@/none.tif"}), (std::vector<rgb>{{5, 5, 5}, {9, 9, 9}}));
}

TEST_F(overlay_of_files, of_volumes_and_stacks_show_their_own_slice) {
  const auto page = [](std::uint8_t red) { return colour_page(1, 1, 8, 3, bytes_of<std::uint8_t>({red, 7, 8})); };
  write("three.tif", tiff_bytes({page(10), page(20), page(30)}));
  const rgb gutter = {90, 90, 90};
  std::vector<rgb> all(16, gutter);
  all[0] = {10, 7, 8};
  all[3] = {20, 7, 8};
  all[12] = {30, 7, 8};
  EXPECT_EQ(shown({"@/three.tif"}), all);
  EXPECT_EQ(shown({"@/three.tif", "--stack"}), all);
  EXPECT_EQ(shown({"@/three.tif", "--page", "2"}), (std::vector<rgb>{{30, 7, 8}}));
  for (const std::uint8_t red : {10, 20, 30}) write(std::to_string(red) + ".tif", tiff_bytes({page(red)}));
  EXPECT_EQ(shown({"@/10.tif", "@/20.tif", "@/30.tif", "--volume"}), all);
  // Not all of them have colours.
  write("grey.tif", tiff_bytes({grey_page(1, 1, 8, "\x09")}));
  EXPECT_EQ(shown({"@/10.tif", "@/grey.tif", "@/30.tif", "--volume"})[3], (rgb{9, 9, 9}));
}

TEST_F(overlay, halves_look_as_the_floats_they_are) {
  const std::vector<std::uint16_t> halves = {0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x7e00};  // 1 to 5, NaN
  write("half.npy", npy_bytes("<f2", "(2, 3)", bytes_of(halves)));
  write("float.npy", npy_bytes("<f4", "(2, 3)", bytes_of<float>({1, 2, 3, 4, 5, std::nanf("")})));
  for (const std::string name : {"half", "float"})
    succeed({"label", "@/" + name + ".npy", "--threshold", "2", "--overlay", "@/" + name + ".png", "-q"});
  EXPECT_EQ(read("half.png"), read("float.png"));
}

TEST_F(overlay, the_command_writes_it_for_images_and_for_volumes_side_by_side) {
  write("a.pgm", pgm_bytes("3 1\n255\n50 0 90"));
  succeed({"label", "@/a.pgm", "--threshold", "60", "--overlay", "@/a.png", "-q"});
  const io::image picture = io::read_image(path("a.png"));
  EXPECT_EQ(picture.channels, 3);
  EXPECT_EQ(picture.size, extent(1, 3));
  EXPECT_EQ(std::to_integer<int>(picture.bytes[0]), 50);
  EXPECT_EQ(std::to_integer<int>(picture.bytes[1]), 0);

  write("v.npy", npy_bytes("|u1", "(3, 1, 2)", std::string("\x0a\x0b\x14\x15\x1e\x1f", 6)));
  succeed({"label", "@/v.npy", "--threshold", "100", "--overlay", "@/v.png", "-q"});
  // Three flat slices one below the other, with grey gutters of two pixels.
  EXPECT_EQ(pixels("v.png"), "10 11/90 90/90 90/20 21/90 90/90 90/30 31");
}

}  // namespace
}  // namespace skerry::test
