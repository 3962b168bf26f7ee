// SPDX-License-Identifier: Apache-2.0
// TIFF by libtiff itself. OpenImageIO 2.4 misreads files that microscopes and NumPy programs write: it takes a broken
// chain of pages for its end, a missing BitsPerSample for 8, and only the first slice of a volume.
#pragma once
#include <tiffio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "skerry/image.hpp"

namespace skerry::io {

/// What one page says of its pixels.
struct tiff_page {
  tdir_t directory = 0;
  std::int64_t width = 0, height = 0, depth = 1;
  int bits = 1, channels = 1;
  bool separate = false;  // one plane for each channel
  bool last_is_alpha = false;
  bool as_rgba = false;    // a colour space, or a palette, that libtiff turns into 8-bit RGB
  dtype type = dtype::u8;  // after reading
  std::string description;
  double x_resolution = 0, y_resolution = 0;  // pixels per unit; 0 without the tags

  [[nodiscard]] bool same_form(const tiff_page& other) const {
    return type == other.type && channels == other.channels && as_rgba == other.as_rgba;
  }
};

/// What is read of a page: channels [channel_begin, channel_end), and rows [row_begin, row_end) of all its slices.
struct tiff_part {
  int channel_begin = 0, channel_end = 1;
  std::int64_t row_begin = 0, row_end = 0;
};

class tiff_file {
 public:
  /// Throws file_error, also when a page lies beyond the end of the file.
  tiff_file(const std::string& path, const std::string& name);
  tiff_file(const tiff_file&) = delete;
  tiff_file& operator=(const tiff_file&) = delete;
  ~tiff_file();

  /// The pages, without thumbnails, pyramid levels and masks.
  [[nodiscard]] const std::vector<tiff_page>& pages() const { return pages_; }

  /// All of the file, with those that are no pages.
  [[nodiscard]] std::int64_t directories() const { return directories_; }

  /// Reads a part of a page, channels interleaved, in slices, rows and columns. Throws file_error.
  void read(const tiff_page& page, const tiff_part& part, std::byte* pixels);
  /// How many rows of a page are stored together, so that reading fewer of them reads all: those of a strip or a tile, and of
  /// what libtiff converts all.
  [[nodiscard]] std::int64_t rows_together(const tiff_page& page);

  /// Throws file_error unless the file is long enough for so many planes, that of the first page and those behind it.
  void check_following_planes(const tiff_page& page, std::int64_t planes) const;
  /// Reads what follows the pixels of the first page without a page of its own; plane 0 is the page itself. Throws file_error.
  void read_following_plane(const tiff_page& page, std::int64_t plane, const tiff_part& part, std::byte* pixels);

 private:
  friend class tiff_pieces;
  [[nodiscard]] std::uint64_t begin_of_following_planes(const tiff_page& page) const;
  [[noreturn]] void miss_following_plane(std::uint64_t plane) const;
  // What libtiff says would be printed. It speaks of its own insides ("scanline 4294967295").
  static int drop_message(TIFF*, void*, const char*, const char*, va_list) { return 1; }

  [[nodiscard]] tiff_page describe_page();
  void read_rgba(const tiff_page& page, const tiff_part& part, std::byte* pixels);
  void turn_to(const tiff_page& page);
  // A number of the current page, libtiff's default, or `missing`.
  [[nodiscard]] std::uint32_t number(std::uint32_t tag, std::uint32_t missing) const;
  [[nodiscard]] int short_number(std::uint32_t tag, int missing) const;
  [[noreturn]] void damaged() const;

  const std::string& name_;
  TIFF* file_ = nullptr;
  std::vector<tiff_page> pages_;
  std::int64_t directories_ = 0;
};

}  // namespace skerry::io
