// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "skerry/measure.hpp"

namespace skerry::cli {

struct feature_columns {
  std::vector<std::string> names;
  bool moments = false;    // some of them need second moments
  bool intensity = false;  // some of them need an intensity image
};

/// Throws usage_error for a column whose source is not there: an intensity image, or the size of a pixel.
///   option   that has the names, for the message
///   rank, …  as choose_columns() has them
void check_sources(const std::string& option, const std::vector<std::string>& names, int rank, bool intensity,
                   const std::optional<pixel_spacing>& spacing);

/// The columns that `wanted` names, "label" first.
///   wanted     group names (all, geometry, moments, intensity) and column names, with commas between them
///   rank       of the images
///   intensity  an intensity image is there
///   spacing    the size of a pixel, for columns in units
/// Throws as check_sources(); usage_error for a name that is not a column of such images, listing those that are.
[[nodiscard]] feature_columns choose_columns(const std::string& wanted, int rank, bool intensity,
                                             const std::optional<pixel_spacing>& spacing = {});

/// The same for objects of a stream, whose frames are their own intensity images: there is no "label", but an id.
[[nodiscard]] feature_columns choose_track_columns(const std::string& wanted, int rank,
                                                   const std::optional<pixel_spacing>& spacing = {});

/// A column of one of these names.
[[nodiscard]] std::vector<double> column_of(const feature_table& table, const std::string& name,
                                            const std::optional<pixel_spacing>& spacing);

}  // namespace skerry::cli
