// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/more_columns.hpp"
#include "skerry/measure.hpp"

namespace skerry::cli {

struct feature_columns {
  std::vector<std::string> names;
  bool moments = false;           // some of them need second moments
  bool intensity = false;         // some of them need an intensity image
  std::vector<std::string> more;  // those of them that more_columns() lists
};

/// Throws usage_error for a column whose source is not there: an intensity image, the size of a pixel, one of equal sides, or
/// another rank.
///   option  that has the names, for the message
void check_sources(const std::string& option, const std::vector<std::string>& names, const table_sources& of);

/// The columns that `wanted` names, "label" first.
///   wanted  column names and group names (all, geometry, moments, intensity, shape, and those of column_groups()), with
///           commas between them; nothing is geometry, moments and intensity
/// Throws as check_sources(); usage_error for a name that is not a column of such images, listing those that are.
[[nodiscard]] feature_columns choose_columns(const std::string& wanted, const table_sources& of);

/// The same for objects of a stream, whose frames are their own intensity images: there is no "label", but an id.
[[nodiscard]] feature_columns choose_track_columns(const std::string& wanted, int rank,
                                                   const std::optional<pixel_spacing>& spacing = {});

/// What was measured of one image.
struct measured_columns {
  const feature_table& table;
  const std::vector<table_column>& more;  // those of feature_columns::more
  const std::optional<pixel_spacing>& spacing;

  [[nodiscard]] std::size_t size() const { return table.size(); }
  [[nodiscard]] std::vector<double> column(const std::string& name) const;
};

/// Columns of these names. An empty table has no columns of moments or intensities, and theirs are empty.
[[nodiscard]] std::vector<table_column> columns_of(const measured_columns& rows, const std::vector<std::string>& names);

/// A column of one of these names.
[[nodiscard]] std::vector<double> column_of(const feature_table& table, const std::string& name,
                                            const std::optional<pixel_spacing>& spacing);

/// Whether a column of that name is of intensities.
[[nodiscard]] bool needs_intensity(const std::string& name);

}  // namespace skerry::cli
