// SPDX-License-Identifier: Apache-2.0
#include "io/tiff_file.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "io/file_error.hpp"

namespace skerry::io {
namespace {

dtype dtype_of(int bits, int format, const std::string& name) {
  switch (format) {
    case SAMPLEFORMAT_UINT:
    case SAMPLEFORMAT_VOID:
      if (bits == 1) return dtype::boolean;
      if (bits <= 8) return dtype::u8;
      if (bits <= 16) return dtype::u16;
      if (bits == 32) return dtype::u32;
      throw file_error(name, fmt::format("has the unsupported pixel type uint{}", bits));
    case SAMPLEFORMAT_INT:
      if (bits == 16) return dtype::i16;
      if (bits == 32) return dtype::i32;
      throw file_error(name, fmt::format("has the unsupported pixel type int{}", bits));
    case SAMPLEFORMAT_IEEEFP:
      if (bits == 16 || bits == 32) return dtype::f32;
      if (bits == 64) return dtype::f64;
      throw file_error(name, fmt::format("has the unsupported pixel type float{}", bits));
    default: throw file_error(name, "has complex pixels");
  }
}

bool is_plain(int photometric) {
  return photometric == PHOTOMETRIC_MINISBLACK || photometric == PHOTOMETRIC_MINISWHITE ||
         photometric == PHOTOMETRIC_RGB || photometric == PHOTOMETRIC_PALETTE || photometric == PHOTOMETRIC_MASK;
}

}  // namespace

int tiff_file::keep_message(TIFF*, void* self, const char*, const char* format, va_list arguments) {
  auto& message = static_cast<tiff_file*>(self)->message_;
  if (message.empty()) {
    char text[200];
    std::vsnprintf(text, sizeof text, format, arguments);
    message = text;
  }
  return 1;  // nothing more to say: libtiff would print it
}

tiff_file::tiff_file(const std::string& path, const std::string& name) : name_(name) {
  const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(TIFFOpenOptionsAlloc(),
                                                                                 TIFFOpenOptionsFree);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep_message, this);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), drop_message, nullptr);
  // "m": not mapped to memory, where a file that shrinks meanwhile would end the process.
  file_ = TIFFOpenExt(path.c_str(), "rm", options.get());
  if (file_ == nullptr) damaged();
  try {
    for (;;) {
      const auto kind = number(TIFFTAG_SUBFILETYPE, 0);
      if ((kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0) pages_.push_back(describe_page());
      if (TIFFLastDirectory(file_) != 0) break;
      if (TIFFReadDirectory(file_) == 0) damaged();
    }
    if (pages_.empty()) throw file_error(name_, "has no pages but thumbnails");
  } catch (...) {
    TIFFClose(file_);
    throw;
  }
}

tiff_file::~tiff_file() { TIFFClose(file_); }

std::uint32_t tiff_file::number(std::uint32_t tag, std::uint32_t missing) const {
  std::uint32_t value = 0;
  return TIFFGetFieldDefaulted(file_, tag, &value) != 0 ? value : missing;
}

int tiff_file::short_number(std::uint32_t tag, int missing) const {
  std::uint16_t value = 0;
  return TIFFGetFieldDefaulted(file_, tag, &value) != 0 ? value : missing;
}

void tiff_file::damaged() const {
  throw file_error(name_, message_.empty() ? "is truncated or damaged" : "is truncated or damaged (" + message_ + ")");
}

tiff_page tiff_file::describe_page() {
  tiff_page page;
  page.directory = TIFFCurrentDirectory(file_);
  page.width = number(TIFFTAG_IMAGEWIDTH, 0);
  page.height = number(TIFFTAG_IMAGELENGTH, 0);
  page.depth = number(TIFFTAG_IMAGEDEPTH, 1);
  page.bits = short_number(TIFFTAG_BITSPERSAMPLE, 1);
  page.channels = short_number(TIFFTAG_SAMPLESPERPIXEL, 1);
  page.separate = short_number(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE;
  const int format = short_number(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
  const int photometric = short_number(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  if (const char* text = nullptr; TIFFGetField(file_, TIFFTAG_IMAGEDESCRIPTION, &text) != 0) page.description = text;

  std::uint16_t extra = 0;
  const std::uint16_t* kinds = nullptr;
  if (TIFFGetFieldDefaulted(file_, TIFFTAG_EXTRASAMPLES, &extra, &kinds) != 0 && extra > 0)
    page.last_is_alpha =
        kinds[extra - 1] != EXTRASAMPLE_UNSPECIFIED || (photometric == PHOTOMETRIC_RGB && page.channels == 4);

  // JPEG inside TIFF is decoded to RGB by libtiff; other colour spaces go through its 8-bit converter.
  const bool jpeg = short_number(TIFFTAG_COMPRESSION, COMPRESSION_NONE) == COMPRESSION_JPEG;
  page.as_rgba = !is_plain(photometric) && !(photometric == PHOTOMETRIC_YCBCR && jpeg);
  if (page.as_rgba) {
    page.channels = 3;
    page.last_is_alpha = false;
    page.type = dtype::u8;
  } else {
    page.type = dtype_of(page.bits, format, name_);
    page.is_half = format == SAMPLEFORMAT_IEEEFP && page.bits == 16;
  }
  return page;
}

}  // namespace skerry::io
