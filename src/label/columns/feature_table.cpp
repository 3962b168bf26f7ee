// SPDX-License-Identifier: Apache-2.0
// From exact integers to the columns that users know. Every engine fills the same integers, so that the columns are the
// same numbers too. Definitions are those of scikit-image's regionprops_table where it has the column; a diagonal
// orientation has the sign that it has there since version 0.21.
#include <cmath>

#include "core/column.hpp"
#include "core/intensity_columns.hpp"
#include "engine/spacing_check.hpp"
#include "label/columns/feature_columns.hpp"
#include "label/columns/geometry_columns.hpp"
#include "label/columns/shape.hpp"
#include "skerry/error.hpp"
#include "skerry/measure.hpp"

namespace skerry {
namespace {

// ---- shape --------------------------------------------------------------------------------------------------------

// A length or ratio of pixels, which have sides of 1.
template <double (*Shape)(const feature_table&, std::size_t, const axis_scale&)>
double in_pixels(const feature_table& table, std::size_t row, int) {
  return Shape(table, row, axis_scale{});
}

// Sum of products of distances to the centroid along two axes.
template <std::size_t A, std::size_t B>
double moments_central(const feature_table& table, std::size_t row, int) {
  return static_cast<double>(central_moment(table, row, A, B)) / static_cast<double>(table.components[row].area);
}

// ---- place --------------------------------------------------------------------------------------------------------

u64 label_number(const feature_table&, std::size_t row, int) { return row + 1; }

u64 box(const feature_table& table, std::size_t row, int place) {
  return side_of_box(table.components[row], table.rank, place);
}

double box_share(const feature_table& table, std::size_t row, int) {
  double box_area = 1;
  for (int place = 0; place < table.rank; ++place)
    box_area *= static_cast<double>(box(table, row, table.rank + place) - box(table, row, place));
  return static_cast<double>(table.components[row].area) / box_area;
}

// ---- intensity ----------------------------------------------------------------------------------------------------

template <double (*Formula)(const intensity_rows&, std::size_t)>
double of_pixels(const feature_table& table, std::size_t row, int) {
  return Formula({table, table}, row);
}

// ---- columns ------------------------------------------------------------------------------------------------------

enum class needs { nothing, moments, intensities };
using feature_column = column_rule<feature_table, needs>;

constexpr feature_column feature_columns[] = {
    {"label", each_row<label_number>, needs::nothing},
    {"area", areas, needs::nothing},
    {"bbox", sides_of_boxes, needs::nothing, 2},
    {"centroid", centroids, needs::nothing, 1},
    {"extent", each_row<box_share>},
    {"coordinate_sum", coordinate_sums, needs::nothing, 1},
    {"axis_major_length", each_row<in_pixels<axis_major_length>>, needs::moments, 0, of_rank(2) | of_rank(3)},
    {"axis_minor_length", each_row<in_pixels<axis_minor_length>>, needs::moments, 0, of_rank(2) | of_rank(3)},
    {"eccentricity", each_row<in_pixels<eccentricity>>, needs::moments, 0, of_rank(2)},
    {"orientation", each_row<in_pixels<orientation>>, needs::moments, 0, of_rank(2)},
    {"moments_central-2", each_row<moments_central<2, 2>>, needs::moments, 0, of_rank(1)},
    {"moments_central-0-2", each_row<moments_central<2, 2>>, needs::moments, 0, of_rank(2)},
    {"moments_central-1-1", each_row<moments_central<1, 2>>, needs::moments, 0, of_rank(2)},
    {"moments_central-2-0", each_row<moments_central<1, 1>>, needs::moments, 0, of_rank(2)},
    {"moments_central-0-0-2", each_row<moments_central<2, 2>>, needs::moments, 0, of_rank(3)},
    {"moments_central-0-1-1", each_row<moments_central<1, 2>>, needs::moments, 0, of_rank(3)},
    {"moments_central-0-2-0", each_row<moments_central<1, 1>>, needs::moments, 0, of_rank(3)},
    {"moments_central-1-0-1", each_row<moments_central<0, 2>>, needs::moments, 0, of_rank(3)},
    {"moments_central-1-1-0", each_row<moments_central<0, 1>>, needs::moments, 0, of_rank(3)},
    {"moments_central-2-0-0", each_row<moments_central<0, 0>>, needs::moments, 0, of_rank(3)},
    {"intensity_min", each_row<of_pixels<intensity_min>>, needs::intensities},
    {"intensity_max", each_row<of_pixels<intensity_max>>, needs::intensities},
    {"intensity_mean", each_row<of_pixels<intensity_mean>>, needs::intensities},
    {"intensity_std", each_row<of_pixels<intensity_std>>, needs::intensities},
    {"intensity_sum", each_row<of_pixels<intensity_sum>>, needs::intensities},
};

void check_input(const feature_table& table, const feature_column& column, std::string_view name) {
  if (column.input == needs::moments && !(table.has_moments && table.moments.size() == table.size()))
    throw invalid_argument("name: column '" + std::string(name) + "' needs moments, which were not measured");
  if (column.input == needs::intensities &&
      !(table.has_intensities && table.intensities.size() + table.real_intensities.size() == table.size()))
    throw invalid_argument("name: column '" + std::string(name) + "' needs an intensity image, which was not measured");
}

}  // namespace

template <class Value>
written_column column_in_pixels(const feature_table& table, std::string_view name) {
  written_column found;
  with_column(feature_columns, table.rank, name, [&](const feature_column& column, int which) {
    check_input(table, column, name);
    if constexpr (std::is_same_v<Value, u64>) require_integers(column, name);
    found.write_rows = [&table, which, write = column.values.template as<Value>()](std::size_t begin, std::size_t end,
                                                                                   void* to) {
      write(table, which, begin, end, static_cast<Value*>(to));
    };
  });
  return found;
}

template written_column column_in_pixels<double>(const feature_table&, std::string_view);
template written_column column_in_pixels<u64>(const feature_table&, std::string_view);

std::vector<std::string> feature_table::column_names() const {
  std::vector<std::string> names;
  each_column(feature_columns, rank, [&](const feature_column& column, int, const std::string& name) {
    if (column.input == needs::moments && !has_moments) return;
    if (column.input == needs::intensities && !has_intensities) return;
    names.push_back(name);
  });
  return names;
}

std::vector<double> feature_table::column(std::string_view name) const {
  return written_alone<double>(column_in_pixels<double>(*this, name), size());
}

std::vector<std::uint64_t> feature_table::integer_column(std::string_view name) const {
  return written_alone<u64>(column_in_pixels<u64>(*this, name), size());
}

void feature_table::write_columns(engine& on, std::span<const column_place> columns,
                                  const std::optional<pixel_spacing>& spacing) const {
  if (spacing) check_spacing(*spacing, rank);
  std::vector<written_column> written;
  for (const column_place& place : columns) {
    const auto numbers = [&] {
      return spacing ? column_in_units(*this, place.name, *spacing) : column_in_pixels<double>(*this, place.name);
    };
    const auto integers = [&] { return column_in_pixels<u64>(*this, place.name); };
    written.push_back(written_to(place, size(), numbers, integers));
  }
  write_in_blocks(on, written, size());
}

bool feature_table::is_integer_column(std::string_view name) { return is_integer_among(feature_columns, name); }

}  // namespace skerry
