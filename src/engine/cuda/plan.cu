// SPDX-License-Identifier: Apache-2.0
#include "engine/cuda/device_memory.cuh"
#include "engine/cuda/prepared_work.hpp"
#include "skerry/error.hpp"

namespace skerry::cuda {

prepared_work::prepared_work(std::size_t bytes) : bytes_(bytes) { check_cuda(cudaGetDevice(&device_), "start"); }

plan::plan(std::shared_ptr<const prepared_work> prepared) : prepared_(std::move(prepared)) {}

std::size_t plan::scratch_bytes() const noexcept { return prepared_->scratch_bytes(); }

void plan::enqueue(void* scratch, cudaStream_t stream) const { cuda::enqueue(*this, scratch, stream, nullptr); }

void enqueue(const plan& work, void* scratch, cudaStream_t stream, stage_marks* marks) {
  constexpr std::uintptr_t alignment = 256;
  if (work.scratch_bytes() > 0 && (scratch == nullptr || reinterpret_cast<std::uintptr_t>(scratch) % alignment != 0))
    throw invalid_argument("scratch: must be device memory at a multiple of 256");
  work.prepared_->enqueue(scratch, stream, marks);
}

}  // namespace skerry::cuda
