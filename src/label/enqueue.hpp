// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "skerry/cuda.hpp"

namespace skerry {

class stage_marks;

namespace cuda {

/// enqueue(), and marks where the stages end if there are marks.
void enqueue(const job& work, void* scratch, std::size_t bytes, cudaStream_t stream, stage_marks* marks);

}  // namespace cuda
}  // namespace skerry
