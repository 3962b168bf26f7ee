// SPDX-License-Identifier: Apache-2.0
// What every call that labels has around its work, whoever does it: checks, an image without pixels, outputs that must not
// look like an answer when memory ran out.
#pragma once
#include <functional>

#include "engine/engine_state.hpp"
#include "skerry/measure.hpp"

namespace skerry {

// Throws invalid_argument.
void check_call(const label_request& asked, const label_outputs& outputs);

// The image that labels_for() gives for so many components, checked.
mutable_image labels_placed(const label_request& asked, const label_outputs& outputs, std::uint64_t count);

// labels_for() of engines that write labels in the pass that counts them: run() without outputs, then with labels placed.
std::uint64_t count_then_label(const label_request& asked, const label_outputs& outputs,
                               const std::function<std::uint64_t(const label_outputs&)>& run);

// True when the table cannot be the caller's until labels are known to fit.
bool may_overflow(const label_outputs& outputs);

// Starts the engine's clock, and calls work() for an image with pixels. Returns the number of components.
std::uint64_t run_call(engine::state& on, const label_request& asked, const label_outputs& outputs,
                       const std::function<std::uint64_t()>& work);

}  // namespace skerry
