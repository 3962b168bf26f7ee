// SPDX-License-Identifier: Apache-2.0
#include "cli/feature_columns.hpp"

#include <algorithm>

#include "cli/column_choice.hpp"
#include "cli/console.hpp"
#include "skerry/measure.hpp"

namespace skerry::cli {
namespace {

// The library's own list for a table of that kind, so that a feature is named in one place.
std::vector<std::string> columns_of(int rank, bool moments, bool intensity) {
  feature_table table;
  table.rank = rank;
  table.has_moments = moments;
  table.has_intensities = intensity;
  return table.column_names();
}

}  // namespace

feature_columns choose_columns(const std::string& wanted, int rank, bool intensity) {
  const std::vector<std::string> geometry = columns_of(rank, false, false);
  const std::vector<std::string> moments = without(columns_of(rank, true, false), geometry);
  if (!intensity)
    for (const std::string& name : split_names(wanted))
      if (name.starts_with("intensity")) throw usage_error("--features " + name + ": give an image with --intensity");
  feature_columns chosen;
  chosen.names = pick_columns(wanted, "label", columns_of(rank, true, intensity),
                              {{"geometry", geometry},
                               {"moments", moments},
                               {"intensity", without(columns_of(rank, false, intensity), geometry)}});
  chosen.moments = std::any_of(chosen.names.begin(), chosen.names.end(),
                               [&](const std::string& name) { return holds(moments, name); });
  return chosen;
}

}  // namespace skerry::cli
