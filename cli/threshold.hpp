// SPDX-License-Identifier: Apache-2.0
// From the foreground options to the library's rule.
#pragma once
#include <optional>

#include "cli/options.hpp"
#include "skerry/image.hpp"
#include "skerry/label.hpp"

namespace skerry::cli {

/// Otsu's threshold of a dense image: the value t that splits the pixels into <= t and > t with the largest variance
/// between the two classes, the smallest t among equals.
///
/// Whole pixel types have one bin per value (256 bins when the values span more than 65536), float types 256 bins from
/// the smallest to the largest finite value; t is the centre of its bin. An image of one value gives that value.
/// This is scikit-image's threshold_otsu, up to rounding of sums.
/// Throws usage_error when no pixel is finite.
[[nodiscard]] double otsu_threshold(const image_view& image);

struct foreground_choice {
  skerry::foreground rule;
  std::optional<double> otsu;  // the value that was found
};

/// The rule for one image. Throws usage_error.
[[nodiscard]] foreground_choice choose_foreground(const foreground_options& options, const image_view& image);

}  // namespace skerry::cli
