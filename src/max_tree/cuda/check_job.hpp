// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "engine/cuda/prepared_work.hpp"

namespace skerry::cuda {

/// Throws invalid_argument naming what is wrong with a job.
void check_tree_job(const tree_job& work);
void check_tree_job(const tree_filter_job& work);
void check_tree_job(const tree_nodes_job& work);
void check_tree_job(const tree_select_job& work);

/// Throws invalid_argument naming an array that the device cannot use.
void check_tree_memory(const tree_job& work);
void check_tree_memory(const tree_filter_job& work);
void check_tree_memory(const tree_nodes_job& work);
void check_tree_memory(const tree_select_job& work);

/// A job that has passed both.
template <class Prepared, class Job>
std::shared_ptr<const prepared_work> prepared(const Job& work) {
  check_tree_job(work);
  check_tree_memory(work);
  return std::make_shared<Prepared>(work);
}

}  // namespace skerry::cuda
