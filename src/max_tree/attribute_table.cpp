// SPDX-License-Identifier: Apache-2.0
// From exact integers to attributes. Every engine fills the same integers, so that the attributes are the same numbers.
// A new attribute is a function and a line in `attribute_columns`; no stage notices.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/exact_number.hpp"
#include "core/feature.hpp"
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

// Sums with infinities among them, as IEEE arithmetic has them.
double sum_of_non_finite(const intensity& grey) {
  constexpr u32 both = intensity_has_plus_infinity | intensity_has_minus_infinity;
  if ((grey.non_finite & both) == both) return not_a_number;
  return grey.non_finite == intensity_has_plus_infinity ? infinity : -infinity;
}

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
  const intensity& grey = m.table.greys[node];
  if (grey.non_finite != 0) return sum_of_non_finite(grey);
  return std::ldexp(static_cast<double>(signed_from(grey.sum)) / m.table.area[node], m.table.scale.sum_exponent);
}

double level_variance(const measured& m, std::size_t node, int) {
  const intensity& grey = m.table.greys[node];
  if (grey.non_finite != 0) return not_a_number;
  if (grey.min == grey.max) return 0;
  const u64 pixels = m.table.area[node];
  const unsigned_wide magnitude = magnitude_of(signed_from(grey.sum));
  const auto finer = static_cast<unsigned_wide>(1) << (m.table.scale.square_exponent - 2 * m.table.scale.sum_exponent);
  const double spread =
      positive_difference(product(unsigned_from(grey.squares), finer * pixels), product(magnitude, magnitude));
  const auto n = static_cast<double>(pixels);
  return std::ldexp(spread / n / n, 2 * m.table.scale.sum_exponent);
}

// ---- shape ----------------------------------------------------------------------------------------------------------

int axis_of(const measured& m, int place) { return 3 - m.table.rank + place; }

double box(const measured& m, std::size_t node, int place) {
  const geometry& g = m.table.shapes[node];
  if (place < m.table.rank) return g.min[axis_of(m, place)];
  return g.max[axis_of(m, place - m.table.rank)] + 1.0;
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
  const geometry& g = m.table.shapes[node];
  return static_cast<double>(g.sum[axis_of(m, place)]) / static_cast<double>(g.area);
}

// Covariance of two axes: (n·Σab − Σa·Σb) / n², the numerator exact; along one axis with the spread of a unit square.
double covariance(const measured& m, std::size_t node, std::size_t a, std::size_t b) {
  const geometry& g = m.table.shapes[node];
  const second_moments& s = m.table.moments[node];
  const wide_integer* const products[3][3] = {{&s.zz, &s.zy, &s.zx}, {&s.zy, &s.yy, &s.yx}, {&s.zx, &s.yx, &s.xx}};
  const auto exact =
      static_cast<wide>(unsigned_from(*products[a][b]) * g.area - static_cast<unsigned_wide>(g.sum[a]) * g.sum[b]);
  const auto n = static_cast<double>(g.area);
  return static_cast<double>(exact) / n / n + (a == b ? 1.0 / 12 : 0.0);
}

// Turns two axes of a symmetric matrix so that their mixed element vanishes (Jacobi).
void rotate(double (&m)[3][3], int p, int q) {
  if (m[p][q] == 0) return;
  const double ratio = (m[q][q] - m[p][p]) / (2 * m[p][q]);
  const double tangent = std::copysign(1.0, ratio) / (std::fabs(ratio) + std::sqrt(ratio * ratio + 1));
  const double cosine = 1 / std::sqrt(tangent * tangent + 1), sine = tangent * cosine;
  m[p][p] -= tangent * m[p][q];
  m[q][q] += tangent * m[p][q];
  m[p][q] = m[q][p] = 0;
  const int r = 3 - p - q;
  const double with_p = m[r][p], with_q = m[r][q];
  m[r][p] = m[p][r] = cosine * with_p - sine * with_q;
  m[r][q] = m[q][r] = sine * with_p + cosine * with_q;
}

