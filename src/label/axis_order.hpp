// SPDX-License-Identifier: Apache-2.0
// The axes of an image in the order of its memory, the nearest pixels last: an image in Fortran order is labelled through a
// view whose rows are its columns. Connectivity is the same for every order of axes.
#pragma once
#include <algorithm>

#include "skerry/measure.hpp"

namespace skerry {

class axis_order {
 public:
  /// Axes by the distance of neighbours along them, the farthest first; of equal distances, and of packed bits, as they are.
  static axis_order stored(const image_view& image);

  [[nodiscard]] bool is_row_major() const { return std::is_sorted(from_, from_ + 3); }
  /// True when neighbours along rows, the last axis, are not the nearest.
  [[nodiscard]] bool turns_rows() const { return from_[2] != 2; }
  friend bool operator==(const axis_order&, const axis_order&) = default;

  /// The axis of the image that is axis `turned` of the turned image: 0 is z.
  [[nodiscard]] int axis_of(int turned) const { return from_[turned]; }

  [[nodiscard]] image_view turned(const image_view& image) const;
  [[nodiscard]] mutable_image turned(const mutable_image& image) const;
  /// A question about the turned images.
  [[nodiscard]] label_request turned(const label_request& asked) const;

  /// Rows of a turned image, to those of the image.
  void turn_back(feature_table& table) const;

  /// Where a pixel of the turned image is in the image, in raster order: its place is the sum of these, times its coordinates.
  struct places {
    std::int64_t z, y, x;
  };
  [[nodiscard]] places places_in(const extent& size) const;

 private:
  int from_[3] = {0, 1, 2};  // axis i of the turned image is axis from_[i] of the image
};

}  // namespace skerry
