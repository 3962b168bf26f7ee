// SPDX-License-Identifier: Apache-2.0
// All that the device does for a frame, captured once for each slot and enqueued by one call.
#pragma once
#include <vector>

#include "engine/cuda/device_memory.cuh"

namespace skerry::track_steps {

class cuda_event {
 public:
  cuda_event() { check_cuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "start"); }
  cuda_event(const cuda_event&) = delete;
  cuda_event& operator=(const cuda_event&) = delete;
  ~cuda_event() { cudaEventDestroy(event_); }
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

class frame_graph {
 public:
  frame_graph() = default;
  frame_graph(const frame_graph&) = delete;
  frame_graph& operator=(const frame_graph&) = delete;
  ~frame_graph() {
    if (program_ != nullptr) cudaGraphExecDestroy(program_);
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
  }

  // Captures what the call enqueues on the stream; at most one wait for an event of another stream among it.
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
    check_cuda(cudaGraphInstantiate(&program_, graph_, 0), "start");
    check_cuda(cudaGraphUpload(program_, stream), "start");
    find_wait();
  }

  void launch(cudaStream_t stream) const { check_cuda(cudaGraphLaunch(program_, stream), "local"); }

  // The event that launches from now on wait for. It changes when slots are not used in turn.
  void wait_for(cudaEvent_t event) {
    if (event == awaited_ || wait_ == nullptr) return;
    check_cuda(cudaGraphExecEventWaitNodeSetEvent(program_, wait_, event), "link");
    awaited_ = event;
  }

 private:
  void find_wait() {
    std::size_t count = 0;
    check_cuda(cudaGraphGetNodes(graph_, nullptr, &count), "start");
    std::vector<cudaGraphNode_t> nodes(count);
    check_cuda(cudaGraphGetNodes(graph_, nodes.data(), &count), "start");
    for (const cudaGraphNode_t node : nodes) {
      cudaGraphNodeType type{};
      check_cuda(cudaGraphNodeGetType(node, &type), "start");
      if (type == cudaGraphNodeTypeWaitEvent) wait_ = node;
    }
  }

  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t program_ = nullptr;
  cudaGraphNode_t wait_ = nullptr;  // there may be none
  cudaEvent_t awaited_ = nullptr;
};

}  // namespace skerry::track_steps
