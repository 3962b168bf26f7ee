// SPDX-License-Identifier: Apache-2.0
#include "cli/column_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/console.hpp"

namespace skerry::cli {

using names = std::vector<std::string>;

names split_names(const std::string& list) {
  names result;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string item = list.substr(begin, end - begin);
    const std::size_t first = std::min(item.find_first_not_of(' '), item.size());
    result.push_back(item.substr(first, item.find_last_not_of(' ') + 1 - first));
    begin = end + 1;
  }
  return result;
}

bool holds(const names& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

names without(names from, const names& taken) {
  std::erase_if(from, [&](const std::string& name) { return holds(taken, name); });
  return from;
}

names pick_columns(const std::string& wanted, const std::string& first, const names& all,
                   const std::vector<column_group>& groups) {
  names chosen;
  if (!first.empty()) chosen.push_back(first);
  const auto add = [&](const names& more) {
    for (const std::string& name : more)
      if (!holds(chosen, name)) chosen.push_back(name);
  };
  for (const std::string& name : split_names(wanted)) {
    const auto group =
        std::find_if(groups.begin(), groups.end(), [&](const column_group& each) { return each.name == name; });
    if (name == "all") {
      add(all);
    } else if (group != groups.end()) {
      add(group->columns);
    } else if (holds(all, name)) {
      add({name});
    } else {
      names known = {"all"};
      for (const column_group& each : groups) known.push_back(each.name);
      known.insert(known.end(), all.begin(), all.end());
      throw usage_error(fmt::format("--features: no '{}'; there are {}", name, fmt::join(known, ", ")));
    }
  }
  return chosen;
}

}  // namespace skerry::cli
