// SPDX-License-Identifier: Apache-2.0
// The door of this room: the driver of `label` calls a published method here.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/engine_state.hpp"
#include "skerry/label.hpp"
#include "skerry/measure.hpp"

namespace skerry::published {

/// Throws invalid_argument when there is no such method, or when it cannot do this job; names the method and its limit.
void check(engine_kind on, const image_view& image, const label_options& options, const measure_options& features);

/// Where results go; each may be left out.
struct outputs {
  mutable_image labels;
  std::vector<labelled_run>* runs = nullptr;
  feature_table* table = nullptr;
  void (*check_count)(std::uint64_t count, dtype labels);  // throws label_overflow
};

/// Labels and measures an image, with pixels, whose arguments have been checked. Returns the number of components.
std::uint64_t run(engine::state& on, const image_view& image, const label_options& options, const outputs& out);

}  // namespace skerry::published
