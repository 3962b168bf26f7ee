// SPDX-License-Identifier: Apache-2.0
// The parts of the bench of the CUDA engine. Each checks every output before it is timed, and throws
// std::runtime_error when one is wrong.
#pragma once
#include "support/cuda_options.hpp"
#include "support/cuda_report.hpp"

namespace skerry::bench {

/// The memory alone, then squares of all granularities and densities, and all ones.
void bench_images(const cuda_options& how, cuda_report& report);
/// Cubes of blocks of four voxels, at 26, 18 and 6 neighbours.
void bench_volumes(const cuda_options& how, cuda_report& report);
/// Small images one at a time, and many in one call.
void bench_frames(const cuda_options& how, cuda_report& report);

}  // namespace skerry::bench
