// SPDX-License-Identifier: Apache-2.0
// TIFF files as microscopes, scanners and NumPy programs write them.
#include "tiff_maker.hpp"

#include <malloc.h>

#include <algorithm>

#include "io/file_error.hpp"
#include "workspace.hpp"

namespace skerry::test {
namespace {

class tiff : public workspace {
 protected:
  std::string read_as_text(const std::vector<tiff_page_recipe>& pages) {
    write("x.tif", tiff_bytes(pages));
    return pixels("x.tif");
  }
  dtype type() { return io::read_image(path("x.tif")).type; }
  std::string reason(const std::string& bytes) {
    write("x.tif", bytes);
    try {
      (void)io::read_image(path("x.tif"));
    } catch (const io::file_error& error) {
      return error.reason();
    }
    return "is read";
  }
  // Two rows of 10 pixels: 1010101010 and 0000000011.
  const std::string bits = std::string("\xaa\x80\x00\xc0", 4);
  const std::string bits_text = "1 0 1 0 1 0 1 0 1 0/0 0 0 0 0 0 0 0 1 1";
};

TEST_F(tiff, one_bit_is_bool_with_and_without_the_tag) {
  EXPECT_EQ(read_as_text({grey_page(10, 2, 1, bits)}), bits_text);
  EXPECT_EQ(type(), dtype::boolean);
  // The format says 1 when the tag is missing, and Pillow leaves it out.
  EXPECT_EQ(read_as_text({grey_page(10, 2, 1, bits).without(258)}), bits_text);
  EXPECT_EQ(type(), dtype::boolean);
}

TEST_F(tiff, stored_numbers_are_kept) {
  EXPECT_EQ(read_as_text({grey_page(10, 2, 1, bits).set(262, {0}, 3)}), bits_text);  // white is zero
  EXPECT_EQ(read_as_text({grey_page(3, 1, 4, "\x1f\x80")}), "1 15 8");
  EXPECT_EQ(type(), dtype::u8);
  EXPECT_EQ(read_as_text({grey_page(3, 1, 12, std::string("\x00\x1f\xff\x80\x00", 5))}), "1 4095 2048");
  EXPECT_EQ(type(), dtype::u16);
}

TEST_F(tiff, pixel_types) {
  EXPECT_EQ(read_as_text({grey_page(2, 1, 16, bytes_of<std::uint16_t>({1, 65535}))}), "1 65535");
  EXPECT_EQ(read_as_text({grey_page(2, 1, 32, bytes_of<std::uint32_t>({1, 4294967295U}))}), "1 4294967295");
  EXPECT_EQ(read_as_text({grey_page(2, 1, 16, bytes_of<std::int16_t>({-1, 7})).set(339, {2}, 3)}), "-1 7");
  EXPECT_EQ(read_as_text({grey_page(2, 1, 32, bytes_of<std::int32_t>({-1, 7})).set(339, {2}, 3)}), "-1 7");
  EXPECT_EQ(read_as_text({grey_page(2, 1, 32, bytes_of<float>({-1.5F, 7})).set(339, {3}, 3)}), "-1.5 7");
  EXPECT_EQ(read_as_text({grey_page(2, 1, 64, bytes_of<double>({-1.5, 7})).set(339, {3}, 3)}), "-1.5 7");
  // Halves: 1.5, -2, the smallest, the largest, infinity.
  EXPECT_EQ(
      read_as_text(
          {grey_page(5, 1, 16, bytes_of<std::uint16_t>({0x3e00, 0xc000, 0x0001, 0x7bff, 0x7c00})).set(339, {3}, 3)}),
      "1.5 -2 5.96046e-08 65504 inf");
  EXPECT_EQ(type(), dtype::f16);
  EXPECT_EQ(read_as_text({grey_page(2, 1, 8, "\xff\x07").set(339, {2}, 3)}), "-1 7");
  EXPECT_EQ(type(), dtype::i8);
  EXPECT_EQ(read_as_text({grey_page(2, 1, 64, bytes_of<std::uint64_t>({1, 1ULL << 63}))}), "1 9223372036854775808");
  EXPECT_EQ(read_as_text({grey_page(2, 1, 64, bytes_of<std::int64_t>({-1, 7})).set(339, {2}, 3)}), "-1 7");
}

TEST_F(tiff, types_that_are_not_read) {
  const auto page = [](std::uint32_t bits_per_sample, std::uint32_t format) {
    return tiff_bytes({grey_page(1, 1, bits_per_sample, "12345678").set(339, {format}, 3)});
  };
  EXPECT_EQ(reason(page(24, 1)), "has the unsupported pixel type uint24");
  EXPECT_EQ(reason(page(12, 2)), "has the unsupported pixel type int12");
  EXPECT_EQ(reason(page(24, 3)), "has the unsupported pixel type float24");
  EXPECT_EQ(reason(page(64, 6)), "has complex pixels");
}

TEST_F(tiff, palettes_are_colours_as_in_png) {
  auto page = grey_page(3, 1, 8, std::string("\0\1\2", 3)).set(262, {3}, 3);
  std::vector<std::uint32_t> map(3 * 256, 0);  // all reds, all greens, all blues
  map[1] = 0x6464;                             // 1 is red, 2 is green
  map[256 + 2] = 0x6464;
  EXPECT_EQ(read_as_text({page.set(320, map, 3)}), "0 21 72");
  EXPECT_EQ(io::read_image(path("x.tif")).channels, 3);
}

TEST_F(tiff, compressions_that_are_not_read_are_named_and_nothing_is_said_in_the_words_of_libtiff) {
  EXPECT_EQ(reason(tiff_bytes({grey_page(2, 1, 8, "ab").set(259, {34712}, 3)})),
            "has the compression 34712, which is not read; save it uncompressed or with deflate");
  EXPECT_EQ(reason(tiff_bytes({grey_page(2, 2, 8, "ab")})), "is truncated or damaged");
}

TEST_F(tiff, strips_of_any_height) {
  auto page = grey_page(2, 5, 8, "abcdefghij").set(278, {2});
  const std::uint32_t at = 8 + 2 + 12 * 9 + 4 + 24;  // after two lists of three numbers
  page.set(273, {at, at + 4, at + 8}).set(279, {4, 4, 2});
  EXPECT_EQ(read_as_text({page}), "97 98/99 100/101 102/103 104/105 106");
}

TEST_F(tiff, colour_and_alpha) {
  const auto rgb = [](std::uint32_t samples, const std::string& values) {
    auto page = grey_page(2, 1, 8, values).set(262, {2}, 3).set(277, {samples}, 3);
    if (samples == 4) page.set(338, {2}, 3);
    return page.set(258, std::vector<std::uint32_t>(samples, 8), 3);
  };
  EXPECT_EQ(read_as_text({rgb(3, std::string("\x64\0\0\0\x64\0", 6))}), "21 72");
  EXPECT_EQ(read_as_text({rgb(4, std::string("\x64\0\0\x05\0\x64\0\x07", 8))}), "21 72");
  // Planes one after the other.
  auto planes = rgb(3, std::string("\x64\0\0\x64\0\0", 6)).set(284, {2}, 3);
  const std::uint32_t at = 8 + 2 + 12 * 10 + 4 + 6 + 24;
  planes.set(273, {at, at + 2, at + 4}).set(279, {2, 2, 2});
  EXPECT_EQ(read_as_text({planes}), "21 72");
}

// libtiff turns what it converts; everything else is read as it is stored, and so is this.
TEST_F(tiff, inks_are_read_as_they_are_stored_whatever_the_orientation) {
  const std::string white(4, '\0'), black("\0\0\0\xff", 4);
  auto page =
      grey_page(2, 2, 8, white + black + white + white).set(258, {8, 8, 8, 8}, 3).set(262, {5}, 3).set(277, {4}, 3);
  const std::string upright = read_as_text({page});
  EXPECT_EQ(std::count(upright.begin(), upright.end(), '0'), 1) << upright;
  for (const std::uint32_t orientation : {1, 2, 3, 4, 5, 6, 7, 8})
    EXPECT_EQ(read_as_text({page.set(274, {orientation}, 3)}), upright) << orientation;
}

TEST_F(tiff, pages_make_a_volume) {
  EXPECT_EQ(read_as_text({grey_page(2, 1, 8, "ab"), grey_page(2, 1, 8, "cd"), grey_page(2, 1, 8, "ef")}),
            "97 98 | 99 100 | 101 102");
  EXPECT_EQ(reason(tiff_bytes({grey_page(2, 1, 8, "ab"), grey_page(1, 2, 8, "cd")})),
            "has pages of different sizes (page 0: 1 x 2, page 1: 2 x 1); choose one");
  EXPECT_EQ(reason(tiff_bytes({grey_page(2, 1, 8, "ab"), grey_page(2, 1, 16, "cdef")})),
            "has pages of different types (page 0: 1 of uint8, page 1: 1 of uint16); choose one");
}

TEST_F(tiff, thumbnails_and_pyramid_levels_are_not_pages) {
  const auto reduced = grey_page(1, 1, 8, "x").set(254, {1});
  EXPECT_EQ(read_as_text({grey_page(2, 1, 8, "ab"), reduced}), "97 98");
  EXPECT_EQ(read_as_text({reduced, grey_page(2, 1, 8, "ab"), grey_page(2, 1, 8, "cd")}), "97 98 | 99 100");
  io::read_options second;
  second.page = 1;
  EXPECT_EQ(io::read_image(path("x.tif"), second).size, extent(1, 2));
  EXPECT_EQ(reason(tiff_bytes({reduced})), "has no pages but thumbnails");
}

TEST_F(tiff, a_broken_chain_of_pages_is_an_error) {
  const std::vector<tiff_page_recipe> two = {grey_page(2, 1, 8, "ab"), grey_page(2, 1, 8, "cd")};
  EXPECT_NE(reason(tiff_bytes(two, 100000)), "is read");
  EXPECT_NE(reason(tiff_bytes(two, 8)), "is read");
}

TEST_F(tiff, planes_behind_the_only_page_of_an_imagej_stack) {
  const auto page = [](const std::string& pixels, int images) {
    return grey_page(2, 1, 8, pixels).describe("ImageJ=1.53t\nimages=" + std::to_string(images) + "\n");
  };
  const auto bytes = [](tiff_page_recipe hidden) { return tiff_bytes({hidden.set(279, {2})}); };
  auto three = page("abcdef", 3);
  const std::string whole = bytes(three.set(273, {8 + 2 + 12 * 10 + 4 + 24}));
  write("x.tif", whole);
  EXPECT_EQ(pixels("x.tif"), "97 98 | 99 100 | 101 102");
  EXPECT_EQ(io::read_image(path("x.tif"), {.page = 2}).bytes[0], std::byte{'e'});
  EXPECT_EQ(reason(whole.substr(0, whole.size() - 1)), "is truncated: plane 2 behind its only page is not there");
  three.describe("ImageJ=1.53t\nimages=4\n");
  EXPECT_EQ(reason(bytes(three)), "is truncated: plane 3 behind its only page is not there");
  // A count that takes 16 GB to list is compared with the file first.
  three.describe("ImageJ=1.53t\nimages=2147483648\n").set(273, {8 + 2 + 12 * 10 + 4 + 32});
  EXPECT_EQ(reason(bytes(three)), "is truncated: plane 3 behind its only page is not there");
  const std::string packed =
      "has planes behind its only page, as ImageJ writes stacks above 4 GB, but not as plain numbers; "
      "save it as NPY or as a BigTIFF with pages";
  EXPECT_EQ(reason(bytes(page("ab", 3).set(259, {32773}, 3))), packed);
  EXPECT_EQ(reason(tiff_bytes({grey_page(8, 1, 1, "a").describe("ImageJ=1.53t\nimages=3\n")})), packed);
  EXPECT_EQ(reason(tiff_bytes({grey_page(2, 1, 8, "ab").describe("ImageJ=1.53t\nimages=1\n")})), "is read");
}

// As ImageJ writes them: the highest byte of a number first.
TEST_F(tiff, planes_behind_the_only_page_in_either_order_of_bytes) {
  auto three = grey_page(2, 1, 16, std::string("\1a\1b\2c\2d\3e\3f", 12)).describe("ImageJ=1.53t\nimages=3\n");
  three.set(273, {8 + 2 + 12 * 10 + 4 + 24}).set(279, {4});
  write("big.tif", tiff_bytes({three}, 0, byte_order::big));
  EXPECT_EQ(pixels("big.tif"), "353 354 | 611 612 | 869 870");
  write("little.tif", tiff_bytes({three}));
  EXPECT_EQ(pixels("little.tif"), "24833 25089 | 25346 25602 | 25859 26115");
}

TEST_F(tiff, volumes_that_libtiff_cannot_decode_are_refused) {
  EXPECT_EQ(reason(tiff_bytes({grey_page(2, 1, 8, "abcd").set(32997, {2})})),
            "is a volume in strips; save it as pages");
}

TEST_F(tiff, a_strip_that_ends_early) {
  auto page = grey_page(2, 4, 8, "abcdefgh");
  const std::string whole = tiff_bytes({page});
  EXPECT_EQ(reason(whole), "is read");
  for (std::size_t length = 1; length < whole.size(); ++length)
    EXPECT_NE(reason(whole.substr(0, length)), "is read") << length;
}

// libtiff says that it has decoded the whole strip, but the last copy of this Deflate stream goes beyond its end and is left
// out: what is there must not be what the memory held before.
TEST_F(tiff, pixels_that_are_not_decoded_are_zero) {
  const std::string stream(
      "\x78\x9c\x63\xe0\xe4\x64\x00\x02\x20\xc1\x0a\x63"
      "\xa2\x19\x58\xd9\xd8\xc1\x34\x00\x03\x08\x00",
      23);
  const std::string decoded = "0 9 9 0 0 0/0 9 0 0 5 0/9 9 0 0 0 0/9 0 0 0 0 0";
  struct junk_in_new_memory {  // of the allocator of glibc; AddressSanitizer's has its own
    junk_in_new_memory() { mallopt(M_PERTURB, 0x5a); }
    ~junk_in_new_memory() { mallopt(M_PERTURB, 0); }
  } const while_it_reads;
  EXPECT_EQ(read_as_text({grey_page(6, 4, 8, stream).set(259, {8}, 3)}), decoded);
}

}  // namespace
}  // namespace skerry::test
