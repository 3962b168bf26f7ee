// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace skerry::cli {

/// A word that --features takes, and the columns that it stands for.
struct column_group {
  std::string name;
  std::vector<std::string> columns;
};

/// Text between commas, without the blanks around it; nothing between two of them is a name of no letters.
[[nodiscard]] std::vector<std::string> split_names(const std::string& list);

[[nodiscard]] bool holds(const std::vector<std::string>& names, const std::string& name);

/// `from` less `taken`.
[[nodiscard]] std::vector<std::string> without(std::vector<std::string> from, const std::vector<std::string>& taken);

/// The column itself, those of all axes ("bbox" has bbox-0 and so on), or what a pattern such as "*_mean" matches.
[[nodiscard]] std::vector<std::string> columns_named(const std::string& name, const std::vector<std::string>& all);

/// "--keep: no 'aera'; did you mean 'area'? There are …": that an option names an unknown column. Of a long list some, and where
/// all are.
[[nodiscard]] std::string no_column(const std::string& option, const std::string& name,
                                    const std::vector<std::string>& known);

/// The columns that `wanted` names, each once, `first` (if it is not empty) in front.
///   wanted  "all", names of groups and of columns, with commas between them; "bbox" stands for bbox-0 and so on, and
///           "*_mean" for what matches it
///   all     every column there is, in the order of the table
/// Throws usage_error for another name, listing those that are.
[[nodiscard]] std::vector<std::string> pick_columns(const std::string& wanted, const std::string& first,
                                                    const std::vector<std::string>& all,
                                                    const std::vector<column_group>& groups);

}  // namespace skerry::cli
