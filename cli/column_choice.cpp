// SPDX-License-Identifier: Apache-2.0
#include "cli/column_choice.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <map>

#include "cli/console.hpp"
#include "cli/spelling.hpp"

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

names columns_named(const std::string& name, const names& all) {
  if (holds(all, name)) return {name};
  const std::string pattern = name.find('*') == std::string::npos ? name + "-*" : name;
  names found;
  for (const std::string& column : all)
    if (!name.empty() && ::fnmatch(pattern.c_str(), column.c_str(), FNM_NOESCAPE) == 0) found.push_back(column);
  return found;
}

namespace {

// For a reader: what has ten columns or more, as moments have, is there once, as "moments-*".
names shortened(const names& known) {
  const auto stem_of = [](const std::string& name) { return name.substr(0, name.find('-')); };
  std::map<std::string, int> columns;
  for (const std::string& name : known) ++columns[stem_of(name)];
  names few;
  few.reserve(known.size());
  for (const std::string& name : known) {
    const std::string shown = columns[stem_of(name)] < 10 || stem_of(name) == name ? name : stem_of(name) + "-*";
    if (!holds(few, shown)) few.push_back(shown);
  }
  return few;
}

}  // namespace

std::string no_column(const std::string& option, const std::string& name, const names& known) {
  constexpr std::size_t longest = 40, shown = 12;  // of lists; groups are first, and fill it
  const std::string near = did_you_mean(name, known);
  names list = shortened(known);
  if (list.size() > longest) {
    if (!near.empty()) return fmt::format("{}: no '{}'{} docs/columns.md lists all", option, name, near);
    list.resize(shown);
    list.emplace_back("... (docs/columns.md lists all)");
  }
  return fmt::format("{}: no '{}'{} {}", option, name, near.empty() ? "; there are" : near + " There are",
                     fmt::join(list, ", "));
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
    } else if (const names some = columns_named(name, all); !some.empty()) {
      add(some);
    } else {
      names known = {"all"};
      for (const column_group& each : groups) known.push_back(each.name);
      known.insert(known.end(), all.begin(), all.end());
      throw usage_error(no_column("--features", name, known));
    }
  }
  return chosen;
}

}  // namespace skerry::cli
