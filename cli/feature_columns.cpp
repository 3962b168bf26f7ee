// SPDX-License-Identifier: Apache-2.0
#include "cli/feature_columns.hpp"

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

feature_columns choose_columns(const std::string& wanted, int rank, bool intensity,
                               const std::optional<pixel_spacing>& spacing) {
  if (!intensity)
    for (const std::string& name : split_names(wanted))
      if (name.starts_with("intensity")) throw usage_error("--features " + name + ": give an image with --intensity");
  return choose(wanted, rank, intensity, "label", {}, spacing);
}

feature_columns choose_track_columns(const std::string& wanted, int rank, const std::optional<pixel_spacing>& spacing) {
  return choose(wanted, rank, true, "", {"label"}, spacing);
}

}  // namespace skerry::cli
