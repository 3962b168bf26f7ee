// SPDX-License-Identifier: Apache-2.0
// Columns in units, from the columns in pixels and the size of a pixel. Definitions are those of scikit-image's regionprops
// with `spacing`: coordinates are multiplied by it, and areas by its product; sums count pixels as before, so that central
// moments have the unit squared in images and in volumes.
#include <algorithm>
#include <utility>

#include "engine/spacing_check.hpp"
#include "label/columns/feature_columns.hpp"
#include "label/columns/shape.hpp"
#include "skerry/error.hpp"

namespace skerry {
namespace {

using shape_function = double (*)(const feature_table&, std::size_t row, const axis_scale&);

enum class spaced_as : std::uint8_t { content, coordinate, moment, length, ratio };

// The columns that depend on the size of a pixel, without their numbers at the end.
struct spaced_column {
  std::string_view name;
  spaced_as kind;
  shape_function shape = nullptr;
};

constexpr spaced_column spaced_columns[] = {
    {"area", spaced_as::content},
    {"centroid", spaced_as::coordinate},
    {"axis_major_length", spaced_as::length, axis_major_length},
    {"axis_minor_length", spaced_as::length, axis_minor_length},
    {"eccentricity", spaced_as::ratio, eccentricity},
    {"orientation", spaced_as::ratio, orientation},
    {"moments_central", spaced_as::moment},
};

std::string_view stem_of(std::string_view name) { return name.substr(0, name.find('-')); }

const spaced_column* spaced_column_of(std::string_view pixel_name) {
  for (const spaced_column& each : spaced_columns)
    if (each.name == stem_of(pixel_name)) return &each;
  return nullptr;
}

// "area" is "area_um2", "centroid-0" is "centroid_um-0".
std::string spaced_name(const spaced_column& column, std::string_view pixel_name, const pixel_spacing& spacing,
                        int rank) {
  std::string suffix = spacing.unit;
  if (suffix.empty() || column.kind == spaced_as::ratio) suffix = "spaced";
  else if (column.kind == spaced_as::content) suffix += rank == 1 ? "" : std::to_string(rank);
  else if (column.kind == spaced_as::moment) suffix += '2';
  return std::string(column.name) + '_' + suffix + std::string(pixel_name.substr(column.name.size()));
}

axis_scale scale_of(const pixel_spacing& spacing, int rank) {
  check_spacing(spacing, rank);
  return {{rank == 2 ? 1.0 : spacing.z, spacing.y, spacing.x}};
}

// What the column in pixels is to be multiplied by: a coordinate by its axis, a moment by one for each of its two, which
// are the digits of its name.
double factor_of(spaced_as kind, std::string_view pixel_name, const axis_scale& scale, int rank) {
  const double* const along = scale.of + (3 - rank);
  double factor = 1;
  if (kind == spaced_as::content)
    for (int axis = 0; axis < rank; ++axis) factor *= along[axis];
  if (kind == spaced_as::coordinate) factor = along[pixel_name.back() - '0'];
  if (kind == spaced_as::moment) {
    const std::string_view powers = pixel_name.substr(stem_of(pixel_name).size());  // "-1-0-1"
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(rank); ++axis)
      for (int power = powers[2 * axis + 1] - '0'; power > 0; --power) factor *= along[axis];
  }
  return factor;
}

// Lengths and ratios are of sides relative to the largest, so that equal sides give the ratios of pixels to the last bit
// and no square leaves the range of doubles.
written_column spaced_shape(const feature_table& table, const spaced_column& column, axis_scale scale) {
  const int first = 3 - table.rank;
  const double largest = *std::max_element(scale.of + first, scale.of + 3);
  for (int axis = first; axis < 3; ++axis) scale.of[axis] /= largest;
  const double unit = column.kind == spaced_as::length ? largest : 1;
  return {[&table, shape = column.shape, scale, unit](std::size_t begin, std::size_t end, void* to) {
    auto* number = static_cast<double*>(to);
    for (std::size_t row = begin; row < end; ++row) *number++ = shape(table, row, scale) * unit;
  }};
}

// A column in pixels times a factor.
written_column spaced_numbers(written_column in_pixels, double factor) {
  return {[write_rows = std::move(in_pixels.write_rows), factor](std::size_t begin, std::size_t end, void* to) {
    write_rows(begin, end, to);
    auto* const numbers = static_cast<double*>(to);
    for (std::size_t row = 0; row < end - begin; ++row) numbers[row] *= factor;
  }};
}

}  // namespace

std::vector<std::string> feature_table::column_names(const pixel_spacing& spacing) const {
  std::vector<std::string> names;
  for (std::string& name : column_names()) {
    const spaced_column* const spaced = spaced_column_of(name);
    const std::string in_units = spaced != nullptr ? spaced_name(*spaced, name, spacing, rank) : "";
    names.push_back(std::move(name));
    if (spaced != nullptr) names.push_back(in_units);
  }
  return names;
}

written_column column_in_units(const feature_table& table, std::string_view name, const pixel_spacing& spacing) {
  const axis_scale scale = scale_of(spacing, table.rank);
  feature_table possible;  // knows the names of columns that were not measured, for the error that says so
  possible.rank = table.rank;
  possible.has_moments = true;
  for (const std::string& pixel_name : possible.column_names()) {
    const spaced_column* const spaced = spaced_column_of(pixel_name);
    if (spaced == nullptr || spaced_name(*spaced, pixel_name, spacing, table.rank) != name) continue;
    written_column in_pixels = column_in_pixels<double>(table, pixel_name);  // refuses what was not measured
    if (spaced->shape != nullptr) return spaced_shape(table, *spaced, scale);
    return spaced_numbers(std::move(in_pixels), factor_of(spaced->kind, pixel_name, scale, table.rank));
  }
  return column_in_pixels<double>(table, name);
}

std::vector<double> feature_table::column(std::string_view name, const pixel_spacing& spacing) const {
  return written_alone<double>(column_in_units(*this, name, spacing), size());
}

}  // namespace skerry
