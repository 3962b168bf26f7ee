// SPDX-License-Identifier: Apache-2.0
#include "cli/feature_columns.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "cli/column_choice.hpp"
#include "cli/console.hpp"
#include "skerry/measure.hpp"

namespace skerry::cli {
namespace {

// The library's own list for a table of that kind, so that a feature is named in one place.
std::vector<std::string> columns_of(int rank, bool moments, bool intensity,
                                    const std::optional<pixel_spacing>& spacing) {
  feature_table table;
  table.rank = rank;
  table.has_moments = moments;
  table.has_intensities = intensity;
  return spacing ? table.column_names(*spacing) : table.column_names();
}

// Whether it is a column in units, whatever the unit, or several of them without their numbers: "area_um2", "centroid_nm".
bool needs_pixel_size(const std::string& name, int rank) {
  const std::vector<std::string> in_pixels = columns_of(rank, true, true, {});
  const auto is_one_with = [&](const pixel_spacing& spacing) {
    const std::vector<std::string> patterns = without(columns_of(rank, true, true, spacing), in_pixels);
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
      const bool all_axes = name.find('-') == std::string::npos;
      return ::fnmatch((all_axes ? pattern.substr(0, pattern.find("-0")) : pattern).c_str(), name.c_str(), 0) == 0;
    });
  };
  const std::string any_unit = "[[:alpha:]]*";
  return is_one_with({1, 1, 1, any_unit}) || is_one_with({1, 1, 1, ""});
}

feature_columns choose(const std::string& wanted, int rank, bool intensity, const std::string& first,
                       const std::vector<std::string>& missing, const std::optional<pixel_spacing>& spacing) {
  const std::vector<std::string> places = columns_of(rank, false, false, spacing);
  const std::vector<std::string> geometry = without(places, missing);
  const std::vector<std::string> moments = without(columns_of(rank, true, false, spacing), places);
  const std::vector<std::string> intensities = without(columns_of(rank, false, intensity, spacing), places);
  feature_columns chosen;
  chosen.names = pick_columns(wanted, first, without(columns_of(rank, true, intensity, spacing), missing),
                              {{"geometry", geometry}, {"moments", moments}, {"intensity", intensities}});
  const auto needs = [&](const std::vector<std::string>& some) {
    return std::any_of(chosen.names.begin(), chosen.names.end(),
                       [&](const std::string& name) { return holds(some, name); });
  };
  chosen.moments = needs(moments);
  chosen.intensity = needs(intensities);
  return chosen;
}

}  // namespace

void check_sources(const std::string& option, const std::vector<std::string>& names, int rank, bool intensity,
                   const std::optional<pixel_spacing>& spacing) {
  for (const std::string& name : names) {
    if (!intensity && name.starts_with("intensity"))
      throw usage_error(fmt::format("{} {}: give an image with --intensity", option, name));
    if (!spacing && needs_pixel_size(name, rank))
      throw usage_error(fmt::format("{} {}: the image has no pixel size; give one with --pixel-size", option, name));
  }
}

feature_columns choose_columns(const std::string& wanted, int rank, bool intensity,
                               const std::optional<pixel_spacing>& spacing) {
  check_sources("--features", split_names(wanted), rank, intensity, spacing);
  return choose(wanted, rank, intensity, "label", {}, spacing);
}

feature_columns choose_track_columns(const std::string& wanted, int rank, const std::optional<pixel_spacing>& spacing) {
  check_sources("--features", split_names(wanted), rank, true, spacing);
  return choose(wanted, rank, true, "", {"label"}, spacing);
}

std::vector<double> column_of(const feature_table& table, const std::string& name,
                              const std::optional<pixel_spacing>& spacing) {
  return spacing ? table.column(name, *spacing) : table.column(name);
}

}  // namespace skerry::cli
