// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "io/file_error.hpp"
#include "workspace.hpp"

namespace skerry::test {
namespace {

class npy : public workspace {
 protected:
  template <class Pixel>
  void expect_read(const std::string& code, dtype type, const std::vector<Pixel>& values) {
    ASSERT_EQ(values.size(), 6U);
    const std::vector<Pixel> columns = {values[0], values[3], values[1], values[4], values[2], values[5]};
    for (const char order : std::string(sizeof(Pixel) == 1 ? "|<>=" : "<>=")) {
      const auto stored = [&](const std::vector<Pixel>& pixels) {
        std::string bytes = bytes_of(pixels);
        if (order == '>')
          for (std::size_t i = 0; i < bytes.size(); i += sizeof(Pixel))
            std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                         bytes.begin() + static_cast<std::ptrdiff_t>(i + sizeof(Pixel)));
        return bytes;
      };
      for (const bool fortran : {false, true}) {
        write("x.npy", npy_bytes(order + code, "(2, 3)", stored(fortran ? columns : values), fortran));
        const io::image image = io::read_image(path("x.npy"));
        EXPECT_EQ(image.type, type);
        EXPECT_EQ(image.size, extent(2, 3));
        EXPECT_TRUE(std::equal(values.begin(), values.end(), reinterpret_cast<const Pixel*>(image.bytes.get())))
            << order << code << (fortran ? " in Fortran order" : "");
      }
    }
  }
  std::string reason(std::string_view bytes) {
    write("x.npy", bytes);
    try {
      (void)io::read_image(path("x.npy"));
    } catch (const io::file_error& error) {
      EXPECT_EQ(error.file(), path("x.npy"));
      return error.reason();
    }
    return "is read";
  }
};

TEST_F(npy, every_type_byte_order_and_axis_order) {
  expect_read<std::uint8_t>("b1", dtype::boolean, {0, 1, 1, 0, 1, 0});
  expect_read<std::uint8_t>("u1", dtype::u8, {0, 1, 2, 253, 254, 255});
  expect_read<std::uint16_t>("u2", dtype::u16, {0, 1, 256, 513, 65534, 65535});
  expect_read<std::uint32_t>("u4", dtype::u32, {0, 1, 65536, 0x01020304, 0x80000000, 0xffffffff});
  expect_read<std::int16_t>("i2", dtype::i16, {-32768, -1, 0, 1, 258, 32767});
  expect_read<std::int32_t>("i4", dtype::i32, {-2147483647, -1, 0, 1, 0x01020304, 2147483647});
  expect_read<std::uint64_t>("u8", dtype::u64, {0, 1, 4294967296, 0x0102030405060708, 1ULL << 63, ~0ULL});
  expect_read<std::int8_t>("i1", dtype::i8, {-128, -1, 0, 1, 2, 127});
  expect_read<std::int64_t>("i8", dtype::i64,
                            {std::numeric_limits<std::int64_t>::min(), -1, 0, 1, 0x0102030405060708, 7});
  expect_read<std::uint16_t>("f2", dtype::f16, {0x3e00, 0xc000, 0x0001, 0x7bff, 0x7c00, 0});
  expect_read<float>("f4", dtype::f32, {-1.5F, 0, 1e-40F, 3.25F, 1e38F, 7});
  expect_read<double>("f8", dtype::f64, {-1.5, 0, 1e-310, 3.25, 1e308, 7});
}

TEST_F(npy, volumes_in_fortran_order) {
  // Element (z, y, x) of shape (2, 3, 4) is 100 z + 10 y + x.
  std::string c_order, fortran;
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 4; ++x) c_order += static_cast<char>(100 * z + 10 * y + x);
  for (int x = 0; x < 4; ++x)
    for (int y = 0; y < 3; ++y)
      for (int z = 0; z < 2; ++z) fortran += static_cast<char>(100 * z + 10 * y + x);
  write("c.npy", npy_bytes("|u1", "(2, 3, 4)", c_order));
  write("f.npy", npy_bytes("|u1", "(2, 3, 4)", fortran, true));
  EXPECT_EQ(io::read_image(path("c.npy")).size, extent(2, 3, 4));
  EXPECT_EQ(pixels("f.npy"), pixels("c.npy"));
  EXPECT_EQ(pixels("c.npy"), "0 1 2 3/10 11 12 13/20 21 22 23 | 100 101 102 103/110 111 112 113/120 121 122 123");
  io::read_options second;
  second.page = 1;
  const io::image slice = io::read_image(path("f.npy"), second);
  EXPECT_EQ(slice.size, extent(3, 4));
  EXPECT_EQ(std::to_integer<int>(slice.bytes[5]), 111);
}

