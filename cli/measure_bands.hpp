// SPDX-License-Identifier: Apache-2.0
// `skerry measure --memory`: images and label images that are larger than memory.
#pragma once
#include "cli/console.hpp"
#include "cli/measure_job.hpp"

namespace skerry::cli {

/// Measures one image band after band, in a process of at most that much memory: reads it once, and writes the table that
/// `skerry measure` writes without a limit. Throws usage_error and io::file_error.
void measure_in_bands(const measure_job& job, const console& to);

}  // namespace skerry::cli
