// SPDX-License-Identifier: Apache-2.0
// Images that are larger than memory, read and written a band of rows at a time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/image_file.hpp"
#include "io/tiff_writer.hpp"

namespace skerry::io {

/// The rows of an image in a file, those of all slices one after another: row y of slice z is number z * height + y.
class band_reader {
 public:
  band_reader() = default;
  band_reader(const band_reader&) = delete;
  band_reader& operator=(const band_reader&) = delete;
  virtual ~band_reader() = default;

  [[nodiscard]] const extent& size() const { return size_; }
  [[nodiscard]] dtype type() const { return type_; }
  /// All of the image but its pixels.
  [[nodiscard]] virtual image about() const = 0;
  /// How many rows of a slice lie together in the file, so that it costs as much to read one of them as all.
  [[nodiscard]] virtual std::int64_t rows_together() const = 0;
  /// Reads rows [begin, end), dense. Throws file_error.
  virtual void read(std::int64_t begin, std::int64_t end, std::byte* pixels) = 0;

 protected:
  extent size_;
  dtype type_ = dtype::u8;
};

/// Opens a TIFF, or an NPY in C order, with the options and the answers of read_image(). Throws file_error, also for what is
/// not a regular file and for other formats.
[[nodiscard]] std::unique_ptr<band_reader> open_bands(const std::string& path, const read_options& options);

/// A label image as TIFF or NPY, band after band; its bytes are those that write_picture() writes.
class band_writer {
 public:
  /// How far a file has come, for a later process that goes on with it.
  struct progress {
    std::int64_t rows = 0;              // that are in the file
    std::vector<std::uint64_t> strips;  // bytes of each, of a TIFF
  };

  band_writer() = default;
  band_writer(const band_writer&) = delete;
  band_writer& operator=(const band_writer&) = delete;
  virtual ~band_writer() = default;

  /// Adds the rows that follow, dense. Throws file_error.
  virtual void add(const std::byte* rows, std::int64_t count) = 0;
  /// To be called after the last row. Throws file_error. The caller commits the file.
  virtual void finish() = 0;
  /// How far it is; `strips` are those from number `known` on.
  [[nodiscard]] virtual progress reached(std::size_t known) const = 0;
};

/// Begins the file of the format that the end of its name says, .tif, .tiff or .npy, or goes on with one: its next row is
/// `reached.rows`. Throws file_error.
[[nodiscard]] std::unique_ptr<band_writer> write_bands(pending_file& to, const stored_image& what,
                                                       const band_writer::progress& reached = {});

}  // namespace skerry::io
