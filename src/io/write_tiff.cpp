// SPDX-License-Identifier: Apache-2.0
// Images as TIFF by libtiff: OpenImageIO 2.4 loses all pages but the first when it does not own the file.
#include <tiffio.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "io/file_error.hpp"
#include "io/imagej_metadata.hpp"
#include "io/picture_file.hpp"
#include "io/pixel_types.hpp"

namespace skerry::io {
namespace {

constexpr std::int64_t classic_bytes = 0xf000'0000;  // of pixels; offsets of a classic TIFF end at 2^32
constexpr std::int64_t strip_bytes = 1 << 18;

// libtiff's view of a pending_file. Exceptions must not pass through C: the first one is kept.
struct target {
  pending_file& file;
  std::int64_t at = 0;
  std::exception_ptr error;
  std::string message;

  template <class Work>
  tmsize_t guarded(Work work) {
    try {
      return work();
    } catch (...) {
      if (!error) error = std::current_exception();
      return 0;
    }
  }
  static target& of(thandle_t handle) { return *static_cast<target*>(handle); }

  static tmsize_t read(thandle_t handle, void* bytes, tmsize_t count) {
    target& self = of(handle);
    const tmsize_t got = self.guarded(
        [&] { return static_cast<tmsize_t>(self.file.read_at(bytes, static_cast<std::size_t>(count), self.at)); });
    self.at += got;
    return got;
  }
  static tmsize_t write(thandle_t handle, void* bytes, tmsize_t count) {
    target& self = of(handle);
    const tmsize_t done = self.guarded([&] {
      self.file.write_at(bytes, static_cast<std::size_t>(count), self.at);
      return count;
    });
    self.at += done;
    return done;
  }
  static toff_t seek(thandle_t handle, toff_t offset, int from) {
    target& self = of(handle);
    const auto distance = static_cast<std::int64_t>(offset);
    self.at = from == SEEK_SET ? distance : from == SEEK_CUR ? self.at + distance : self.file.size() + distance;
    return static_cast<toff_t>(self.at);
  }
  static int close(thandle_t) { return 0; }
  static toff_t size(thandle_t handle) { return static_cast<toff_t>(of(handle).file.size()); }

  static int keep_message(TIFF*, void* self, const char*, const char* format, va_list arguments) {
    char text[200];
    std::vsnprintf(text, sizeof text, format, arguments);
    if (target& to = of(self); to.message.empty()) to.message = text;
    return 1;
  }
};

struct close_tiff {
  void operator()(TIFF* file) const { TIFFClose(file); }
};
using open_tiff = std::unique_ptr<TIFF, close_tiff>;

open_tiff open(target& to, bool big) {
  const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(TIFFOpenOptionsAlloc(),
                                                                                 TIFFOpenOptionsFree);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), target::keep_message, &to);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), target::keep_message, &to);
  return open_tiff(TIFFClientOpenExt(to.file.path().c_str(), big ? "w8m" : "wm", &to, target::read, target::write,
                                     target::seek, target::close, target::size, nullptr, nullptr, options.get()));
}

// The bytes of a row in the file: those of the image, but for bool, of which eight make a byte.
std::int64_t stored_row_bytes(const image_view& image) {
  return image.type == dtype::boolean ? (image.size.width + 7) / 8
                                      : static_cast<std::int64_t>(size_of(image.type)) * image.size.width;
}

// On the first page, as ImageJ and what reads its files expect it.
bool write_form(TIFF* file, const image_view& image, const stack_form& form) {
  const std::string text = make_imagej(form.axis, image.size.depth, form.spacing);
  if (text.empty()) return true;
  bool good = TIFFSetField(file, TIFFTAG_IMAGEDESCRIPTION, text.c_str()) != 0;
  if (text.find("\nunit=") == std::string::npos) return good;
  good &= TIFFSetField(file, TIFFTAG_RESOLUTIONUNIT, RESUNIT_NONE) != 0;
  good &= TIFFSetField(file, TIFFTAG_XRESOLUTION, 1 / form.spacing.x) != 0;
  return good && TIFFSetField(file, TIFFTAG_YRESOLUTION, 1 / form.spacing.y) != 0;
}

