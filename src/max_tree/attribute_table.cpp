// SPDX-License-Identifier: Apache-2.0
// From exact integers to attributes. Every engine fills the same integers, so that the attributes are the same numbers.
// A new attribute is a function and a line in `attribute_columns`; no stage notices.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/column.hpp"
#include "core/derived.hpp"
#include "core/intensity.hpp"
#include "max_tree/check.hpp"
#include "skerry/error.hpp"

namespace skerry {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// A row of a table with all that it follows from; `peak` and `meeting` are filled when a column asks for them.
struct measured {
  const max_tree& tree;
  const attribute_table& table;
  std::vector<u32> peak;        // the node of the farthest level in each component; among equal ones the first
  std::vector<double> meeting;  // level where the component meets one that reaches farther

  void find_peaks() {
    peak.resize(tree.nodes());
    for (std::size_t node = 0; node < peak.size(); ++node) peak[node] = static_cast<u32>(node);
    const bool up = tree.kind == tree_kind::max;
    for (std::size_t node = peak.size(); node-- > 1;) {
      u32& below = peak[tree.parent[node]];
      const double ours = tree.level[peak[node]], theirs = tree.level[below];
      if ((up ? ours > theirs : ours < theirs) || (ours == theirs && peak[node] < below)) below = peak[node];
    }
  }
  void find_meetings() {
    meeting.resize(tree.nodes());
    for (std::size_t node = 0; node < meeting.size(); ++node) {
      const u32 parent = tree.parent[node];
      meeting[node] = node != 0 && peak[node] == peak[parent] ? meeting[parent] : tree.level[parent];
    }
  }
};

double apart(double a, double b) { return a == b ? 0 : std::abs(a - b); }

// ---- levels ---------------------------------------------------------------------------------------------------------

double node_number(const measured&, std::size_t node, int) { return static_cast<double>(node); }
double parent(const measured& m, std::size_t node, int) { return m.tree.parent[node]; }
double first_pixel(const measured& m, std::size_t node, int) { return m.tree.first_pixel[node]; }
double level(const measured& m, std::size_t node, int) { return m.tree.level[node]; }
double area(const measured& m, std::size_t node, int) { return m.table.area[node]; }

double height(const measured& m, std::size_t node, int) {
  return apart(m.tree.level[m.peak[node]], m.tree.level[m.tree.parent[node]]);
}

double dynamics(const measured& m, std::size_t node, int) { return apart(m.tree.level[m.peak[node]], m.meeting[node]); }

double volume(const measured& m, std::size_t node, int) {
  const intensity& grey = m.table.greys[node];
  const double base = m.tree.level[m.tree.parent[node]];
  if (grey.non_finite != 0 || !std::isfinite(base)) return infinity;
  // The base in the units of the sums, rounded as the pixels were.
  intensity one;
  if (m.tree.type == dtype::f32) add_float(one, base, m.table.scale);
  else add_integer(one, static_cast<i64>(base));
  const wide difference = signed_from(grey.sum) - signed_from(times(one.sum, m.table.area[node]));
  return std::ldexp(static_cast<double>(magnitude_of(difference)), m.table.scale.sum_exponent);
}

double level_mean(const measured& m, std::size_t node, int) {
  return mean_of(m.table.greys[node], m.table.area[node], m.table.scale);
}

double level_variance(const measured& m, std::size_t node, int) {
  const intensity& grey = m.table.greys[node];
  if (grey.non_finite != 0) return not_a_number;
  if (grey.min == grey.max) return 0;
  const u64 pixels = m.table.area[node];
  const double spread = spread_of(grey, pixels, m.table.scale);
  const auto n = static_cast<double>(pixels);
  return std::ldexp(spread / n / n, 2 * m.table.scale.sum_exponent);
}

// ---- shape ----------------------------------------------------------------------------------------------------------

double box(const measured& m, std::size_t node, int place) {
  return side_of_box(m.table.shapes[node], m.table.rank, place);
}

double bbox_diagonal(const measured& m, std::size_t node, int) {
  double squares = 0;
  for (int place = 0; place < m.table.rank; ++place) {
    const double side = box(m, node, m.table.rank + place) - box(m, node, place);
    squares += side * side;
  }
  return std::sqrt(squares);
}

double centroid(const measured& m, std::size_t node, int place) {
  return centroid_along(m.table.shapes[node], m.table.rank, place);
}

// Along one axis with the spread of a unit square.
double covariance(const measured& m, std::size_t node, std::size_t a, std::size_t b) {
  const geometry& g = m.table.shapes[node];
  const auto n = static_cast<double>(g.area);
  return static_cast<double>(central_moment(g, m.table.moments[node], a, b)) / n / n + (a == b ? 1.0 / 12 : 0.0);
}

double elongation(const measured& m, std::size_t node, int) {
  const std::size_t first = axis_of(m.table.rank, 0);
  matrix c = {};
  for (std::size_t a = first; a < 3; ++a)
    for (std::size_t b = first; b < 3; ++b) c[a][b] = covariance(m, node, a, b);
  for (int sweep = 0; sweep < (m.table.rank == 2 ? 1 : 10); ++sweep) {  // one rotation solves a plane
    if (m.table.rank == 3) {
      rotate(c, 0, 1);
      rotate(c, 0, 2);
    }
    rotate(c, 1, 2);
  }
  double least = c[2][2], most = c[2][2];
  for (std::size_t axis = first; axis < 3; ++axis) {
    least = std::min(least, c[axis][axis]);
    most = std::max(most, c[axis][axis]);
  }
  return std::sqrt(most / least);
}

double compactness(const measured& m, std::size_t node, int) {
  double inertia = 0;  // over the area
  for (std::size_t axis = axis_of(m.table.rank, 0); axis < 3; ++axis) inertia += covariance(m, node, axis, axis);
  const double n = m.table.area[node];
  // A disc of area n has n / 2π; a ball of volume n has 3/5 of its squared radius.
  const double best =
      m.table.rank == 2 ? n / (2 * std::numbers::pi) : 0.6 * std::pow(std::cbrt(3 * n / (4 * std::numbers::pi)), 2);
  return best / inertia;
}

// ---- columns --------------------------------------------------------------------------------------------------------

enum class needs { nothing, peaks, geometry, moments, levels };

using attribute_column = column_rule<double (*)(const measured&, std::size_t node, int place), needs>;

constexpr attribute_column attribute_columns[] = {
    {"node", node_number, needs::nothing, 0, true},
    {"parent", parent, needs::nothing, 0, true},
    {"first_pixel", first_pixel, needs::nothing, 0, true},
    {"level", level},
    {"area", area, needs::nothing, 0, true},
    {"height", height, needs::peaks},
    {"dynamics", dynamics, needs::peaks},
    {"bbox", box, needs::geometry, 2, true},
    {"bbox_diagonal", bbox_diagonal, needs::geometry},
    {"centroid", centroid, needs::geometry, 1},
    {"elongation", elongation, needs::moments},
    {"compactness", compactness, needs::moments},
    {"volume", volume, needs::levels},
    {"level_mean", level_mean, needs::levels},
    {"level_variance", level_variance, needs::levels},
};

bool has(const attribute_table& table, needs input) {
  if (input == needs::geometry) return table.shapes.size() == table.size();
  if (input == needs::moments) return table.moments.size() == table.size();
  if (input == needs::levels) return table.greys.size() == table.size();
  return true;
}

}  // namespace

std::vector<std::string> attribute_table::column_names() const {
  std::vector<std::string> names;
  each_column(attribute_columns, rank, [&](const attribute_column& column, int, const std::string& name) {
    if (has(*this, column.input)) names.push_back(name);
  });
  return names;
}

std::vector<double> attribute_table::column(const max_tree& tree, std::string_view name) const {
  check_rows("table", size(), tree);
  std::vector<double> numbers;
  with_column(attribute_columns, rank, name, [&](const attribute_column& column, int place) {
    if (!has(*this, column.input))
      throw invalid_argument("name: column '" + std::string(name) + "' needs sums that were not measured");
    measured all{tree, *this, {}, {}};
    if (column.input == needs::peaks) {
      all.find_peaks();
      all.find_meetings();
    }
    numbers.reserve(size());
    for (std::size_t node = 0; node < size(); ++node) numbers.push_back(column.value(all, node, place));
  });
  return numbers;
}

bool attribute_table::is_integer_column(std::string_view name) { return is_integer_among(attribute_columns, name); }

}  // namespace skerry
