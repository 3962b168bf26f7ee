// SPDX-License-Identifier: Apache-2.0
// Options of `label` and `measure` that say which pixels join: --background, --equal, --delta and --periodic.
#pragma once
#include "cli/options.hpp"

namespace skerry::cli {

/// To be called after add_foreground_options() and add_component_options().
void add_joining_options(CLI::App& command, job_options& options);

/// Throws usage_error for an engine or a method that does not have these options; without --engine it will be the CPU's.
void choose_joining_engine(job_options& options);

}  // namespace skerry::cli
