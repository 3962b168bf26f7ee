// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "io/axes.hpp"
#include "io/pending_file.hpp"
#include "skerry/image.hpp"

namespace skerry::io {

/// What an image file holds, but for the pixels: a dense image of rank 2 or 3.
struct stored_image {
  dtype type = dtype::u8;
  extent size;
  stack_form form = {};

  [[nodiscard]] std::int64_t row_bytes() const { return size.width * static_cast<std::int64_t>(size_of(type)); }
};

/// An image as TIFF, row by row: one page per slice, strips of about 256 KiB, Deflate; a BigTIFF where offsets need it. The
/// bytes of the file do not depend on how many rows come at a time. By libtiff: OpenImageIO 2.4 loses all pages but the first
/// when it does not own the file.
class tiff_writer {
 public:
  /// Begins the file, or goes on with one.
  ///   strips  bytes of the strips that a writer of the same image has written to this file, of strip_bytes(); without them
  ///           the file is to be empty
  /// Throws file_error.
  tiff_writer(pending_file& to, const stored_image& what, std::span<const std::uint64_t> strips = {});
  tiff_writer(const tiff_writer&) = delete;
  tiff_writer& operator=(const tiff_writer&) = delete;
  ~tiff_writer();

  /// Adds the rows that follow, dense. Throws file_error.
  void add(const std::byte* rows, std::int64_t count);
  /// To be called after the last row. Throws file_error. The caller commits the file.
  void finish();

  /// Rows that are in the file; those after them wait for their strip to be full.
  [[nodiscard]] std::int64_t rows_written() const { return written_; }
  /// The length of the file, and the bytes of each strip, when they were last looked at.
  [[nodiscard]] const std::vector<std::uint64_t>& strip_bytes() const { return strip_bytes_; }

 private:
  struct sink;
  [[nodiscard]] std::int64_t rows_of_next_strip() const;
  void write_strip(const std::byte* rows, std::int64_t count);
  void end_strip(std::int64_t rows, std::uint64_t bytes);
  void go_on_with(std::span<const std::uint64_t> strips);
  void check(bool good) const;

  stored_image what_;
  std::int64_t rows_;         // of a strip
  std::int64_t written_ = 0;  // rows of the image
  std::vector<std::byte> waiting_;
  std::vector<std::uint64_t> strip_bytes_;
  std::unique_ptr<sink> sink_;
};

}  // namespace skerry::io
