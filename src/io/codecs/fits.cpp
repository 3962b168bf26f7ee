// SPDX-License-Identifier: Apache-2.0
// FITS by CFITSIO.
#include <fitsio.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/codecs/decoders.hpp"

namespace skerry::io {
namespace {

// How CFITSIO calls a type of numbers: after scaling, and in memory.
struct number_kind {
  int equivalent, in_memory;
  dtype type;
};
constexpr number_kind number_kinds[] = {{BYTE_IMG, TBYTE, dtype::u8},          {USHORT_IMG, TUSHORT, dtype::u16},
                                        {SHORT_IMG, TSHORT, dtype::i16},       {ULONG_IMG, TUINT, dtype::u32},
                                        {LONG_IMG, TINT, dtype::i32},          {FLOAT_IMG, TFLOAT, dtype::f32},
                                        {DOUBLE_IMG, TDOUBLE, dtype::f64},     {SBYTE_IMG, TSBYTE, dtype::i8},
                                        {LONGLONG_IMG, TLONGLONG, dtype::i64}, {ULONGLONG_IMG, TULONGLONG, dtype::u64}};

// One image of the file.
struct image_unit {
  int number = 1;  // of the header and data unit, from 1
  picture_page page;
  int in_memory = TBYTE;
  bool has_blanks = false;  // missing pixels become NaN
};

class fits_decoder final : public picture_decoder {
 public:
  explicit fits_decoder(file_bytes bytes) : bytes_(std::move(bytes)), file_size_(bytes_.size()) {
    // CFITSIO reads whole blocks, past the end of the bytes as well, and some programs leave the end of the last one out.
    constexpr std::size_t block = 2880;
    bytes_.resize((file_size_ + block - 1) / block * block);
    start_ = bytes_.data();
    size_ = bytes_.size();
    const std::lock_guard lock(mutex());
    int status = 0;
    fits_open_memfile(&file_, "bytes", READONLY, &start_, &size_, 0, nullptr, &status);
    check(status);
    try {
      find_images();
    } catch (...) {
      close();
      throw;
    }
  }
  ~fits_decoder() override {
    const std::lock_guard lock(mutex());
    close();
  }

  [[nodiscard]] std::int64_t pages() const override { return static_cast<std::int64_t>(images_.size()); }
  [[nodiscard]] bool asks_for_page() const override { return images_.size() > 1; }
  [[nodiscard]] picture_page page(std::int64_t index) override { return images_[static_cast<std::size_t>(index)].page; }

  void read(std::int64_t page, int, int, std::byte* pixels) override {
    const std::lock_guard lock(mutex());
    const image_unit& image = images_[static_cast<std::size_t>(page)];
    int status = 0;
    fits_movabs_hdu(file_, image.number, nullptr, &status);
    float no_float = std::numeric_limits<float>::quiet_NaN();
    double no_double = std::numeric_limits<double>::quiet_NaN();
    void* missing = nullptr;
    if (image.has_blanks) missing = image.in_memory == TFLOAT ? static_cast<void*>(&no_float) : &no_double;
    const LONGLONG count = image.page.depth * image.page.height * image.page.width;
    int any_missing = 0;  // written to whenever a pixel is
    fits_read_img(file_, image.in_memory, 1, count, missing, pixels, &any_missing, &status);
    check(status);
  }

 private:
  // CFITSIO keeps its messages, and the files that it has open, in one place for all threads.
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }

  void close() {
    int status = 0;
    fits_close_file(file_, &status);
    fits_clear_errmsg();
  }

  static void check(int status) {
    if (status == 0) return;
    std::array<char, FLEN_STATUS> text{};
    fits_get_errstatus(status, text.data());
    fits_clear_errmsg();
    throw std::runtime_error(fmt::format("is truncated or damaged (CFITSIO: {})", text.data()));
  }

  void find_images() {
    int status = 0, count = 0;
    fits_get_num_hdus(file_, &count, &status);
    check(status);
    for (int number = 1; number <= count; ++number) {
      int kind = 0, axes = 0;
      fits_movabs_hdu(file_, number, &kind, &status);
      check(status);
      check_end();
      if (kind != IMAGE_HDU) continue;
      fits_get_img_dim(file_, &axes, &status);
      check(status);
      if (axes > 0) images_.push_back(describe(number, axes));
    }
    if (images_.empty()) throw std::runtime_error("holds no image, only headers or tables");
  }

