// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "skerry/cuda.hpp"

namespace skerry::cuda {

/// Throws invalid_argument naming what is wrong with a job.
void check_job(const job& work);

}  // namespace skerry::cuda
