// SPDX-License-Identifier: Apache-2.0
#include "io/bands.hpp"
#include "io/file_error.hpp"
#include "io/npy.hpp"
#include "io/picture_file.hpp"

namespace skerry::io {
namespace {

class npy_writer final : public band_writer {
 public:
  npy_writer(pending_file& to, const stored_image& what, const progress& reached)
      : to_(to), row_bytes_(what.row_bytes()), rows_(reached.rows) {
    const std::string header = make_npy_header(what.type, what.size);
    begin_ = static_cast<std::int64_t>(header.size());
    if (to.size() < (rows_ > 0 ? begin_ + rows_ * row_bytes_ : 0))
      throw file_error(to.path(), "cannot be continued: what was written of it is not all there");
    if (rows_ == 0) to.write_at(header.data(), header.size(), 0);
    to.cut(begin_ + rows_ * row_bytes_);
  }

  void add(const std::byte* rows, std::int64_t count) override {
    to_.write_at(rows, static_cast<std::size_t>(count * row_bytes_), begin_ + rows_ * row_bytes_);
    rows_ += count;
  }
  void finish() override {}
  [[nodiscard]] progress reached(std::size_t /*known*/) const override { return {rows_, {}}; }

 private:
  pending_file& to_;
  std::int64_t row_bytes_, rows_, begin_ = 0;
};

class tiff_band_writer final : public band_writer {
 public:
  tiff_band_writer(pending_file& to, const stored_image& what, const progress& reached)
      : file_(to, what, reached.strips) {}

  void add(const std::byte* rows, std::int64_t count) override { file_.add(rows, count); }
  void finish() override { file_.finish(); }
  [[nodiscard]] progress reached(std::size_t known) const override {
    const std::vector<std::uint64_t>& all = file_.strip_bytes();
    return {file_.rows_written(), {all.begin() + static_cast<std::ptrdiff_t>(known), all.end()}};
  }

 private:
  tiff_writer file_;
};

}  // namespace

std::unique_ptr<band_writer> write_bands(pending_file& to, const stored_image& what,
                                         const band_writer::progress& reached) {
  if (reached.rows == 0) to.cut(0);
  switch (picture_format_of(to.path())) {
    case picture_format::tiff: return std::make_unique<tiff_band_writer>(to, what, reached);
    case picture_format::npy: return std::make_unique<npy_writer>(to, what, reached);
    case picture_format::png: break;
  }
  throw file_error(to.path(), "a PNG is not written in bands; write .tif or .npy");
}

}  // namespace skerry::io
