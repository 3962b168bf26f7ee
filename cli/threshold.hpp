// SPDX-License-Identifier: Apache-2.0
// From the foreground options to the library's rule.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "cli/options.hpp"
#include "skerry/image.hpp"
#include "skerry/label.hpp"

namespace skerry::cli {

/// skerry::otsu_threshold(), which says what it is. Throws io::file_error of this name when no pixel is finite.
[[nodiscard]] double otsu_threshold(const image_view& image, const std::string& name);

struct foreground_choice {
  skerry::foreground rule;
  std::optional<double> otsu;  // the value that was found
};

/// The rule for one image. Throws usage_error, and io::file_error as otsu_threshold().
[[nodiscard]] foreground_choice choose_foreground(const foreground_options& options, const image_view& image,
                                                  const std::string& name);

/// The same, where `find_otsu` finds Otsu's threshold if that is asked for.
[[nodiscard]] foreground_choice choose_foreground(const foreground_options& options,
                                                  const std::function<double()>& find_otsu);

/// Calls find(), which finds a threshold by Otsu's method; what the library refuses is an io::file_error of this name:
/// other images may have such a threshold.
[[nodiscard]] double found_by_otsu(const std::string& name, const std::function<double()>& find);

}  // namespace skerry::cli
