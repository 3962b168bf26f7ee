// SPDX-License-Identifier: Apache-2.0
// From exact integers to the columns that users know. Every engine fills the same integers, so that the columns are the
// same numbers too. Definitions are those of scikit-image's regionprops_table where it has the column; a diagonal
// orientation has the sign that it has there since version 0.21.
#include <cmath>

#include "core/column.hpp"
#include "core/intensity_columns.hpp"
#include "engine/cpu/new_memory.hpp"
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

u64 area(const feature_table& table, std::size_t row, int) { return table.components[row].area; }

u64 box(const feature_table& table, std::size_t row, int place) {
  return side_of_box(table.components[row], table.rank, place);
}

double centroid(const feature_table& table, std::size_t row, int place) {
  return centroid_along(table.components[row], table.rank, place);
}

double box_share(const feature_table& table, std::size_t row, int) {
  double box_area = 1;
  for (int place = 0; place < table.rank; ++place)
    box_area *= static_cast<double>(box(table, row, table.rank + place) - box(table, row, place));
  return static_cast<double>(table.components[row].area) / box_area;
}

u64 coordinate_sum(const feature_table& table, std::size_t row, int place) {
  return table.components[row].sum[axis_of(table.rank, place)];
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
    {"area", each_row<area>, needs::nothing},
    {"bbox", each_row<box>, needs::nothing, 2},
    {"centroid", each_row<centroid>, needs::nothing, 1},
    {"extent", each_row<box_share>},
    {"coordinate_sum", each_row<coordinate_sum>, needs::nothing, 1},
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

// One value of each row; write_of(column) writes them.
template <class Value, class WriteOf>
std::vector<Value> values_of(const feature_table& table, std::string_view name, WriteOf write_of) {
  std::vector<Value> values;
  with_column(feature_columns, table.rank, name, [&](const feature_column& column, int place) {
    check_input(table, column, name);
    const auto write = write_of(column);
    values.reserve(table.size());
    prefer_large_pages(values.data(), table.size() * sizeof(Value));
    values.resize(table.size());
    write(table, place, values.size(), values.data());
  });
  return values;
}

}  // namespace

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
  return values_of<double>(*this, name, [](const feature_column& column) { return column.values.numbers; });
}

std::vector<std::uint64_t> feature_table::integer_column(std::string_view name) const {
  return values_of<std::uint64_t>(*this, name, [&](const feature_column& column) {
    require_integers(column, name);
    return column.values.integers;
  });
}

bool feature_table::is_integer_column(std::string_view name) { return is_integer_among(feature_columns, name); }

}  // namespace skerry
