// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "io/grey.hpp"
#include "io/image_file.hpp"
#include "io/stack_choice.hpp"
#include "io/tiff_file.hpp"

namespace skerry::io {

/// What a user chose of a TIFF, as one image of one channel or of colours: one page, or the slices of a stack.
class tiff_slices {
 public:
  /// Throws file_error as read_image() does for all that does not lie in the pixels.
  tiff_slices(const std::string& path, const std::string& name, const read_options& options);

  /// All of the image but its pixels.
  [[nodiscard]] image about() const;
  [[nodiscard]] const grey_rule& rule() const { return rule_; }
  /// The type of the samples in the file, which may be colours.
  [[nodiscard]] dtype stored_type() const { return first().type; }
  /// Pages that are read one by one, and the size of each.
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(chosen_.pages.size()); }
  [[nodiscard]] extent page_size() const;
  /// As tiff_file::rows_together(), of the first page.
  [[nodiscard]] std::int64_t rows_together();
  /// Reads rows of a page as they are stored: the channels of rule(). Throws file_error.
  void read(std::int64_t index, std::int64_t row_begin, std::int64_t row_end, std::byte* stored);

 private:
  [[nodiscard]] const tiff_page& first() const {
    return file_.pages()[planes_without_pages_ ? 0 : chosen_.pages.front()];
  }
  void check_same(std::size_t page) const;

  const std::string name_;
  tiff_file file_;
  std::string note_;
  std::optional<stack_axes> axes_;
  bool planes_without_pages_ = false;
  stack_choice chosen_;
  grey_rule rule_;
  extent size_;
  dtype type_ = dtype::u8;
};

}  // namespace skerry::io
