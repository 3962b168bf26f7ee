// SPDX-License-Identifier: Apache-2.0
#include "io/picture_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <stdexcept>

#include "io/codecs.hpp"
#include "io/file_error.hpp"
#include "io/npy.hpp"

namespace skerry::io {
namespace {

constexpr std::uint64_t largest_u8 = 0xff, largest_u16 = 0xffff, largest_u32 = 0xffff'ffff;

void encode_png(pending_file& to, const png_picture& picture) {
  try {
    codecs().write_png(
        picture, [&](const void* bytes, std::size_t count, std::int64_t offset) { to.write_at(bytes, count, offset); });
  } catch (const file_error&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw file_error(to.path(), error.what());
  }
}

void write_png(pending_file& to, const image_view& image) {
  encode_png(to, {image.size.height, image.size.width, 1, image.type == dtype::u8 ? 8 : 16, image.data});
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
  return count <= largest_u32 ? dtype::u32 : dtype::u64;
}

void check_pixel_type(const std::string& path, dtype type, int rank) {
  const picture_format format = picture_format_of(path);
  if (format == picture_format::png && rank == 3) throw file_error(path, "a PNG holds no volume; write .tif or .npy");
  if (format == picture_format::png && type != dtype::u8 && type != dtype::u16)
    throw file_error(path, fmt::format("a PNG holds no {}; write .tif or .npy", name_of(type)));
}

void write_picture(pending_file& to, const image_view& image, const stack_form& form) {
  check_pixel_type(to.path(), image.type, image.size.rank);
  switch (picture_format_of(to.path())) {
    case picture_format::tiff: return write_tiff(to, image, form);
    case picture_format::png: return write_png(to, image);
    case picture_format::npy: return write_npy(to, image);
  }
}

void write_rgb_png(pending_file& to, const std::uint8_t* pixels, std::int64_t height, std::int64_t width) {
  encode_png(to, {height, width, 3, 8, pixels});
}

}  // namespace skerry::io
