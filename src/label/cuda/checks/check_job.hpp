// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "skerry/cuda.hpp"

namespace skerry::cuda {

/// Throws invalid_argument naming what is wrong with a job.
void check_job(const label_job& work);

/// Throws invalid_argument naming an array that the current device cannot reach, that is too short, or that is misaligned.
/// Asks the driver for first and last bytes, about 0.1 us each; nothing waits.
void check_memory(const label_job& work);

}  // namespace skerry::cuda
