// SPDX-License-Identifier: Apache-2.0
// The caller's label image and list of runs, from labels that a method has written as its paper has them.
#pragma once
#include <vector>

#include "published/task.hpp"

namespace skerry::published {

/// Whether a method can write its labels there itself.
[[nodiscard]] bool is_label_rows(const mutable_image& labels);

/// Labels of other types and strides.
void copy_labels(const label_rows& labels, const mutable_image& out);

/// Replaces `runs`.
void list_runs(const label_rows& labels, const extent& size, std::vector<labelled_run>& runs);

}  // namespace skerry::published
