// SPDX-License-Identifier: Apache-2.0
// Work that is recorded once and launched by one call: a CUDA graph, and the program that the driver makes of it.
#pragma once
#include <vector>

#include "engine/cuda/device_memory.cuh"

namespace skerry {

class cuda_graph {
 public:
  cuda_graph() = default;
  cuda_graph(const cuda_graph&) = delete;
  cuda_graph& operator=(const cuda_graph&) = delete;
  // Not while it runs: the driver gives the memory by which blocks of a kernel wait for each other to the next program, and both
  // kernels wait for ever (CUDA 13.0, although its manual says that a program is freed on completion).
  ~cuda_graph() {
    if (program_ != nullptr) cudaGraphExecDestroy(program_);
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
  }

  // Records what the call enqueues on the stream, which must not be the default stream. Nothing runs.
  template <class Enqueue>
  void capture(cudaStream_t stream, Enqueue enqueue) {
    check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "start");
    try {
      enqueue();
    } catch (...) {
      cudaStreamEndCapture(stream, &graph_);
      cudaGetLastError();
      throw;
    }
    check_cuda(cudaStreamEndCapture(stream, &graph_), "start");
  }

  // Makes the program of what was captured, and puts it on the device, in the stream.
  void instantiate(cudaStream_t stream) {
    check_cuda(cudaGraphInstantiate(&program_, graph_, 0), "start");
    check_cuda(cudaGraphUpload(program_, stream), "start");
  }

  [[nodiscard]] std::vector<cudaGraphNode_t> nodes() const {
    std::size_t count = 0;
    check_cuda(cudaGraphGetNodes(graph_, nullptr, &count), "start");
    std::vector<cudaGraphNode_t> all(count);
    if (count != 0) check_cuda(cudaGraphGetNodes(graph_, all.data(), &count), "start");
    return all;
  }

  // Null until there is one. Threads must not use it at the same time.
  [[nodiscard]] cudaGraphExec_t program() const { return program_; }

  // Behind all work in the stream, and behind the launch before, in whatever stream.
  void launch(cudaStream_t stream) const { check_cuda(cudaGraphLaunch(program_, stream), "local"); }

  // Until the last launch has ended: an upload is ordered behind it.
  void wait() const {
    const cuda_stream stream;
    check_cuda(cudaGraphUpload(program_, stream), "end");
    check_cuda(cudaStreamSynchronize(stream), "end");
  }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t program_ = nullptr;
};

}  // namespace skerry
