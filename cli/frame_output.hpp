// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cli/pictures.hpp"
#include "io/pending_file.hpp"
#include "skerry/image.hpp"

namespace skerry::cli {

/// One output image of a picture, of the same size, filled frame by frame. Nothing is visible before publish().
/// Without a name it does nothing.
class frame_output {
 public:
  /// Throws io::file_error when the name has the wrong end or the file cannot be made.
  explicit frame_output(const std::string& path);

  [[nodiscard]] bool wanted() const { return file_.has_value(); }
  /// Takes memory for an image as large as `from`. Throws io::file_error when the format does not hold it.
  void prepare(const picture& from, dtype type);
  /// Where a frame's pixels belong.
  [[nodiscard]] mutable_image frame(const picture& from, std::int64_t index);
  /// Writes the file to its end; and gives it its name.
  void finish();
  void publish();

 private:
  std::optional<io::pending_file> file_;
  std::unique_ptr<std::byte[]> pixels_;
  dtype type_ = dtype::u8;
  extent size_;
  io::stack_form form_;
};

}  // namespace skerry::cli
