// SPDX-License-Identifier: Apache-2.0
#include <mutex>

#include "engine/cuda/device_memory.cuh"
#include "engine/cuda/graph.cuh"
#include "engine/cuda/prepared_work.hpp"
#include "skerry/error.hpp"

namespace skerry::cuda {
namespace {

void check_scratch(const prepared_work& work, void* scratch) {
  constexpr std::uintptr_t alignment = 256;
  if (work.scratch_bytes() > 0 && (scratch == nullptr || reinterpret_cast<std::uintptr_t>(scratch) % alignment != 0))
    throw invalid_argument("scratch: must be device memory at a multiple of 256");
}

// Also where the driver does not answer: the launch will say why.
bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status{};
  const bool answers = cudaStreamIsCapturing(stream, &status) == cudaSuccess;
  if (!answers) cudaGetLastError();
  return !answers || status != cudaStreamCaptureStatusNone;
}

}  // namespace

prepared_work::prepared_work(std::size_t bytes, bool launches_early) : bytes_(bytes), launches_early_(launches_early) {
  check_cuda(cudaGetDevice(&device_), "start");
}

// Work in one place of scratch. To launch the program of a graph takes less of the host than to launch one kernel.
class bound_work {
 public:
  bound_work(std::shared_ptr<const prepared_work> work, void* scratch) : work_(std::move(work)), scratch_(scratch) {
    check_scratch(*work_, scratch);
    const cuda_stream stream;
    graph_.capture(stream, [&] { work_->enqueue(scratch_, stream, nullptr); });
    const std::size_t launches = graph_.nodes().size();
    if (launches == 0 || (launches == 1 && work_->launches_early())) return;
    graph_.instantiate(stream);
    check_cuda(cudaStreamSynchronize(stream), "start");  // until the program is on the device
  }

  bound_work(const bound_work&) = delete;
  bound_work& operator=(const bound_work&) = delete;
  ~bound_work() {
    if (graph_.program() == nullptr) return;
    try {
      const current_device here(work_->device());
      graph_.wait();
    } catch (const device_error&) {  // as when the process ends
    }
  }

  // The program of a graph waits for itself, in whatever streams it is launched. That delays nobody: two runs in the same
  // scratch must not overlap anyway.
  void enqueue(cudaStream_t stream) const {
    if (graph_.program() == nullptr || is_captured(stream)) return work_->enqueue(scratch_, stream, nullptr);
    const std::lock_guard alone(launching_);
    graph_.launch(stream);
  }

 private:
  std::shared_ptr<const prepared_work> work_;
  void* scratch_;
  cuda_graph graph_;
  mutable std::mutex launching_;
};

plan::plan(std::shared_ptr<const prepared_work> prepared) : prepared_(std::move(prepared)) {}

std::size_t plan::scratch_bytes() const noexcept { return prepared_->scratch_bytes(); }

void plan::enqueue(void* scratch, cudaStream_t stream) const { cuda::enqueue(*this, scratch, stream, nullptr); }

bound_plan plan::bind(void* scratch) const {
  return bound_plan(std::make_shared<const bound_work>(prepared_, scratch));
}

void enqueue(const plan& work, void* scratch, cudaStream_t stream, stage_marks* marks) {
  check_scratch(*work.prepared_, scratch);
  work.prepared_->enqueue(scratch, stream, marks);
}

bound_plan::bound_plan(std::shared_ptr<const bound_work> bound) : bound_(std::move(bound)) {}

void bound_plan::enqueue(cudaStream_t stream) const { bound_->enqueue(stream); }

}  // namespace skerry::cuda
