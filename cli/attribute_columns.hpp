// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "skerry/max_tree.hpp"

namespace skerry::cli {

/// Every attribute of a tree, in the order of the table: the library's own list, so that one is named in one place.
[[nodiscard]] std::vector<std::string> attribute_names(int rank);

/// The columns that `wanted` names, "node" first.
///   wanted  group names (all, tree, geometry, moments, levels) and column names, with commas between them
/// Throws usage_error for a name that is no attribute of such images, listing those that are.
[[nodiscard]] std::vector<std::string> choose_attributes(const std::string& wanted, int rank);

/// What has to be summed up for these attributes.
[[nodiscard]] attribute_options sums_for(const std::vector<std::string>& attributes, int rank);

}  // namespace skerry::cli