double elongation(const measured& m, std::size_t node, int) {
  const int first = 3 - m.table.rank;
  double c[3][3] = {};
  for (int a = first; a < 3; ++a)
    for (int b = first; b < 3; ++b)
      c[a][b] = covariance(m, node, static_cast<std::size_t>(a), static_cast<std::size_t>(b));
  for (int sweep = 0; sweep < (m.table.rank == 2 ? 1 : 10); ++sweep) {  // one rotation solves a plane
    if (m.table.rank == 3) {
      rotate(c, 0, 1);
      rotate(c, 0, 2);
    }
    rotate(c, 1, 2);
  }
  double least = c[2][2], most = c[2][2];
  for (int axis = first; axis < 3; ++axis) {
    least = std::min(least, c[axis][axis]);
    most = std::max(most, c[axis][axis]);
  }
  return std::sqrt(most / least);
}

double compactness(const measured& m, std::size_t node, int) {
  double inertia = 0;  // over the area
  for (int axis = 3 - m.table.rank; axis < 3; ++axis)
    inertia += covariance(m, node, static_cast<std::size_t>(axis), static_cast<std::size_t>(axis));
  const double n = m.table.area[node];
  // A disc of area n has n / 2π; a ball of volume n has 3/5 of its squared radius.
  const double best =
      m.table.rank == 2 ? n / (2 * std::numbers::pi) : 0.6 * std::pow(std::cbrt(3 * n / (4 * std::numbers::pi)), 2);
  return best / inertia;
}

// ---- columns --------------------------------------------------------------------------------------------------------

enum class needs { nothing, peaks, geometry, moments, levels };

struct attribute_column {
  std::string_view name;
  double (*value)(const measured&, std::size_t node, int place);
  needs input = needs::nothing;
  int per_axis = 0;  // columns name-0, name-1, …: this many for each axis; 0 for one column without a number
  bool integer = false;
};

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

// Calls visit(column, place, name) for each column that a table of this rank can have.
template <class Visit>
void each_column(int rank, Visit visit) {
  for (const attribute_column& column : attribute_columns) {
    if (column.per_axis == 0) visit(column, 0, std::string(column.name));
    for (int place = 0; place < column.per_axis * rank; ++place)
      visit(column, place, std::string(column.name) + "-" + std::to_string(place));
  }
}

bool has(const attribute_table& table, needs input) {
  if (input == needs::geometry) return table.shapes.size() == table.size();
  if (input == needs::moments) return table.moments.size() == table.size();
  if (input == needs::levels) return table.greys.size() == table.size();
  return true;
}

}  // namespace

std::vector<std::string> attribute_table::column_names() const {
  std::vector<std::string> names;
  each_column(rank, [&](const attribute_column& column, int, const std::string& name) {
    if (has(*this, column.input)) names.push_back(name);
  });
  return names;
}

std::vector<double> attribute_table::column(const max_tree& tree, std::string_view name) const {
  check_rows("table", size(), tree);
  std::vector<double> numbers;
  bool found = false;
  each_column(rank, [&](const attribute_column& column, int place, const std::string& column_name) {
    if (column_name != name) return;
    found = true;
    if (!has(*this, column.input))
      throw invalid_argument("name: column '" + column_name + "' needs sums that were not measured");
    measured all{tree, *this, {}, {}};
    if (column.input == needs::peaks) {
      all.find_peaks();
      all.find_meetings();
    }
    numbers.reserve(size());
    for (std::size_t node = 0; node < size(); ++node) numbers.push_back(column.value(all, node, place));
  });
  if (!found)
    throw invalid_argument("name: a table of rank " + std::to_string(rank) + " has no column '" + std::string(name) +
                           "'");
  return numbers;
}

bool attribute_table::is_integer_column(std::string_view name) {
  bool integer = false;
  each_column(3, [&](const attribute_column& column, int, const std::string& column_name) {
    if (column_name == name) integer = column.integer;
  });
  return integer;
}

}  // namespace skerry
