// SPDX-License-Identifier: Apache-2.0
#include "io/tiff_writer.hpp"

#include <tiffio.h>

#include <algorithm>
#include <exception>
#include <string>

#include "io/file_error.hpp"
#include "io/imagej_metadata.hpp"
#include "io/pixel_types.hpp"

namespace skerry::io {
namespace {

constexpr std::int64_t classic_bytes = 0xf000'0000;  // of pixels; offsets of a classic TIFF end at 2^32
constexpr std::int64_t bytes_of_strip = 1 << 18;

// libtiff's view of a pending_file. Exceptions must not pass through C: the first one is kept.
struct target {
  pending_file& file;
  std::int64_t at = 0;
  std::int64_t end = 0;    // of the file, as far as libtiff knows
  bool has_bytes = false;  // what is to be written is there already
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
      if (!self.has_bytes) self.file.write_at(bytes, static_cast<std::size_t>(count), self.at);
      return count;
    });
    self.at += done;
    self.end = std::max(self.end, self.at);
    return done;
  }
  static toff_t seek(thandle_t handle, toff_t offset, int from) {
    target& self = of(handle);
    const auto distance = static_cast<std::int64_t>(offset);
    self.at = from == SEEK_SET ? distance : from == SEEK_CUR ? self.at + distance : self.end + distance;
    return static_cast<toff_t>(self.at);
  }
  static int close(thandle_t) { return 0; }
  static toff_t size(thandle_t handle) { return static_cast<toff_t>(of(handle).end); }

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
std::int64_t stored_row_bytes(const stored_image& image) {
  return image.type == dtype::boolean ? (image.size.width + 7) / 8 : image.row_bytes();
}

// On the first page, as ImageJ and what reads its files expect it.
bool write_form(TIFF* file, const stored_image& image) {
  const std::string text = make_imagej(image.form.axis, image.size.depth, image.form.spacing);
  if (text.empty()) return true;
  bool good = TIFFSetField(file, TIFFTAG_IMAGEDESCRIPTION, text.c_str()) != 0;
  if (text.find("\nunit=") == std::string::npos) return good;
  good &= TIFFSetField(file, TIFFTAG_RESOLUTIONUNIT, RESUNIT_NONE) != 0;
  good &= TIFFSetField(file, TIFFTAG_XRESOLUTION, 1 / image.form.spacing.x) != 0;
  return good && TIFFSetField(file, TIFFTAG_YRESOLUTION, 1 / image.form.spacing.y) != 0;
}

bool set_tags(TIFF* file, const stored_image& image, std::int64_t rows) {
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
std::vector<std::byte> pack_rows(const std::byte* from, std::int64_t rows, std::int64_t width) {
  const std::int64_t row_bytes = (width + 7) / 8;
  std::vector<std::byte> packed(static_cast<std::size_t>(rows * row_bytes));
  for (std::int64_t y = 0; y < rows; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      if (from[y * width + x] != std::byte{0})
        packed[static_cast<std::size_t>(y * row_bytes + x / 8)] |= std::byte{0x80} >> static_cast<int>(x % 8);
  return packed;
}

}  // namespace

struct tiff_writer::sink {
  std::int64_t held;  // bytes of the file before anything is written to it
  target to;
  open_tiff file;
};

tiff_writer::tiff_writer(pending_file& to, const stored_image& what, std::span<const std::uint64_t> strips)
    : what_(what), rows_(std::clamp<std::int64_t>(bytes_of_strip / stored_row_bytes(what), 1, what.size.height)),
      sink_(new sink{to.size(), {to, 0, 0, false, nullptr, {}}, nullptr}) {
  sink_->file = open(sink_->to, what.size.pixels() * static_cast<std::int64_t>(size_of(what.type)) > classic_bytes);
  check(sink_->file != nullptr);
  go_on_with(strips);
}

tiff_writer::~tiff_writer() = default;

void tiff_writer::check(bool good) const {
  if (sink_->to.error) std::rethrow_exception(sink_->to.error);
  if (!good || !sink_->to.message.empty())
    throw file_error(sink_->to.file.path(), "cannot be written: " + sink_->to.message);
}

std::int64_t tiff_writer::rows_of_next_strip() const {
  return std::min(rows_, what_.size.height - written_ % what_.size.height);
}

// libtiff puts a strip behind what is there, whatever its bytes are: those of strips that the file has are not looked at.
// Directories and the links between them are written again, since the last link may lead to what is cut off.
void tiff_writer::go_on_with(std::span<const std::uint64_t> strips) {
  if (strips.empty()) return;
  const std::uint64_t most = *std::max_element(strips.begin(), strips.end());
  std::vector<std::byte> nothing(most);
  TIFF* const file = sink_->file.get();
  for (const std::uint64_t bytes : strips) {
    const std::int64_t row = written_ % what_.size.height;
    if (row == 0) check(set_tags(file, what_, rows_) && (written_ > 0 || write_form(file, what_)));
    const auto size = static_cast<tmsize_t>(bytes);
    sink_->to.has_bytes = true;
    check(TIFFWriteRawStrip(file, static_cast<std::uint32_t>(row / rows_), nothing.data(), size) == size);
    sink_->to.has_bytes = false;
    end_strip(rows_of_next_strip(), bytes);
  }
  pending_file& to = sink_->to.file;
  if (sink_->held < sink_->to.end)
    throw file_error(to.path(), "cannot be continued: what was written of it is not all there");
  to.cut(sink_->to.end);
}

void tiff_writer::end_strip(std::int64_t rows, std::uint64_t bytes) {
  strip_bytes_.push_back(bytes);
  written_ += rows;
  if (written_ % what_.size.height == 0) check(TIFFWriteDirectory(sink_->file.get()) != 0);
}

void tiff_writer::write_strip(const std::byte* rows, std::int64_t count) {
  TIFF* const file = sink_->file.get();
  const std::int64_t row = written_ % what_.size.height, bytes = count * stored_row_bytes(what_);
  if (row == 0) check(set_tags(file, what_, rows_) && (written_ > 0 || write_form(file, what_)));
  const auto strip = static_cast<std::uint32_t>(row / rows_);
  std::vector<std::byte> bits;
  if (what_.type == dtype::boolean) bits = pack_rows(rows, count, what_.size.width);
  // libtiff takes a pointer to mutable bytes and swaps them only when the byte order of the file is foreign.
  void* const from = what_.type == dtype::boolean ? bits.data() : const_cast<std::byte*>(rows);
  check(TIFFWriteEncodedStrip(file, strip, from, bytes) == bytes);
  end_strip(count, TIFFGetStrileByteCount(file, strip));
}

void tiff_writer::add(const std::byte* rows, std::int64_t count) {
  const auto row_bytes = what_.row_bytes();
  while (count > 0) {
    const std::int64_t wanted = rows_of_next_strip(), held = static_cast<std::int64_t>(waiting_.size()) / row_bytes;
    const std::int64_t taken = std::min(wanted - held, count);
    if (held == 0 && taken == wanted) {
      write_strip(rows, wanted);
    } else {
      waiting_.insert(waiting_.end(), rows, rows + taken * row_bytes);
      if (held + taken == wanted) {
        write_strip(waiting_.data(), wanted);
        waiting_.clear();
      }
    }
    rows += taken * row_bytes;
    count -= taken;
  }
}

void tiff_writer::finish() {
  sink_->file.reset();  // writes too
  check(true);
}

}  // namespace skerry::io
