// SPDX-License-Identifier: Apache-2.0
#include "io/tiff_file.hpp"

#include <fmt/format.h>

#include "io/file_error.hpp"
#include "io/pixel_types.hpp"

namespace skerry::io {
namespace {

dtype dtype_of(int bits, int format, const std::string& name) {
  if (const auto type = type_of_tiff({bits, format})) return *type;
  const char* kind = format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID ? "uint"
                     : format == SAMPLEFORMAT_INT                               ? "int"
                     : format == SAMPLEFORMAT_IEEEFP                            ? "float"
                                                                                : nullptr;
  if (kind == nullptr) throw file_error(name, "has complex pixels");
  throw file_error(name, fmt::format("has the unsupported pixel type {}{}", kind, bits));
}

bool is_plain(int photometric) {
  return photometric == PHOTOMETRIC_MINISBLACK || photometric == PHOTOMETRIC_MINISWHITE ||
         photometric == PHOTOMETRIC_RGB || photometric == PHOTOMETRIC_MASK;
}

}  // namespace

tiff_file::tiff_file(const std::string& path, const std::string& name) : name_(name) {
  const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(TIFFOpenOptionsAlloc(),
                                                                                 TIFFOpenOptionsFree);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), drop_message, nullptr);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), drop_message, nullptr);
  // "m": not mapped to memory, where a file that shrinks meanwhile would end the process.
  file_ = TIFFOpenExt(path.c_str(), "rm", options.get());
  if (file_ == nullptr) damaged();
  try {
    for (;;) {
      ++directories_;
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

void tiff_file::damaged() const { throw file_error(name_, "is truncated or damaged"); }

void tiff_file::turn_to(const tiff_page& page) {
  if (TIFFCurrentDirectory(file_) != page.directory && TIFFSetDirectory(file_, page.directory) == 0) damaged();
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
  float resolution = 0;
  if (TIFFGetField(file_, TIFFTAG_XRESOLUTION, &resolution) != 0) page.x_resolution = resolution;
  if (TIFFGetField(file_, TIFFTAG_YRESOLUTION, &resolution) != 0) page.y_resolution = resolution;

  std::uint16_t extra = 0;
  const std::uint16_t* kinds = nullptr;
  if (TIFFGetFieldDefaulted(file_, TIFFTAG_EXTRASAMPLES, &extra, &kinds) != 0 && extra > 0)
    page.last_is_alpha =
        kinds[extra - 1] != EXTRASAMPLE_UNSPECIFIED || (photometric == PHOTOMETRIC_RGB && page.channels == 4);

  const int compression = short_number(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  if (TIFFIsCODECConfigured(static_cast<std::uint16_t>(compression)) == 0)
    throw file_error(
        name_,
        fmt::format("has the compression {}, which is not read; save it uncompressed or with deflate", compression));
  // JPEG inside TIFF is decoded to RGB by libtiff; other colour spaces go through its 8-bit converter.
  const bool jpeg = compression == COMPRESSION_JPEG;
  page.as_rgba = !is_plain(photometric) && !(photometric == PHOTOMETRIC_YCBCR && jpeg);
  if (page.as_rgba) {
    page.channels = 3;
    page.last_is_alpha = false;
    page.type = dtype::u8;
  } else {
    page.type = dtype_of(page.bits, format, name_);
  }
  return page;
}

}  // namespace skerry::io
