// SPDX-License-Identifier: Apache-2.0
// All that the device does for a frame, captured once for each slot and enqueued by one call.
#pragma once
#include "engine/cuda/graph.cuh"
#include "track/count_links.cuh"

namespace skerry::track_steps {

// Waits for the labels of the frame before, and counts the links to it; then, where the device chooses ids, for those of the frame
// before. Which frame that is changes when slots are not used in turn; as a rule they are, and each slot follows the same one.
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

  // While it is captured: enqueues the wait and the links. The events of these two calls must differ.
  void enqueue_links(cudaStream_t stream, cudaEvent_t labelled, const link_call& links) {
    links_ = links;
    labelled_.enqueue(stream, labelled);
    links_.enqueue(stream);
  }
  void wait_for_ids(cudaStream_t stream, cudaEvent_t named) { named_.enqueue(stream, named); }

  // Follows another frame in the launches from now on. Ids are waited for if they were in the capture.
  void follow(cudaEvent_t labelled, cudaEvent_t named, const cuda::packed_labels& labels) {
    labelled_.change(graph_.program(), labelled);
    named_.change(graph_.program(), named);
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
  // A wait of the graph for an event.
  struct wait {
    cudaEvent_t event = nullptr;
    cudaGraphNode_t node = nullptr;

    void enqueue(cudaStream_t stream, cudaEvent_t to_wait_for) {
      event = to_wait_for;
      check_cuda(cudaStreamWaitEvent(stream, event, cudaEventWaitExternal), "start");
    }
    void change(cudaGraphExec_t program, cudaEvent_t to_wait_for) {
      if (node == nullptr || to_wait_for == event) return;
      check_cuda(cudaGraphExecEventWaitNodeSetEvent(program, node, to_wait_for), "link");
      event = to_wait_for;
    }
  };

  // The kernel that counts links is what follows the wait for labels.
  void find_nodes() {
    for (const cudaGraphNode_t node : graph_.nodes()) {
      cudaGraphNodeType type{};
      check_cuda(cudaGraphNodeGetType(node, &type), "start");
      if (type != cudaGraphNodeTypeWaitEvent) continue;
      cudaEvent_t event = nullptr;
      check_cuda(cudaGraphEventWaitNodeGetEvent(node, &event), "start");
      for (wait* const each : {&labelled_, &named_})
        if (each->event == event) each->node = node;
    }
    std::size_t followers = 1;
#if CUDART_VERSION >= 13000
    check_cuda(cudaGraphNodeGetDependentNodes(labelled_.node, &count_, nullptr, &followers), "start");
#else
    check_cuda(cudaGraphNodeGetDependentNodes(labelled_.node, &count_, &followers), "start");
#endif
  }

  cuda_graph graph_;
  wait labelled_, named_;
  cudaGraphNode_t count_ = nullptr;
  link_call links_;
};

}  // namespace skerry::track_steps
