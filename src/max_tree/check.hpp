// SPDX-License-Identifier: Apache-2.0
// Everything that a caller can get wrong, checked before any work. Each throws invalid_argument.
#pragma once
#include <span>

#include "skerry/max_tree.hpp"

namespace skerry {

void check_input(const image_view& image, const tree_options& options);
// The arrays of a tree fit its size and each other, and parents come before children.
void check_tree(const max_tree& tree);
void check_attributes(const max_tree& tree, const attribute_options& wanted);
void check_output(const max_tree& tree, bool top_hat, const mutable_image& output);
void check_rule(filter_rule rule);
void check_rows(const char* name, std::size_t rows, const max_tree& tree);
void check_height(const max_tree& tree, double h);

}  // namespace skerry
