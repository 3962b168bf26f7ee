// SPDX-License-Identifier: Apache-2.0
#include "io/picture_file.hpp"

#include <OpenImageIO/filesystem.h>
#include <OpenImageIO/imageio.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <exception>
#include <filesystem>
#include <memory>

#include "io/codec_messages.hpp"
#include "io/file_error.hpp"
#include "io/npy.hpp"

namespace skerry::io {
namespace {

using OIIO::ImageOutput;
using OIIO::ImageSpec;
using OIIO::TypeDesc;

constexpr std::uint64_t largest_u8 = 0xff, largest_u16 = 0xffff, largest_u32 = 0xffff'ffff;

// Lets OpenImageIO write into a pending_file, and remembers the first error: its encoders do not all report one.
class proxy : public OIIO::Filesystem::IOProxy {
 public:
  explicit proxy(pending_file& file) : IOProxy(file.path(), Write), file_(file) {}
  [[nodiscard]] const char* proxytype() const override { return "pending_file"; }
  std::size_t write(const void* bytes, std::size_t count) override {
    try {
      file_.write_at(bytes, count, m_pos);
      m_pos += static_cast<std::int64_t>(count);
      return count;
    } catch (...) {  // must not pass through C
      if (!first_error_) first_error_ = std::current_exception();
      return 0;
    }
  }
  [[nodiscard]] std::size_t size() const override { return static_cast<std::size_t>(file_.size()); }

  void rethrow() const {
    if (first_error_) std::rethrow_exception(first_error_);
  }

 private:
  pending_file& file_;
  std::exception_ptr first_error_;
};

class png_encoder {
 public:
  explicit png_encoder(pending_file& to) : to_(to), proxy_(to), output_(ImageOutput::create("png")) {
    if (!output_) fail(OIIO::geterror());
    output_->set_ioproxy(&proxy_);
  }
  void write(const ImageSpec& spec, const void* pixels) {
    check(output_->open(to_.path(), spec));
    check(output_->write_image(spec.format, pixels));
    check(output_->close());
  }

 private:
  void check(bool done) {
    proxy_.rethrow();
    if (!done) fail(output_->geterror());
  }
  [[noreturn]] void fail(const std::string& detail) const {
    throw file_error(to_.path(), "cannot be written: " + detail.substr(0, detail.find('\n')));
  }
  pending_file& to_;
  codec_messages messages_;
  proxy proxy_;
  std::unique_ptr<ImageOutput> output_;
};

ImageSpec png_spec(const extent& size, int channels, const TypeDesc& type) {
  ImageSpec spec(static_cast<int>(size.width), static_cast<int>(size.height), channels, type);
  spec.attribute("png:compressionLevel", 3);
  spec.attribute("Software", "skerry");
  return spec;
}

void write_png(pending_file& to, const image_view& image) {
  const TypeDesc type = image.type == dtype::u8 ? TypeDesc::UINT8 : TypeDesc::UINT16;
  png_encoder(to).write(png_spec(image.size, 1, type), image.data);
}

void write_npy(pending_file& to, const image_view& image) {
  const std::string header = make_npy_header(image.type, image.size);
  to.write_at(header.data(), header.size(), 0);
  to.write_at(image.data, static_cast<std::size_t>(image.size.pixels()) * size_of(image.type),
              static_cast<std::int64_t>(header.size()));
}

}  // namespace

picture_format picture_format_of(const std::string& path) {
  if (is_standard_output(path)) return picture_format::npy;
  std::string end = std::filesystem::path(path).extension().string();
  std::transform(end.begin(), end.end(), end.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (end == ".tif" || end == ".tiff") return picture_format::tiff;
  if (end == ".png") return picture_format::png;
  if (end == ".npy") return picture_format::npy;
  throw file_error(path, "images are written as .tif, .tiff, .png or .npy");
}

dtype label_type_for(const std::string& path, std::uint64_t count) {
  const picture_format format = picture_format_of(path);
  if (count <= largest_u8) return dtype::u8;
  if (count <= largest_u16) return dtype::u16;
  if (format == picture_format::png)
    throw file_error(path,
                     fmt::format("{} components do not fit a PNG, which ends at 65535; write .tif or .npy", count));
  if (count <= largest_u32) return dtype::u32;
  if (format == picture_format::tiff)
    throw file_error(path, fmt::format("{} components do not fit a TIFF, which ends at 4294967295; write .npy", count));
  return dtype::u64;
}

void check_pixel_type(const std::string& path, dtype type, int rank) {
  const picture_format format = picture_format_of(path);
  if (format == picture_format::png && rank == 3) throw file_error(path, "a PNG holds no volume; write .tif or .npy");
  if (format == picture_format::png && type != dtype::u8 && type != dtype::u16)
    throw file_error(path, fmt::format("a PNG holds no {}; write .tif or .npy", name_of(type)));
  if (format == picture_format::tiff && size_of(type) > 4)
    throw file_error(path, fmt::format("a TIFF holds no {}; write .npy", name_of(type)));
}

void write_picture(pending_file& to, const image_view& image) {
  check_pixel_type(to.path(), image.type, image.size.rank);
  switch (picture_format_of(to.path())) {
    case picture_format::tiff: return write_tiff(to, image);
    case picture_format::png: return write_png(to, image);
    case picture_format::npy: return write_npy(to, image);
  }
}

void write_rgb_png(pending_file& to, const std::uint8_t* pixels, std::int64_t height, std::int64_t width) {
  png_encoder(to).write(png_spec(extent(height, width), 3, TypeDesc::UINT8), pixels);
}

}  // namespace skerry::io
