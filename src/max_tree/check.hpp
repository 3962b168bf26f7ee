// SPDX-License-Identifier: Apache-2.0
// Everything that a caller can get wrong, checked before any work. Each throws invalid_argument.
#pragma once
#include <span>

#include "core/portable.hpp"
#include "skerry/max_tree.hpp"

namespace skerry {

// Whole numbers up to this magnitude are doubles, and so levels.
inline constexpr i64 most_whole_level = i64{1} << 53;

void check_input(const image_view& image, const tree_options& options);
// What a device has not: throws after the check above.
void check_device_input(dtype type, int connectivity);
// The same of parts of a tree.
void check_kind(tree_kind kind, dtype type, const extent& size, int connectivity);
// Whether images of a type can have pixels of that value.
[[nodiscard]] bool is_level(double level, dtype type);
// Of a pixel that has no level.
[[noreturn]] void refuse_pixel(dtype type, const extent& size, i64 pixel);
void check_attributes(const extent& size, const attribute_options& wanted);
// What is written of a tree of such an image.
void check_output(dtype type, const extent& size, bool top_hat, const mutable_image& output);
void check_rule(filter_rule rule);
void check_rows(const char* name, std::size_t rows, const max_tree& tree);
void check_height(dtype type, double h);

}  // namespace skerry
