// SPDX-License-Identifier: Apache-2.0
// The groups of features (core/feature_groups.hpp) that a job of the CUDA engine can have rows of, and where a job has them. Host only.
#pragma once
#include "core/feature_groups.hpp"
#include "skerry/cuda.hpp"

namespace skerry::label_stages {

inline constexpr std::size_t job_groups = 4;

// Calls visit(group, member of label_job, its name) for each; geometry first, without which there is none of the others.
template <class Visit>
void each_job_group(Visit visit) {
  using job = cuda::label_job;
  visit(geometry_group(), &job::rows, "rows");
  visit(moments_group(), &job::moments, "moments");
  visit(intensity_group(), &job::intensities, "intensities");
  visit(real_intensity_group(), &job::real_intensities, "real_intensities");
}

}  // namespace skerry::label_stages
