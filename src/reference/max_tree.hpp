// SPDX-License-Identifier: Apache-2.0
// The reference engine's max-trees, from their definition. Arguments have been checked.
#pragma once
#include "skerry/max_tree.hpp"

namespace skerry::reference {

tree_parts build(const image_view& image, const tree_options& options);

attribute_table measure(const max_tree& tree, const attribute_options& wanted);

}  // namespace skerry::reference
