// SPDX-License-Identifier: Apache-2.0
// All that the device does for a frame, captured once for each slot and enqueued by one call.
#pragma once
#include "engine/cuda/graph.cuh"
#include "track/count_links.cuh"

namespace skerry::track_steps {

// Waits for the labels of the frame before, and counts the links to it. Which frame that is changes when slots are not used
// in turn; as a rule they are, and each slot follows the same one.
class frame_graph {
 public:
  frame_graph() = default;
  frame_graph(const frame_graph&) = delete;
  frame_graph& operator=(const frame_graph&) = delete;

  // Captures what the call enqueues on the stream.
  template <class Enqueue>
  void capture(cudaStream_t stream, Enqueue enqueue) {
    graph_.capture(stream, enqueue);
    find_nodes();
    graph_.instantiate(stream);
  }

  // While it is captured: enqueues the wait and the links.
  void enqueue_links(cudaStream_t stream, cudaEvent_t labelled, const link_call& links) {
    links_ = links, awaited_ = labelled;
    check_cuda(cudaStreamWaitEvent(stream, labelled, cudaEventWaitExternal), "start");
    links_.enqueue(stream);
  }

  // Links to other labels in the launches from now on.
  void follow(cudaEvent_t labelled, const cuda::packed_labels& labels) {
    if (labelled != awaited_) {
      check_cuda(cudaGraphExecEventWaitNodeSetEvent(graph_.program(), wait_, labelled), "link");
      awaited_ = labelled;
    }
    if (labels.bits == links_.frames.before.bits) return;
    links_.frames.before = labels;
    void* arguments[] = {&links_.frames, &links_.to};
    cudaKernelNodeParams node{};
    node.func = reinterpret_cast<void*>(count_links_kernel);
    node.gridDim = links_.blocks();
    node.blockDim = link_list::threads;
    node.kernelParams = arguments;
    check_cuda(cudaGraphExecKernelNodeSetParams(graph_.program(), count_, &node), "link");
  }

  void launch(cudaStream_t stream) const { graph_.launch(stream); }

 private:
  // The kernel that counts links is what follows the wait.
  void find_nodes() {
    for (const cudaGraphNode_t node : graph_.nodes()) {
      cudaGraphNodeType type{};
      check_cuda(cudaGraphNodeGetType(node, &type), "start");
      if (type == cudaGraphNodeTypeWaitEvent) wait_ = node;
    }
    std::size_t followers = 1;
#if CUDART_VERSION >= 13000
    check_cuda(cudaGraphNodeGetDependentNodes(wait_, &count_, nullptr, &followers), "start");
#else
    check_cuda(cudaGraphNodeGetDependentNodes(wait_, &count_, &followers), "start");
#endif
  }

  cuda_graph graph_;
  cudaGraphNode_t wait_ = nullptr, count_ = nullptr;
  cudaEvent_t awaited_ = nullptr;
  link_call links_;
};

}  // namespace skerry::track_steps
