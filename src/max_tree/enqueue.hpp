// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "skerry/cuda.hpp"

namespace skerry {

class stage_marks;

namespace cuda {

/// enqueue(), and marks where the stages end if there are marks.
void enqueue(const tree_job& work, void* scratch, std::size_t bytes, cudaStream_t stream, stage_marks* marks);

/// Throws invalid_argument naming what is wrong with a job, its arrays, or the `bytes` of scratch.
void check_tree_job(const tree_job& work);
void check_tree_job(const tree_filter_job& work);
void check_tree_job(const tree_nodes_job& work);
void check_tree_job(const tree_select_job& work);
void check_tree_memory(const tree_job& work, const void* scratch, std::size_t bytes, std::size_t needed);
void check_tree_memory(const tree_filter_job& work, const void* scratch, std::size_t bytes, std::size_t needed);
void check_tree_memory(const tree_nodes_job& work, const void* scratch, std::size_t bytes, std::size_t needed);
void check_tree_memory(const tree_select_job& work);

}  // namespace cuda
}  // namespace skerry
