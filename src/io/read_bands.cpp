// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "io/bands.hpp"
#include "io/file_error.hpp"
#include "io/npy_file.hpp"
#include "io/tiff_slices.hpp"

namespace skerry::io {
namespace {

class npy_bands final : public band_reader {
 public:
  npy_bands(const std::string& path, const read_options& options) : file_(path, path, options.pixel_limit) {
    type_ = file_.type();
    size_ = file_.size();
    if (size_.rank == 1) throw file_error(path, "has 1 axis; bands are of images of 2 or 3");
    if (file_.fortran_order())
      throw file_error(path, "is in Fortran order, which is not read in bands; save it in C order");
    if (options.channel > 0) throw file_error(path, fmt::format("has no channel {}: NPY has only 0", options.channel));
    const std::int64_t pages = size_.rank == 3 ? size_.depth : 1;
    if (options.page >= pages)
      throw file_error(path, fmt::format("has no page {}: it has {}, the first is 0", options.page, pages));
    if (options.page < 0) return;
    first_row_ = options.page * size_.height;
    size_ = extent(size_.height, size_.width);
  }

  [[nodiscard]] image about() const override {
    image read;
    read.format = "npy";
    read.type = type_;
    read.size = size_;
    return read;
  }
  [[nodiscard]] std::int64_t rows_together() const override { return 1; }
  void read(std::int64_t begin, std::int64_t end, std::byte* pixels) override {
    const std::int64_t width = size_.width;
    file_.read((first_row_ + begin) * width, (end - begin) * width, pixels);
  }

 private:
  npy_file file_;
  std::int64_t first_row_ = 0;
};

class tiff_bands final : public band_reader {
 public:
  tiff_bands(const std::string& path, const read_options& options) : file_(path, path, options) {
    if (file_.page_size().rank == 3)
      throw file_error(path, "is a volume in one page, which is not read in bands; save it as pages");
    size_ = about().size;
    type_ = about().type;
    rows_together_ = file_.rows_together();
  }

  [[nodiscard]] image about() const override { return file_.about(); }
  [[nodiscard]] std::int64_t rows_together() const override { return rows_together_; }
  void read(std::int64_t begin, std::int64_t end, std::byte* pixels) override {
    const std::int64_t height = size_.height;
    while (begin < end) {
      const std::int64_t page = begin / height, stop = std::min(end, (page + 1) * height);
      read_rows(page, begin - page * height, stop - page * height, pixels);
      pixels += (stop - begin) * size_.width * static_cast<std::int64_t>(size_of(type_));
      begin = stop;
    }
  }

 private:
  void read_rows(std::int64_t page, std::int64_t begin, std::int64_t end, std::byte* pixels) {
    if (!file_.rule().mixes()) return file_.read(page, begin, end, pixels);
    const dtype type = file_.stored_type();
    const std::int64_t row = size_.width, samples = 3 * row * static_cast<std::int64_t>(size_of(type));
    colours_.resize(static_cast<std::size_t>((end - begin) * samples));
    file_.read(page, begin, end, colours_.data());
    mix_colours(type, colours_.data(), pixels, (end - begin) * row);
  }

  tiff_slices file_;
  std::int64_t rows_together_ = 1;
  std::vector<std::byte> colours_;
};

}  // namespace

std::unique_ptr<band_reader> open_bands(const std::string& path, const read_options& options) {
  std::error_code unknown;
  if (path == "-" || (std::filesystem::exists(path, unknown) && !std::filesystem::is_regular_file(path, unknown)))
    throw file_error(path == "-" ? "standard input" : path, "is not a file, and only files are read in bands");
  const file_format& format = format_of(path, path);
  if (format.reader == format_reader::tiff) return std::make_unique<tiff_bands>(path, options);
  if (format.reader != format_reader::npy)
    throw file_error(path, fmt::format("is {}; TIFF and NPY are read in bands", format.name));
  if (options.frame > 0) throw file_error(path, fmt::format("has no frame {}: it has no axis of time", options.frame));
  return std::make_unique<npy_bands>(path, options);
}

}  // namespace skerry::io
