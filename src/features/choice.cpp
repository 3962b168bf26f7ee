// SPDX-License-Identifier: Apache-2.0
#include "features/choice.hpp"

#include <algorithm>
#include <cmath>

#include "engine/image_checks.hpp"
#include "features/groups.hpp"

namespace skerry::features {
namespace {

// The numbers that follow the name of a quantity: "-0-2".
std::vector<std::string> suffixes_of(column_shape shape, int rank) {
  const auto numbered = [](int count) {
    std::vector<std::string> suffixes(static_cast<std::size_t>(count), "-");
    for (int k = 0; k < count; ++k) suffixes[static_cast<std::size_t>(k)] += std::to_string(k);
    return suffixes;
  };
  const auto product = [](const std::vector<std::string>& first, const std::vector<std::string>& then) {
    std::vector<std::string> suffixes;
    for (const std::string& a : first)
      for (const std::string& b : then) suffixes.push_back(a + b);
    return suffixes;
  };
  switch (shape) {
    case column_shape::per_axis: return numbered(rank);
    case column_shape::box: return numbered(2 * rank);
    case column_shape::matrix: return product(numbered(rank), numbered(rank));
    case column_shape::powers: {
      const std::vector<std::string> plane = product(numbered(4), numbered(4));
      return rank == 1 ? numbered(4) : rank == 2 ? plane : product(numbered(4), plane);
    }
    case column_shape::seven: return numbered(7);
    default: return {""};
  }
}

constexpr const char* without_spacing = "; leave it out, or measure without spacing";

bool is_of_shape(const feature_group& group) {
  return &group == &patterns_group || &group == &hull_group || &group == &filled_group;
}

// Why there is no such quantity, or nothing.
std::string obstacle_to(const feature_column& column, const column_conditions& conditions) {
  const pixel_spacing& s = conditions.spacing;
  const bool unit = s.y == 1 && s.x == 1 && (conditions.rank == 2 || s.z == 1);
  const auto needs = [&](const char* image) {
    return std::string("needs ") + image + "; " + conditions.image + " has rank " + std::to_string(conditions.rank);
  };
  if ((column.needs & needs_many_axes) != 0 && conditions.rank == 1) return needs("a plane or a volume");
  if ((column.needs & needs_rank_2) != 0 && conditions.rank != 2) return needs("a plane");
  if ((column.needs & needs_rank_3) != 0 && conditions.rank != 3) return needs("a volume");
  if ((column.needs & needs_intensities) != 0 && !conditions.has_intensities) return "needs an intensity image";
  if ((column.needs & needs_equal_sides) != 0 && s.y != s.x)
    return std::string("needs pixels of equal sides") + without_spacing;
  if ((column.needs & needs_unit_sides) != 0 && !unit) return std::string("needs a spacing of 1") + without_spacing;
  return "";
}

class column_chooser {
 public:
  explicit column_chooser(const column_conditions& conditions) : conditions_(conditions) {}

  void choose(const std::string& name) {
    bool found = false;
    for (const feature_group* group : all_groups()) {
      const bool whole = name == "all" || name == group->name || (name == shape_group && is_of_shape(*group));
      found |= whole;
      for (const feature_column& column : group->columns) {
        if (!whole && name.compare(0, column.name.size(), column.name) != 0) continue;
        found |= choose(*group, column, name, whole);
      }
    }
    if (!found)
      refuse("columns: there is no column or group '" + name +
             "'; docs/columns.md lists columns, column_groups() groups");
  }

  std::vector<chosen_column> chosen;

 private:
  // Whether the name means something of this quantity.
  bool choose(const feature_group& group, const feature_column& column, const std::string& name, bool whole) {
    const std::string obstacle = obstacle_to(column, conditions_);
    const std::vector<std::string> suffixes = suffixes_of(column.shape, conditions_.rank);
    const bool numbered = conditions_.channels != 0 && (column.needs & needs_intensities) != 0;
    const std::size_t channels = numbered ? conditions_.channels : 1;
    bool found = false;
    for (std::size_t k = 0; k < suffixes.size() * channels; ++k) {
      const std::size_t place = k / channels, channel = k % channels;
      const std::string unnumbered = std::string(column.name) + suffixes[place];
      const std::string column_name = unnumbered + (numbered ? "-" + std::to_string(channel) : "");
      if (!whole && name != column.name && name != column_name && name != unnumbered) continue;
      found = true;
      if (!obstacle.empty() && whole) return true;
      if (!obstacle.empty()) refuse(std::string("columns: '").append(name).append("' ").append(obstacle));
      add({&group, &column, static_cast<int>(place), channel, column_name, unnumbered});
    }
    return found;
  }

  void add(chosen_column column) {
    const auto same = [&](const chosen_column& other) { return other.name == column.name; };
    if (std::none_of(chosen.begin(), chosen.end(), same)) chosen.push_back(std::move(column));
  }

  const column_conditions& conditions_;
};

}  // namespace

std::vector<chosen_column> chosen_columns(const std::vector<std::string>& names, const column_conditions& conditions) {
  column_chooser chooser(conditions);
  chooser.choose("label");
  for (const std::string& name : names) chooser.choose(name);
  return std::move(chooser.chosen);
}

}  // namespace skerry::features