  // What the header of a unit says of its data must be in the file; one that lies costs no memory.
  void check_end() const {
    int status = 0;
    LONGLONG begin = 0;
    fits_get_hduaddrll(file_, nullptr, &begin, nullptr, &status);
    check(status);
    const auto axes = static_cast<int>(value_of("NAXIS", 0));
    double numbers = axes > 0 ? 1 : 0;
    for (int axis = 1; axis <= axes; ++axis) numbers *= value_of(fmt::format("NAXIS{}", axis).c_str(), 0);
    const double wanted =
        std::abs(value_of("BITPIX", 8)) / 8 * value_of("GCOUNT", 1) * (value_of("PCOUNT", 0) + numbers);
    const std::size_t left = file_size_ - std::min(file_size_, static_cast<std::size_t>(begin));
    if (wanted > static_cast<double>(left))
      throw std::runtime_error(fmt::format("is truncated: {} bytes of pixels", left));
  }

  [[nodiscard]] image_unit describe(int number, int axes) const {
    int status = 0;
    std::vector<LONGLONG> sides(static_cast<std::size_t>(axes));
    fits_get_img_sizell(file_, axes, sides.data(), &status);
    check(status);
    image_unit unit;
    unit.number = number;
    unit.page = page_of(sides);
    set_numbers(unit);
    return unit;
  }

  // The fastest axis is the first. Axes of one step beyond the second say nothing.
  static picture_page page_of(const std::vector<LONGLONG>& sides) {
    std::vector<LONGLONG> kept;
    for (std::size_t i = 0; i < sides.size(); ++i)
      if (i < 2 || sides[i] != 1) kept.push_back(sides[i]);
    if (kept.size() < 2 || kept.size() > 3)
      throw std::runtime_error(
          fmt::format("has {} axes (NAXIS1 first: {}); an image has 2 or 3", sides.size(), fmt::join(sides, " x ")));
    picture_page page;
    page.width = kept[0];
    page.height = kept[1];
    if (kept.size() == 3) page.depth = kept[2];
    return page;
  }

  void set_numbers(image_unit& unit) const {
    int status = 0, stored = 0, scaled = 0;
    fits_get_img_type(file_, &stored, &status);
    fits_get_img_equivtype(file_, &scaled, &status);
    check(status);
    if (LONGLONG blank = 0; stored > 0) {
      fits_read_key(file_, TLONGLONG, "BLANK", &blank, nullptr, &status);
      unit.has_blanks = status == 0;
      fits_clear_errmsg();
    }
    if (unit.has_blanks && scaled > 0) scaled = stored > SHORT_IMG ? DOUBLE_IMG : FLOAT_IMG;
    // CFITSIO takes unsigned integers of 64 bits for signed ones.
    if (stored == LONGLONG_IMG && value_of("BZERO", 0) == 0x1p63 && value_of("BSCALE", 1) == 1) scaled = ULONGLONG_IMG;
    const auto* kind = std::find_if(std::begin(number_kinds), std::end(number_kinds),
                                    [&](const number_kind& each) { return each.equivalent == scaled; });
    if (kind == std::end(number_kinds))
      throw std::runtime_error(fmt::format("has the unsupported pixel type BITPIX {}", stored));
    unit.in_memory = kind->in_memory;
    unit.page.type = kind->type;
  }

  [[nodiscard]] double value_of(const char* key, double missing) const {
    int status = 0;
    double value = 0;
    fits_read_key(file_, TDOUBLE, key, &value, nullptr, &status);
    fits_clear_errmsg();
    return status == 0 ? value : missing;
  }

  file_bytes bytes_;
  std::size_t file_size_;  // without what fills the last block
  void* start_ = nullptr;
  std::size_t size_ = 0;
  fitsfile* file_ = nullptr;
  std::vector<image_unit> images_;
};

}  // namespace

std::unique_ptr<picture_decoder> open_fits(file_bytes bytes) {
  return std::make_unique<fits_decoder>(std::move(bytes));
}

}  // namespace skerry::io
