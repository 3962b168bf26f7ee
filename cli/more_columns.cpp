// SPDX-License-Identifier: Apache-2.0
#include "cli/more_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "cli/column_choice.hpp"
#include "skerry/regions.hpp"

namespace skerry::cli {
namespace {

// The columns that depend on the size of a pixel: a number of units to some power, `content` to that of the rank; or an `angle` or
// ratio without a unit, which changes where sides differ.
constexpr int content = 0, angle = -1;
struct unit_power {
  std::string_view stem;
  int power;
};
constexpr unit_power unit_powers[] = {{"area_bbox", content},
                                      {"equivalent_diameter_area", 1},
                                      {"centroid_local", 1},
                                      {"inertia_tensor", 2},
                                      {"inertia_tensor_eigvals", 2},
                                      {"centroid_weighted", 1},
                                      {"centroid_weighted_local", 1},
                                      {"perimeter", 1},
                                      {"perimeter_crofton", 1},
                                      {"surface_area", 2},
                                      {"area_convex", content},
                                      {"feret_diameter_max", 1},
                                      {"feret_diameter_min", 1},
                                      {"minimum_rectangle_area", 2},
                                      {"minimum_rectangle_length", 1},
                                      {"minimum_rectangle_width", 1},
                                      {"minimum_rectangle_orientation", angle},
                                      {"bounding_circle_radius", 1},
                                      {"bounding_circle_center", 1},
                                      {"area_filled", content}};

// "perimeter" is "perimeter_um", "centroid_local-0" is "centroid_local_um-0"; nothing for a column without a unit.
std::string name_in_units(const std::string& name, const pixel_spacing& spacing, int rank) {
  const std::string stem = name.substr(0, name.find('-'));
  for (const unit_power& each : unit_powers) {
    if (each.stem != stem) continue;
    const int power = each.power == content ? rank : each.power;
    const std::string power_text = power == 1 ? "" : std::to_string(power);
    const bool has_unit = each.power != angle && !spacing.unit.empty();
    const std::string unit = has_unit ? spacing.unit + power_text : "spaced";
    return fmt::format("{}_{}{}", stem, unit, name.substr(stem.size()));
  }
  return "";
}

// The names that the library has for images of this kind, which it tells of one without pixels.
std::vector<std::string> library_names(const std::string& group, const table_sources& of,
                                       const pixel_spacing& spacing) {
  static const std::byte nothing{};
  extent size(0, 0);
  if (of.rank == 1) size = extent(0);
  if (of.rank == 3) size = extent(0, 0, 0);
  column_request asked{.columns = {group}, .spacing = spacing};
  if (of.intensity) asked.intensity = image_view(&nothing, *of.intensity, size);
  if (of.channels > 0) asked.channels.assign(of.channels, std::exchange(asked.intensity, {}));
  engine on = engine::cpu(1);
  column_table table;
  measure_columns(on, image_view(&nothing, dtype::u8, size), asked, table);
  std::vector<std::string> names;
  for (const skerry::table_column& column : table.columns)
    if (column.name != "label") names.push_back(column.name);
  if (group == "all") {
    const std::vector<std::string> sums = without(channel_columns(of.channels), names);
    names.insert(names.end(), sums.begin(), sums.end());
  }
  return names;
}

// Those of channel_columns(), for all channels in one pass.
void measure_channels(engine& on, const labelled_image& of, const std::vector<std::string>& names,
                      std::map<std::string, table_column>& found) {
  if (names.empty()) return;
  region_table table;
  measure_regions(on, {.labels = of.labels, .background = of.rule, .channels = of.channels}, table);
  for (const std::string& name : names)
    found[name] = {name, feature_table::is_integer_column(name.substr(0, name.find('-'))), table.column(name)};
}

}  // namespace

std::vector<std::string> channel_columns(std::size_t channels) {
  region_table table;
  const std::vector<std::string> places = table.column_names();
  table.channels.resize(channels);
  for (feature_table& each : table.channels) each.has_intensities = true;
  return without(table.column_names(), places);
}

std::vector<std::string> more_columns(const std::string& group, const table_sources& of) {
  std::vector<std::string> in_pixels = library_names(group, of, {});
  if (!of.spacing) return in_pixels;
  const std::vector<std::string> measurable = library_names(group, of, *of.spacing);
  std::vector<std::string> names;
  for (const std::string& name : in_pixels) {
    names.push_back(name);
    const std::string in_units = name_in_units(name, *of.spacing, of.rank);
    if (!in_units.empty() && holds(measurable, name)) names.push_back(in_units);
  }
  return names;
}

std::vector<table_column> measure_more(engine& on, const labelled_image& of, const std::vector<std::string>& names) {
  std::map<std::string, std::string> in_pixels;  // the library's name of each in units
  if (of.spacing)
    for (const std::string& name : library_names("all", of.sources(), {}))
      in_pixels[name_in_units(name, *of.spacing, of.labels.size.rank)] = name;
  std::map<std::string, table_column> found;
  const std::vector<std::string> of_channels = channel_columns(of.channels.size());
  measure_channels(on, of, without(names, without(names, of_channels)), found);
  for (const bool in_units : {false, true}) {
    column_request asked{.columns = {}, .background = of.rule, .intensity = of.intensity, .channels = of.channels};
    if (in_units && of.spacing) asked.spacing = *of.spacing;
    std::vector<std::string> wanted;
    for (const std::string& name : without(names, of_channels))
      if (in_pixels.contains(name) == in_units) wanted.push_back(name);
    if (wanted.empty()) continue;
    for (const std::string& name : wanted) asked.columns.push_back(in_units ? in_pixels[name] : name);
    column_table table;
    measure_columns(on, of.labels, asked, table);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const skerry::table_column& column = table.column(asked.columns[i]);
      table_column& to = found[wanted[i]] = {wanted[i], column.is_integer, column.numbers};
      if (column.is_integer) to.numbers.assign(column.integers.begin(), column.integers.end());
    }
  }
  std::vector<table_column> columns;
  columns.reserve(names.size());
  for (const std::string& name : names) columns.push_back(found.at(name));
  return columns;
}

}  // namespace skerry::cli
