// SPDX-License-Identifier: Apache-2.0
#include "cli/attribute_columns.hpp"

#include <algorithm>

#include "cli/column_choice.hpp"

namespace skerry::cli {
namespace {

using names = std::vector<std::string>;

// Of a table with one row, whose sums are there or not.
names columns_of(int rank, const attribute_options& sums) {
  attribute_table table;
  table.rank = rank;
  table.area.resize(1);
  table.components.resize(sums.geometry || sums.moments ? 1 : 0);
  table.moments.resize(sums.moments ? 1 : 0);
  table.intensities.resize(sums.levels ? 1 : 0);
  return table.column_names();
}

struct attribute_groups {
  names all, tree, geometry, moments, levels;

  explicit attribute_groups(int rank)
      : all(columns_of(rank, {true, true, true})), tree(columns_of(rank, {})),
        geometry(without(columns_of(rank, {true, false, false}), tree)),
        moments(without(without(columns_of(rank, {true, true, false}), geometry), tree)),
        levels(without(columns_of(rank, {false, false, true}), tree)) {}
};

bool any_of(const names& wanted, const names& group) {
  return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& name) { return holds(group, name); });
}

}  // namespace

names attribute_names(int rank) { return attribute_groups(rank).all; }

names choose_attributes(const std::string& wanted, int rank) {
  const attribute_groups groups(rank);
  return pick_columns(
      wanted, "node", groups.all,
      {{"tree", groups.tree}, {"geometry", groups.geometry}, {"moments", groups.moments}, {"levels", groups.levels}});
}

attribute_options sums_for(const names& attributes, int rank) {
  const attribute_groups groups(rank);
  return {any_of(attributes, groups.geometry), any_of(attributes, groups.moments), any_of(attributes, groups.levels)};
}

}  // namespace skerry::cli
