// SPDX-License-Identifier: Apache-2.0
// Arguments and results of calls about given label images.
#pragma once
#include <nanobind/nanobind.h>

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "bind/array.hpp"
#include "bind/table.hpp"
#include "skerry/columns.hpp"
#include "skerry/regions.hpp"

namespace skerry::python {

namespace nb = nanobind;

/// None: no label is background; True: zero and below; an integer: that label.
[[nodiscard]] background background_from(nb::handle object);

/// Throws ValueError where one of labels and `out` is in memory of a GPU, and the other is not.
void check_place(const held_image& labels, const held_image& out);

/// The bits of labels, as an array of uint64, or nothing for None.
[[nodiscard]] std::optional<std::vector<label_bits>> index_from(nb::handle bits);

/// The argument `intensity`: None, an image, or a list of the images of channels, with numbered columns.
class held_intensities {
 public:
  /// An image may be in memory of a GPU; channels where the labels are, too.
  held_intensities(nb::handle given, const held_image& labels) : held_intensities(given, &labels) {}
  /// All in host memory.
  explicit held_intensities(nb::handle given) : held_intensities(given, nullptr) {}
  /// The image; none for None or a list.
  [[nodiscard]] image_view single() const { return are_single() ? held_.front().view() : image_view(); }
  /// The images of a list.
  [[nodiscard]] std::vector<image_view> channels() const;
  [[nodiscard]] bool are_single() const { return !numbered_ && !held_.empty(); }

 private:
  held_intensities(nb::handle given, const held_image* labels);

  std::deque<held_image> held_;
  bool numbered_;
};

/// Labels as int64, or as uint64 where they are not signed and reach 2^63.
[[nodiscard]] nb::object array_of_labels(std::vector<label_bits> labels, bool are_signed);

/// The columns of a table by name, in its order: a dict of arrays.
[[nodiscard]] nb::dict arrays_of(const column_table& table, bool are_signed);

/// True for label images of signed integers.
[[nodiscard]] constexpr bool is_signed(dtype type) {
  return type == dtype::i8 || type == dtype::i16 || type == dtype::i32 || type == dtype::i64;
}

/// The table of measure_regions().
class region_columns final : public measured_columns<region_table> {
 protected:
  [[nodiscard]] nb::object own_column(const std::string& name) const override {
    return name == "label" ? array_of_labels(table.labels, table.signed_labels) : nb::object();
  }
};

}  // namespace skerry::python
