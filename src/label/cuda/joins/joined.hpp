// SPDX-License-Identifier: Apache-2.0
// Jobs whose pixels join by value, or whose axes are periodic: a driver of their own.
#pragma once
#include "engine/cuda/prepared_work.hpp"
#include "skerry/cuda.hpp"

namespace skerry::cuda {

[[nodiscard]] inline bool is_joined(const label_job& work) {
  return work.joining.kind != joining::rule::foreground || work.periodic.any();
}

/// Of a job that has been checked.
std::shared_ptr<const prepared_work> prepared_joined(const label_job& work);
std::size_t scratch_for_joined(const label_job& work);

}  // namespace skerry::cuda