bool set_tags(TIFF* file, const image_view& image, std::int64_t rows) {
  const tiff_type stored = tiff_type_of(image.type);
  bool good = TIFFSetField(file, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(image.size.width)) != 0;
  good &= TIFFSetField(file, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(image.size.height)) != 0;
  good &= TIFFSetField(file, TIFFTAG_BITSPERSAMPLE, stored.bits) != 0;
  good &= TIFFSetField(file, TIFFTAG_SAMPLESPERPIXEL, 1) != 0;
  good &= TIFFSetField(file, TIFFTAG_SAMPLEFORMAT, stored.format) != 0;
  good &= TIFFSetField(file, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK) != 0;
  good &= TIFFSetField(file, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) != 0;
  good &= TIFFSetField(file, TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(rows)) != 0;
  good &= TIFFSetField(file, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE) != 0;
  good &= TIFFSetField(file, TIFFTAG_ZIPQUALITY, 1) != 0;  // labels compress well at any level; this is the fastest
  good &= TIFFSetField(file, TIFFTAG_SOFTWARE, "skerry") != 0;
  return good;
}

// Rows of bool as bits, the first in the highest.
std::vector<std::uint8_t> pack_rows(const std::byte* from, std::int64_t rows, std::int64_t width) {
  const std::int64_t row_bytes = (width + 7) / 8;
  std::vector<std::uint8_t> packed(static_cast<std::size_t>(rows * row_bytes));
  for (std::int64_t y = 0; y < rows; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      if (from[y * width + x] != std::byte{0})
        packed[static_cast<std::size_t>(y * row_bytes + x / 8)] |= static_cast<std::uint8_t>(0x80 >> x % 8);
  return packed;
}

bool write_page(TIFF* file, const image_view& image, std::int64_t z, const stack_form& form) {
  const std::int64_t row_bytes = stored_row_bytes(image), width = image.size.width;
  const std::int64_t rows = std::clamp<std::int64_t>(strip_bytes / row_bytes, 1, image.size.height);
  bool good = set_tags(file, image, rows);
  if (z == 0) good &= write_form(file, image, form);
  for (std::int64_t y = 0; good && y < image.size.height; y += rows) {
    const std::int64_t count = std::min(rows, image.size.height - y);
    // libtiff takes a pointer to mutable bytes and swaps them only when the byte order of the file is foreign.
    auto* from = const_cast<std::byte*>(static_cast<const std::byte*>(image.data)) +
                 (z * image.size.height + y) * width * static_cast<std::int64_t>(size_of(image.type));
    std::vector<std::uint8_t> bits;
    if (image.type == dtype::boolean) bits = pack_rows(from, count, width);
    void* strip = image.type == dtype::boolean ? static_cast<void*>(bits.data()) : from;
    good = TIFFWriteEncodedStrip(file, static_cast<std::uint32_t>(y / rows), strip, count * row_bytes) ==
           count * row_bytes;
  }
  return good && TIFFWriteDirectory(file) != 0;
}

}  // namespace

void write_tiff(pending_file& to, const image_view& image, const stack_form& form) {
  target sink{to, 0, nullptr, {}};
  const bool big = image.size.pixels() * static_cast<std::int64_t>(size_of(image.type)) > classic_bytes;
  open_tiff file = open(sink, big);
  bool good = file != nullptr;
  for (std::int64_t z = 0; good && z < image.size.depth; ++z) good = write_page(file.get(), image, z, form);
  file.reset();  // writes too
  if (sink.error) std::rethrow_exception(sink.error);
  if (!good || !sink.message.empty()) throw file_error(to.path(), "cannot be written: " + sink.message);
}

}  // namespace skerry::io
