// SPDX-License-Identifier: Apache-2.0
// The pixels of one TIFF page: strips or tiles, any number of bits, planes together or apart.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "io/file_error.hpp"
#include "io/image_file.hpp"
#include "io/tiff_file.hpp"

namespace skerry::io {
namespace {

constexpr std::uint64_t largest_piece = std::uint64_t{1} << 31;  // bytes of one strip or tile; real ones are kilobytes

// Sample number `index` of a row of samples of 1 to 16 bits, first sample in the highest bits.
unsigned packed_sample(const std::byte* row, std::uint64_t index, int bits) {
  unsigned value = 0;
  for (std::uint64_t bit = index * static_cast<unsigned>(bits), end = bit + static_cast<unsigned>(bits); bit < end;
       ++bit)
    value = value << 1 | (std::to_integer<unsigned>(row[bit / 8]) >> (7 - bit % 8) & 1U);
  return value;
}

// A strip or a tile: where it lies in the page, and its own size, which may go beyond the page.
struct piece {
  std::int64_t x = 0, y = 0, z = 0;
  std::int64_t width = 0, height = 0;
};

}  // namespace

/// Copies the samples of strips and tiles to their places.
class tiff_pieces {
 public:
  tiff_pieces(tiff_file& file, const tiff_page& page, const tiff_part& part, std::byte* pixels)
      : file_(file), page_(page), part_(part), begin_(part.channel_begin),
        wanted_(part.channel_end - part.channel_begin), pixels_(pixels), sample_bytes_(size_of(page.type)) {}

  void read() {
    if (page_.separate) {
      for (int channel = 0; channel < wanted_; ++channel) read_plane(begin_ + channel, channel, 1, 0);
    } else {
      read_plane(0, 0, wanted_, begin_);
    }
  }

 private:
  struct freeing {
    void operator()(std::byte* memory) const { std::free(memory); }
  };

  // Reads one plane of the file. Samples [from, from + count) of its pixels become channels [to, to + count).
  void read_plane(int plane, int to, int count, int from) {
    to_ = to;
    count_ = count;
    from_ = from;
    stored_ = page_.separate ? 1 : page_.channels;
    if (TIFFIsTiled(file_.file_) != 0) read_tiles(static_cast<std::uint16_t>(plane));
    else read_strips(static_cast<std::uint16_t>(plane));
  }

  void read_tiles(std::uint16_t plane) {
    const std::int64_t width = file_.number(TIFFTAG_TILEWIDTH, 0);
    const std::int64_t height = file_.number(TIFFTAG_TILELENGTH, 0);
    if (width < 1 || height < 1) file_.damaged();
    // libtiff decodes the first slice of such a tile only.
    if (file_.number(TIFFTAG_TILEDEPTH, 1) > 1)
      throw file_error(file_.name_, "is a volume in tiles of several slices; save it as pages");
    prepare(TIFFTileSize64(file_.file_), TIFFTileRowSize64(file_.file_), width);
    for (std::int64_t z = 0; z < page_.depth; ++z)
      for (std::int64_t y = part_.row_begin / height * height; y < part_.row_end; y += height)
        for (std::int64_t x = 0; x < page_.width; x += width) {
          const std::uint32_t tile =
              TIFFComputeTile(file_.file_, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
                              static_cast<std::uint32_t>(z), plane);
          const tmsize_t got = TIFFReadEncodedTile(file_.file_, tile, buffer_.get(), static_cast<tmsize_t>(bytes_));
          if (got != static_cast<tmsize_t>(bytes_)) file_.damaged();
          copy({x, y, z, width, height});
        }
  }

  void read_strips(std::uint16_t plane) {
    if (page_.depth > 1) throw file_error(file_.name_, "is a volume in strips; save it as pages");
    const auto page_rows = static_cast<std::uint32_t>(page_.height);
    const std::uint32_t rows = std::min(file_.number(TIFFTAG_ROWSPERSTRIP, page_rows), page_rows);
    if (rows == 0) file_.damaged();
    prepare(TIFFVStripSize64(file_.file_, rows), TIFFScanlineSize64(file_.file_), page_.width);
    for (auto y = static_cast<std::uint32_t>(part_.row_begin / rows * rows); y < part_.row_end; y += rows) {
      const std::uint32_t height = std::min(rows, page_rows - y);
      const std::uint64_t bytes = TIFFVStripSize64(file_.file_, height);
      if (bytes > bytes_) file_.damaged();
      const std::uint32_t strip = TIFFComputeStrip(file_.file_, y, plane);
      const tmsize_t got = TIFFReadEncodedStrip(file_.file_, strip, buffer_.get(), static_cast<tmsize_t>(bytes));
      if (got != static_cast<tmsize_t>(bytes)) file_.damaged();
      copy({0, y, 0, page_.width, height});
    }
  }

