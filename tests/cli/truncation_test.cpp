// SPDX-License-Identifier: Apache-2.0
// A file that ends early is an error, wherever it ends: never an image that is filled up.
#include <OpenImageIO/imageio.h>

#include "io/file_error.hpp"
#include "support/sanitized.hpp"
#include "workspace.hpp"

namespace skerry::test {
namespace {

class truncation : public workspace {
 protected:
  // A busy image, so that no format can leave out its end.
  static constexpr int side = 40;
  void encode(const std::string& name, int channels, OIIO::TypeDesc type, const std::string& hint = "",
              const std::string& value = "") {
    std::vector<std::uint8_t> noise(static_cast<std::size_t>(side) * side * static_cast<std::size_t>(channels));
    unsigned random = 7;
    for (auto& pixel : noise) pixel = static_cast<std::uint8_t>((random = random * 1103515245U + 12345U) >> 24);
    const auto out = OIIO::ImageOutput::create(path(name));
    ASSERT_TRUE(out) << name;
    OIIO::ImageSpec spec(side, side, channels, type);
    if (!hint.empty()) spec.attribute(hint, value);
    ASSERT_TRUE(out->open(path(name), spec)) << out->geterror();
    ASSERT_TRUE(out->write_image(OIIO::TypeDesc::UINT8, noise.data())) << out->geterror();
    ASSERT_TRUE(out->close());
  }

  // Every prefix is refused, or (when only trailing bytes are missing) gives the same pixels. Of long files, prefixes of so many
  // lengths, and the longest.
  static constexpr int lengths = sanitized ? 60 : 150;
  void expect_no_prefix_is_misread(const std::string& name) {
    const std::string whole = read(name), right = pixels(name);
    const std::size_t step = 1 + whole.size() / lengths;
    int refused = 0;
    for (std::size_t length = 1; length < whole.size(); length += length + 24 < whole.size() ? step : 1) {
      write(name, std::string_view(whole).substr(0, length));
      try {
        ASSERT_EQ(pixels(name), right) << name << ": " << length << " of " << whole.size() << " bytes";
      } catch (const io::file_error&) {
        ++refused;
      }
    }
    EXPECT_GT(refused, lengths / 3) << name;
  }
};

TEST_F(truncation, png) {
  encode("grey.png", 1, OIIO::TypeDesc::UINT8);
  expect_no_prefix_is_misread("grey.png");
  encode("deep.png", 3, OIIO::TypeDesc::UINT16);
  expect_no_prefix_is_misread("deep.png");
}

TEST_F(truncation, tiff) {
  for (const char* compression : {"none", "lzw", "zip", "packbits"}) {
    encode("x.tif", 1, OIIO::TypeDesc::UINT8, "compression", compression);
    expect_no_prefix_is_misread("x.tif");
  }
  encode("float.tif", 1, OIIO::TypeDesc::FLOAT);
  expect_no_prefix_is_misread("float.tif");
  encode("colour.tif", 3, OIIO::TypeDesc::UINT8);
  expect_no_prefix_is_misread("colour.tif");
}

TEST_F(truncation, jpeg) {
  encode("grey.jpg", 1, OIIO::TypeDesc::UINT8);
  expect_no_prefix_is_misread("grey.jpg");
  encode("progressive.jpg", 3, OIIO::TypeDesc::UINT8, "jpeg:progressive", "1");
  expect_no_prefix_is_misread("progressive.jpg");
}

TEST_F(truncation, others) {
  for (const char* name : {"x.pgm", "x.bmp", "x.tga", "x.exr", "x.gif", "x.webp", "x.fits"}) {
    const std::string end = std::string(name).substr(2);
    encode(name, end == "bmp" || end == "gif" || end == "webp" ? 3 : 1,
           end == "exr" ? OIIO::TypeDesc::HALF : OIIO::TypeDesc::UINT8);
    expect_no_prefix_is_misread(name);
  }
}

TEST_F(truncation, our_own_outputs) {
  write("noise.npy", [] {
    std::string pixels;
    unsigned random = 3;
    for (int i = 0; i < 3 * 40 * 40; ++i)
      pixels += static_cast<char>((random = random * 1103515245U + 12345U) >> 30 == 0);
    return npy_bytes("|u1", "(3, 40, 40)", pixels);
  }());
  succeed({"label", "@/noise.npy", "-o", "@/out.tif", "-q", "--connectivity", "6"});
  succeed({"label", "@/noise.npy", "-o", "@/out.npy", "-q", "--connectivity", "6"});
  succeed({"label", "@/noise.npy", "-o", "@/out.png", "-q", "--page", "1"});
  for (const char* name : {"out.tif", "out.npy", "out.png"}) expect_no_prefix_is_misread(name);
}

}  // namespace
}  // namespace skerry::test
