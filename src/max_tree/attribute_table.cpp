// SPDX-License-Identifier: Apache-2.0
// From exact integers to attributes. Every engine fills the same integers, so that the attributes are the same numbers.
// A new attribute is a function and a line in `attribute_columns`; no stage notices. What a device derives as well has its
// formula in attribute.hpp.
#include "core/column.hpp"
#include "engine/cpu/write_columns.hpp"
#include "max_tree/attribute.hpp"
#include "max_tree/check.hpp"
#include "skerry/error.hpp"

namespace skerry {
namespace {

// A row of a table with all that it follows from; `peak` and `meeting` are filled when a column asks for them.
struct measured {
  const max_tree& tree;
  const attribute_table& table;
  std::vector<u32> peak;        // the node of the farthest level in each component; among equal ones the first
  std::vector<double> meeting;  // level where the component meets one that reaches farther

  void find_peaks() {
    peak.resize(tree.nodes());
    for (std::size_t node = 0; node < peak.size(); ++node) peak[node] = static_cast<u32>(node);
    const bool up = tree.kind() == tree_kind::max;
    for (std::size_t node = peak.size(); node-- > 1;) {
      u32& below = peak[tree.parent()[node]];
      const double ours = tree.level()[peak[node]], theirs = tree.level()[below];
      if ((up ? ours > theirs : ours < theirs) || (ours == theirs && peak[node] < below)) below = peak[node];
    }
  }
  void find_meetings() {
    meeting.resize(tree.nodes());
    for (std::size_t node = 0; node < meeting.size(); ++node) {
      const u32 parent = tree.parent()[node];
      meeting[node] = node != 0 && peak[node] == peak[parent] ? meeting[parent] : tree.level()[parent];
    }
  }
};

// ---- levels ---------------------------------------------------------------------------------------------------------

u64 node_number(const measured&, std::size_t node, int) { return node; }
u64 parent(const measured& m, std::size_t node, int) { return m.tree.parent()[node]; }
u64 first_pixel(const measured& m, std::size_t node, int) { return m.tree.first_pixel()[node]; }
double level(const measured& m, std::size_t node, int) { return m.tree.level()[node]; }
u64 area(const measured& m, std::size_t node, int) { return m.table.area[node]; }

double height(const measured& m, std::size_t node, int) {
  return levels_apart(m.tree.level()[m.peak[node]], m.tree.level()[m.tree.parent()[node]]);
}

double dynamics(const measured& m, std::size_t node, int) {
  return levels_apart(m.tree.level()[m.peak[node]], m.meeting[node]);
}

// Calls use() for the grey values of a node, a row of one of two kinds.
template <class Use>
double of_grey(const measured& m, std::size_t node, Use use) {
  return m.table.real_intensities.empty() ? use(m.table.intensities[node]) : use(m.table.real_intensities[node]);
}

double volume(const measured& m, std::size_t node, int) {
  const double base = m.tree.level()[m.tree.parent()[node]];
  return of_grey(m, node, [&](const auto& grey) { return volume_of(grey, m.table.area[node], base); });
}

double level_mean(const measured& m, std::size_t node, int) {
  return of_grey(m, node, [&](const auto& grey) { return mean_of(grey, m.table.area[node]); });
}

double level_variance(const measured& m, std::size_t node, int) {
  return of_grey(m, node, [&](const auto& grey) { return variance_of(grey, m.table.area[node]); });
}

// ---- shape ----------------------------------------------------------------------------------------------------------

u64 box(const measured& m, std::size_t node, int place) {
  return side_of_box(m.table.components[node], m.table.rank, place);
}

double bbox_diagonal(const measured& m, std::size_t node, int) {
  return bbox_diagonal_of(m.table.components[node], m.table.rank);
}

double centroid(const measured& m, std::size_t node, int place) {
  return centroid_along(m.table.components[node], m.table.rank, place);
}

double elongation(const measured& m, std::size_t node, int) {
  return elongation_of(m.table.components[node], m.table.moments[node], m.table.rank);
}

double compactness(const measured& m, std::size_t node, int) {
  return compactness_of(m.table.components[node], m.table.moments[node], m.table.rank);
}

// ---- columns --------------------------------------------------------------------------------------------------------

enum class needs { nothing, peaks, geometry, moments, levels };

using attribute_column = column_rule<measured, needs>;

constexpr attribute_column attribute_columns[] = {
    {"node", each_row<node_number>, needs::nothing},
    {"parent", each_row<parent>, needs::nothing},
    {"first_pixel", each_row<first_pixel>, needs::nothing},
    {"level", each_row<level>},
    {"area", each_row<area>, needs::nothing},
    {"height", each_row<height>, needs::peaks},
    {"dynamics", each_row<dynamics>, needs::peaks},
    {"bbox", each_row<box>, needs::geometry, 2},
    {"bbox_diagonal", each_row<bbox_diagonal>, needs::geometry},
    {"centroid", each_row<centroid>, needs::geometry, 1},
    {"elongation", each_row<elongation>, needs::moments},
    {"compactness", each_row<compactness>, needs::moments},
    {"volume", each_row<volume>, needs::levels},
    {"level_mean", each_row<level_mean>, needs::levels},
    {"level_variance", each_row<level_variance>, needs::levels},
};

bool has(const attribute_table& table, needs input) {
  if (input == needs::geometry) return table.components.size() == table.size();
  if (input == needs::moments) return table.moments.size() == table.size();
  if (input == needs::levels) return table.intensities.size() + table.real_intensities.size() == table.size();
  return true;
}

// One value of each node; write_of(column) writes them.
template <class Value, class WriteOf>
std::vector<Value> values_of(const attribute_table& table, const max_tree& tree, std::string_view name,
                             WriteOf write_of) {
  check_rows("table", table.size(), tree);
  std::vector<Value> values;
  with_column(attribute_columns, table.rank, name, [&](const attribute_column& column, int place) {
    if (!has(table, column.input))
      throw invalid_argument("name: column '" + std::string(name) + "' needs sums that were not measured");
    const auto write = write_of(column);
    measured all{tree, table, {}, {}};
    if (column.input == needs::peaks) {
      all.find_peaks();
      all.find_meetings();
    }
    const auto write_rows = [&](std::size_t begin, std::size_t end, void* to) {
      write(all, place, begin, end, static_cast<Value*>(to));
    };
    values = written_alone<Value>({write_rows}, table.size());
  });
  return values;
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
  return values_of<double>(*this, tree, name, [](const attribute_column& column) { return column.values.numbers; });
}

std::vector<std::uint64_t> attribute_table::integer_column(const max_tree& tree, std::string_view name) const {
  return values_of<std::uint64_t>(*this, tree, name, [&](const attribute_column& column) {
    require_integers(column, name);
    return column.values.integers;
  });
}

bool attribute_table::is_integer_column(std::string_view name) { return is_integer_among(attribute_columns, name); }

}  // namespace skerry
