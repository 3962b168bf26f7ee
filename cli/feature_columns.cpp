// SPDX-License-Identifier: Apache-2.0
#include "cli/feature_columns.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "cli/column_choice.hpp"
#include "cli/console.hpp"
#include "io/axes.hpp"
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

// Whether it is a column in units, whatever the unit, or several of them without their numbers: "area_um2", "centroid_nm". A name
// that columns in pixels have is none, even if it reads as one: "perimeter_crofton".
bool needs_pixel_size(const std::string& name, const table_sources& of) {
  const int rank = of.rank;
  const std::vector<std::string> in_pixels = columns_of(rank, true, true, {});
  const std::vector<std::string> more_in_pixels = more_columns("all", {rank, dtype::u8, {}, of.channels});
  if (!columns_named(name, in_pixels).empty() || !columns_named(name, more_in_pixels).empty()) return false;
  const auto is_one_with = [&](const pixel_spacing& spacing) {
    std::vector<std::string> patterns = without(columns_of(rank, true, true, spacing), in_pixels);
    for (std::string& name : without(more_columns("all", {rank, dtype::u8, spacing}), more_in_pixels))
      patterns.push_back(std::move(name));
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
      const bool all_axes = name.find('-') == std::string::npos;
      return ::fnmatch((all_axes ? pattern.substr(0, pattern.find("-0")) : pattern).c_str(), name.c_str(), 0) == 0;
    });
  };
  const std::string any_unit = "[[:alpha:]]*";
  return is_one_with({1, 1, 1, any_unit}) || is_one_with({1, 1, 1, ""});
}

using column_names = std::vector<std::string>;

// Whether images of this kind have columns of that name, pattern or quantity.
bool has_columns(const std::string& name, const table_sources& of) {
  return !columns_named(name, columns_of(of.rank, true, of.intensity.has_value(), of.spacing)).empty() ||
         !columns_named(name, more_columns("all", of)).empty();
}

// The columns of a name that this size of pixels rules out, but one with equal sides does not.
column_names needing_equal_sides(const std::string& name, table_sources of) {
  if (!of.spacing || of.spacing->y == of.spacing->x) return {};
  if (has_columns(name, of)) return {};
  of.spacing->y = of.spacing->x;
  return columns_named(name, more_columns("all", of));
}

// Throws usage_error for a column that only images of another rank have.
void check_rank(const std::string& option, const column_names& names, const table_sources& of) {
  for (const std::string& name : names) {
    if (has_columns(name, of)) continue;
    const auto has_rank = [&](int rank) {
      table_sources other = of;
      other.rank = rank;
      if (of.spacing) other.spacing = {1, 1, 1, of.spacing->unit};  // names depend on the unit alone; a plane has no z
      return rank != of.rank && has_columns(name, other);
    };
    const bool plane = has_rank(2), volume = has_rank(3);
    if (!plane && !volume) continue;
    throw usage_error(fmt::format("{}: '{}' needs {}; the image has rank {}{}", option, name,
                                  plane && volume ? "a plane or a volume"
                                  : plane         ? "a plane"
                                                  : "a volume",
                                  of.rank, of.rank == 3 ? "; --stack takes its pages one by one" : ""));
  }
}

feature_columns choose(const std::string& wanted, const table_sources& of, const std::string& first,
                       const column_names& missing, column_names all, std::vector<column_group> groups) {
  const bool intensity = of.intensity.has_value() && of.channels == 0;
  const column_names places = columns_of(of.rank, false, false, of.spacing);
  const column_names moments = without(columns_of(of.rank, true, false, of.spacing), places);
  column_names intensities = without(columns_of(of.rank, false, intensity, of.spacing), places);
  const column_names usual = without(columns_of(of.rank, true, intensity, of.spacing), missing);
  const column_names more = without(std::move(all), usual);
  all = usual;
  all.insert(all.end(), more.begin(), more.end());
  column_names unless_asked = usual;
  if (of.channels > 0) {
    intensities = channel_columns(of.channels);
    unless_asked.insert(unless_asked.end(), intensities.begin(), intensities.end());
  }
  groups.insert(groups.begin(),
                {{"geometry", without(places, missing)}, {"moments", moments}, {"intensity", intensities}});
  feature_columns chosen;
  chosen.names =
      wanted.empty() ? pick_columns("all", first, unless_asked, {}) : pick_columns(wanted, first, all, groups);
  const auto needs = [&](const column_names& some) {
    return std::any_of(chosen.names.begin(), chosen.names.end(),
                       [&](const std::string& name) { return holds(some, name); });
  };
  chosen.moments = needs(moments);
  chosen.intensity = std::any_of(chosen.names.begin(), chosen.names.end(), needs_intensity);
  for (const std::string& name : chosen.names)
    if (holds(more, name)) chosen.more.push_back(name);
  return chosen;
}

// Throws usage_error for a column without its intensity image or size of a pixel.
void check_given(const std::string& option, const column_names& names, const table_sources& of) {
  for (const std::string& name : names) {
    if (!of.intensity && needs_intensity(name))
      throw usage_error(fmt::format("{} {}: give an image with --intensity", option, name));
    if (!of.spacing && needs_pixel_size(name, of))
      throw usage_error(fmt::format("{} {}: the image has no pixel size; give one with --pixel-size", option, name));
  }
}

// The library's groups.
std::vector<column_group> more_groups(const table_sources& of) {
  std::vector<column_group> groups = {{"shape", more_columns("shape", of)}};
  for (const std::string& group : column_groups())
    if (group != "intensity") groups.push_back({group, more_columns(group, of)});
  return groups;
}

}  // namespace

bool needs_intensity(const std::string& name) {
  return name.starts_with("intensity") || name.find("weighted") != std::string::npos;
}

void check_sources(const std::string& option, const column_names& names, const table_sources& of) {
  check_given(option, names, of);
  for (const std::string& name : names)
    if (!needing_equal_sides(name, of).empty())
      throw usage_error(fmt::format("{}: {} needs pixels of equal sides; these are {}", option, name,
                                    io::text_of(*of.spacing, of.rank == 3)));
  check_rank(option, names, of);
}

feature_columns choose_columns(const std::string& wanted, const table_sources& of) {
  check_sources("--features", split_names(wanted), of);
  return choose(wanted, of, "label", {}, more_columns("all", of), more_groups(of));
}

feature_columns choose_track_columns(const std::string& wanted, int rank, const std::optional<pixel_spacing>& spacing) {
  const table_sources of{rank, dtype::u8, spacing};
  check_given("--features", split_names(wanted), of);
  return choose(wanted == "all" ? "" : wanted, of, "", {"label"}, {}, {});
}

std::vector<double> column_of(const feature_table& table, const std::string& name,
                              const std::optional<pixel_spacing>& spacing) {
  return spacing ? table.column(name, *spacing) : table.column(name);
}

std::vector<double> measured_columns::column(const std::string& name) const {
  for (const table_column& each : more)
    if (each.name == name) return each.numbers;
  return column_of(table, name, spacing);
}

std::vector<table_column> columns_of(const measured_columns& rows, const column_names& names) {
  std::vector<table_column> columns;
  columns.reserve(names.size());
  for (const std::string& name : names) {
    const auto found =
        std::find_if(rows.more.begin(), rows.more.end(), [&](const table_column& each) { return each.name == name; });
    if (found != rows.more.end()) {
      columns.push_back(*found);
      continue;
    }
    columns.push_back({name, feature_table::is_integer_column(name), {}});
    if (rows.size() > 0) columns.back().numbers = column_of(rows.table, name, rows.spacing);
  }
  return columns;
}

}  // namespace skerry::cli
