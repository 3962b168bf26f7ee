// SPDX-License-Identifier: Apache-2.0
// The columns of skerry/columns.hpp that the table of components does not have: they take a second look at the labels.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/table_output.hpp"
#include "skerry/columns.hpp"

namespace skerry::cli {

/// What there is to measure of images.
struct table_sources {
  int rank = 2;
  std::optional<dtype> intensity;        // of the image of intensities
  std::optional<pixel_spacing> spacing;  // the size of a pixel, for columns in units
  std::size_t channels = 0;  // whose numbers names of columns of intensities end with; 0: one without a number
};

/// The columns of intensities of channels that region_table has: "intensity_min-0", "intensity_min-1", …
[[nodiscard]] std::vector<std::string> channel_columns(std::size_t channels);

/// Names of a group of measure_columns(), or of "all", in its order; columns with a unit are there once more, such as
/// "perimeter_um" behind "perimeter".
[[nodiscard]] std::vector<std::string> more_columns(const std::string& group, const table_sources& of);

/// What the columns are measured of.
struct labelled_image {
  image_view labels;
  background rule;
  image_view intensity = {};              // without data there is none
  std::optional<pixel_spacing> spacing;   // as in table_sources
  std::vector<image_view> channels = {};  // instead of it: several, numbered in names

  [[nodiscard]] table_sources sources() const {
    table_sources of{labels.size.rank, {}, spacing, channels.size()};
    if (intensity.data != nullptr) of.intensity = intensity.type;
    if (!channels.empty()) of.intensity = channels.front().type;
    return of;
  }
};

/// Columns of these names, which more_columns() lists, with a row for each label in ascending order.
[[nodiscard]] std::vector<table_column> measure_more(engine& on, const labelled_image& of,
                                                     const std::vector<std::string>& names);

}  // namespace skerry::cli
