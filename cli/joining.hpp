// SPDX-License-Identifier: Apache-2.0
// Options of `label` and `measure` that say which pixels join: --background, --equal, --delta and --periodic.
#pragma once
#include "cli/options.hpp"

namespace skerry::cli {

/// To be called after add_foreground_options() and add_component_options().
void add_joining_options(CLI::App& command, job_options& options);

/// Throws usage_error for a published method, which does not have these options.
void check_joining_method(const job_options& options);

}  // namespace skerry::cli
