// SPDX-License-Identifier: Apache-2.0
// An NPY file that is open: what its header says, and its pixels as they follow each other.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "skerry/image.hpp"

namespace skerry::io {

/// A file that knows its name for messages. All functions throw file_error.
class input_file {
 public:
  /// Keeps a reference to the name.
  input_file(const std::string& path, const std::string& name);
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;
  ~input_file();

  [[nodiscard]] std::uint64_t size() const;
  /// Returns fewer bytes only at the end of the file.
  std::size_t read(void* bytes, std::size_t count, std::uint64_t offset) const;

 private:
  const std::string& name_;
  int descriptor_;
};

class npy_file {
 public:
  /// Throws file_error, also when the file is too short or larger than the limit.
  npy_file(const std::string& path, const std::string& name, std::int64_t pixel_limit);

  [[nodiscard]] dtype type() const { return type_; }
  [[nodiscard]] const extent& size() const { return size_; }
  [[nodiscard]] bool fortran_order() const { return fortran_order_; }
  /// Reads pixels in the order of the file, in the byte order of this machine. Throws file_error.
  void read(std::int64_t first, std::int64_t count, std::byte* pixels) const;

 private:
  const std::string name_;
  input_file file_;
  dtype type_ = dtype::u8;
  extent size_;
  bool fortran_order_ = false, foreign_ = false;
  std::uint64_t pixels_at_ = 0;  // byte offset
};

}  // namespace skerry::io