TEST_F(npy, large_fortran_images_cross_the_squares_of_the_copy) {
  std::vector<std::uint16_t> columns;
  for (int x = 0; x < 130; ++x)
    for (int y = 0; y < 67; ++y) columns.push_back(static_cast<std::uint16_t>(1000 * (y % 60) + x));
  write("f.npy", npy_bytes("<u2", "(67, 130)", bytes_of(columns), true));
  const io::image image = io::read_image(path("f.npy"));
  const auto* pixel = reinterpret_cast<const std::uint16_t*>(image.bytes.get());
  for (int y = 0; y < 67; ++y)
    for (int x = 0; x < 130; ++x) ASSERT_EQ(*pixel++, 1000 * (y % 60) + x);
}

TEST_F(npy, versions) {
  const std::string first = npy_bytes("|u1", "(1, 2)", "\1\2");
  for (const char major : {'\2', '\3'}) {
    std::string later = first;
    later[6] = major;
    later.insert(10, std::string(2, '\0'));
    write("x.npy", later);
    EXPECT_EQ(pixels("x.npy"), "1 2");
  }
  std::string unknown = first;
  unknown[6] = 4;
  EXPECT_EQ(reason(unknown), "is NPY version 4.0, known are 1.0, 2.0 and 3.0");
}

TEST_F(npy, what_numpy_may_write_in_a_header) {
  const auto with_header = [](std::string text, const std::string& pixels) {
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(text.size());
    return bytes + '\0' + text + pixels;
  };
  for (const char* text : {"{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2), }",
                           "{'shape':(1,2),'fortran_order':False,'descr':'|u1'}",
                           "{\"descr\": \"|u1\", \"fortran_order\": False, \"shape\": (1L, 2L)}   \n"}) {
    write("x.npy", with_header(text, "\1\2"));
    EXPECT_EQ(pixels("x.npy"), "1 2") << text;
  }
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "has a damaged NPY header"},
      {"{", "has a damaged NPY header"},
      {"{}", "NPY header without descr, order or shape"},
      {"{'descr': '|u1', 'fortran_order': False}", "NPY header without descr, order or shape"},
      {"{'descr': '|u1', 'fortran_order': Maybe, 'shape': (1, 2)}", "has a damaged NPY header"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (1, -2)}", "has a damaged NPY header"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (1 2)}", "has a damaged NPY header"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999, 1)}", "has a damaged NPY header"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2", "has a damaged NPY header"},
      {"{'descr': '|u1, 'fortran_order': False, 'shape': (1, 2)}", "has a damaged NPY header"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2), 'x': 1}", "NPY header with the unknown key 'x'"},
      {"{'descr': [('r', '|u1')], 'fortran_order': False, 'shape': (1, 2)}", "structured NPY records are not an image"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': ()}", "has the shape (); an image has 1 to 3 axes"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 1, 2)}",
       "has the shape (1, 1, 1, 2); an image has 1 to 3 axes"},
  };
  for (const auto& [text, message] : bad) EXPECT_EQ(reason(with_header(text, "\1\2")), message) << text;
}

TEST_F(npy, types_that_are_not_read) {
  for (const char* descr : {"<f16", "<i16", "<c8", "|O", "|S1", "<U1", "<M8[s]", "|V2", "u1", "|u2", "?", ""})
    EXPECT_EQ(reason(npy_bytes(descr, "(1, 1)", "12345678")),
              "has the unsupported dtype '" + std::string(descr) +
                  "'; supported are bool, int8 to int64, uint8 to uint64 and float16 to float64");
}

TEST_F(npy, labels_of_64_bits_are_read_back) {
  write("a.pgm", pgm_bytes("3 1\n255\n1 0 1"));
  succeed({"label", "@/a.pgm", "--labels-type", "u64", "-o", "@/l.npy", "-q"});
  EXPECT_EQ(succeed({"label", "@/l.npy"}), "@/l.npy: 2 components\n");
}

TEST_F(npy, every_truncation_is_an_error_and_more_bytes_are_not) {
  const std::string whole = npy_bytes("<u2", "(2, 2)", "abcdefgh");
  for (std::size_t length = 1; length < whole.size(); ++length)
    EXPECT_NE(reason(whole.substr(0, length)), "is read") << length;
  EXPECT_EQ(reason(whole.substr(0, whole.size() - 1)), "is truncated: 7 of 8 bytes of pixels");
  EXPECT_EQ(reason(whole + "the next array of the file"), "is read");
}

}  // namespace
}  // namespace skerry::test
