// SPDX-License-Identifier: Apache-2.0
// The plan of each kind of job, for tests that are the same for several.
#pragma once
#include "skerry/cuda.hpp"

namespace skerry::test {

inline cuda::label_plan plan_of(const cuda::label_job& work) { return cuda::label_plan(work); }
inline cuda::tree_plan plan_of(const cuda::tree_job& work) { return cuda::tree_plan(work); }
inline cuda::tree_nodes_plan plan_of(const cuda::tree_nodes_job& work) { return cuda::tree_nodes_plan(work); }
inline cuda::tree_select_plan plan_of(const cuda::tree_select_job& work) { return cuda::tree_select_plan(work); }
inline cuda::tree_filter_plan plan_of(const cuda::tree_filter_job& work) { return cuda::tree_filter_plan(work); }

}  // namespace skerry::test