  // Refuses sizes that do not hold the samples that copy() will read.
  void prepare(std::uint64_t bytes, std::uint64_t row_bytes, std::int64_t width) {
    const std::uint64_t samples = static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(stored_);
    const std::uint64_t needed = (samples * static_cast<std::uint64_t>(page_.bits) + 7) / 8;
    if (bytes == 0 || row_bytes < needed) file_.damaged();
    if (bytes > largest_piece) throw file_error(file_.name_, fmt::format("has strips or tiles of {} bytes", bytes));
    if (bytes != bytes_ || !buffer_) {
      // Zeros, since of a damaged strip libtiff may decode less than it says (Deflate, a copy that goes beyond the end). From
      // calloc(), which touches no memory: a few bytes may say that tiles have gigabytes.
      buffer_.reset(static_cast<std::byte*>(std::calloc(static_cast<std::size_t>(bytes), 1)));
      if (!buffer_) throw file_error(file_.name_, fmt::format("has strips or tiles of {} bytes", bytes));
    }
    bytes_ = bytes;
    row_bytes_ = row_bytes;
  }

  void copy(const piece& from) {
    const std::int64_t width = std::min(from.width, page_.width - from.x);
    const std::int64_t begin = std::max(part_.row_begin - from.y, std::int64_t{0});
    for (std::int64_t y = begin; y < std::min(from.height, part_.row_end - from.y); ++y) {
      const std::uint64_t at = static_cast<std::uint64_t>(y) * row_bytes_;
      if (at + row_bytes_ > bytes_) file_.damaged();
      const std::int64_t row = from.z * (part_.row_end - part_.row_begin) + from.y + y - part_.row_begin;
      const std::int64_t pixel = row * page_.width + from.x;
      copy_row(buffer_.get() + at, pixels_ + pixel * wanted_ * static_cast<std::int64_t>(sample_bytes_), width);
    }
  }

  void copy_row(const std::byte* row, std::byte* to, std::int64_t width) {
    const bool whole_bytes = page_.bits % 8 == 0;
    if (whole_bytes && stored_ == wanted_ && count_ == wanted_) {
      std::memcpy(to, row, static_cast<std::size_t>(width) * static_cast<std::size_t>(wanted_) * sample_bytes_);
      return;
    }
    for (std::int64_t x = 0; x < width; ++x)
      for (int k = 0; k < count_; ++k) {
        const auto sample = static_cast<std::uint64_t>(x * stored_ + from_ + k);
        std::byte* place = to + static_cast<std::size_t>(x * wanted_ + to_ + k) * sample_bytes_;
        if (whole_bytes) std::memcpy(place, row + sample * sample_bytes_, sample_bytes_);
        else store_converted(row, sample, place);
      }
  }

  void store_converted(const std::byte* row, std::uint64_t sample, std::byte* place) const {
    const unsigned value = packed_sample(row, sample, page_.bits);
    const auto byte = static_cast<std::uint8_t>(value);
    const auto word = static_cast<std::uint16_t>(value);
    if (sample_bytes_ == 1) std::memcpy(place, &byte, 1);
    else std::memcpy(place, &word, 2);
  }

  tiff_file& file_;
  const tiff_page& page_;
  const tiff_part& part_;
  int begin_, wanted_;
  std::byte* pixels_;
  std::size_t sample_bytes_;
  int to_ = 0, count_ = 1, from_ = 0, stored_ = 1;  // of the plane being read
  std::unique_ptr<std::byte[], freeing> buffer_;
  std::uint64_t bytes_ = 0, row_bytes_ = 0;
};

std::int64_t tiff_file::rows_together(const tiff_page& page) {
  turn_to(page);
  if (page.as_rgba) return page.height;
  const auto page_rows = static_cast<std::uint32_t>(page.height);
  const std::uint32_t rows =
      TIFFIsTiled(file_) != 0 ? number(TIFFTAG_TILELENGTH, 0) : number(TIFFTAG_ROWSPERSTRIP, page_rows);
  if (rows == 0) damaged();
  return std::min(rows, page_rows);
}

void tiff_file::read(const tiff_page& page, const tiff_part& part, std::byte* pixels) {
  turn_to(page);
  if (page.as_rgba) return read_rgba(page, part, pixels);
  if (short_number(TIFFTAG_COMPRESSION, COMPRESSION_NONE) == COMPRESSION_JPEG)
    TIFFSetField(file_, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  tiff_pieces(*this, page, part, pixels).read();
}

void tiff_file::read_rgba(const tiff_page& page, const tiff_part& part, std::byte* pixels) {
  const auto raster = allocate_pixels(name_, dtype::u32, extent(page.height, page.width));
  auto* words = reinterpret_cast<std::uint32_t*>(raster.get());
  std::fill_n(words, page.width * page.height, 0U);  // as in prepare()
  if (page.depth > 1 ||
      TIFFReadRGBAImageOriented(file_, static_cast<std::uint32_t>(page.width), static_cast<std::uint32_t>(page.height),
                                words, short_number(TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT), 1) == 0)
    damaged();
  for (std::int64_t i = part.row_begin * page.width; i < part.row_end * page.width; ++i)
    for (int channel = part.channel_begin; channel < part.channel_end; ++channel)
      *pixels++ = static_cast<std::byte>(words[i] >> (8 * channel) & 0xff);
}

}  // namespace skerry::io
