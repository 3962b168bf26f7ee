// SPDX-License-Identifier: Apache-2.0
#include "cli/feature_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/console.hpp"
#include "skerry/measure.hpp"

namespace skerry::cli {
namespace {

using names = std::vector<std::string>;

bool holds(const names& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// The library's own list for a table of that kind, so that a feature is named in one place.
names columns_of(int rank, bool moments, bool intensity) {
  feature_table table;
  table.rank = rank;
  table.has_moments = moments;
  table.has_intensities = intensity;
  return table.column_names();
}

names without(names from, const names& taken) {
  std::erase_if(from, [&](const std::string& name) { return holds(taken, name); });
  return from;
}

}  // namespace

feature_columns choose_columns(const std::string& wanted, int rank, bool intensity) {
  const names geometry = columns_of(rank, false, false);
  const names moments = without(columns_of(rank, true, false), geometry);
  const names all = columns_of(rank, true, intensity);

  feature_columns chosen;
  const auto add = [&](const names& more) {
    for (const std::string& name : more)
      if (!holds(chosen.names, name)) chosen.names.push_back(name);
  };
  add({"label"});
  for (std::size_t begin = 0; begin <= wanted.size();) {
    const std::size_t end = std::min(wanted.find(',', begin), wanted.size());
    const std::string name = wanted.substr(begin, end - begin);
    begin = end + 1;
    if (name == "all") add(all);
    else if (name == "geometry") add(geometry);
    else if (name == "moments") add(moments);
    else if (name == "intensity" && intensity) add(without(columns_of(rank, false, true), geometry));
    else if (holds(all, name)) add({name});
    else if (name.starts_with("intensity"))
      throw usage_error("--features " + name + ": give an image with --intensity");
    else
      throw usage_error(fmt::format("--features: no '{}'; there are all, geometry, moments, intensity, {}", name,
                                    fmt::join(all, ", ")));
  }
  chosen.moments = std::any_of(chosen.names.begin(), chosen.names.end(),
                               [&](const std::string& name) { return holds(moments, name); });
  return chosen;
}

}  // namespace skerry::cli
