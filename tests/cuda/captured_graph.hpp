// SPDX-License-Identifier: Apache-2.0
// Work that is captured in a graph.
#pragma once
#include <vector>

#include "cuda/test_stream.hpp"

namespace skerry::test {

/// A stream that waits for no other, and the graph of what `enqueue(stream)` puts on it.
class captured_graph {
 public:
  template <class Enqueue>
  explicit captured_graph(Enqueue enqueue) {
    EXPECT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    enqueue(stream_);
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph_), cudaSuccess);
    EXPECT_EQ(cudaGraphInstantiate(&program_, graph_, 0), cudaSuccess);
  }
  captured_graph(const captured_graph&) = delete;
  captured_graph& operator=(const captured_graph&) = delete;
  ~captured_graph() {
    cudaGraphExecDestroy(program_);
    cudaGraphDestroy(graph_);
  }

  /// Waits for all that was enqueued before, launches it so often, and waits.
  void launch(int times) const {
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (int i = 0; i < times; ++i) ASSERT_EQ(cudaGraphLaunch(program_, stream_), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  }

  [[nodiscard]] std::size_t kernels() const {
    std::size_t count = 0, kernels = 0;
    EXPECT_EQ(cudaGraphGetNodes(graph_, nullptr, &count), cudaSuccess);
    std::vector<cudaGraphNode_t> nodes(count);
    EXPECT_EQ(cudaGraphGetNodes(graph_, nodes.data(), &count), cudaSuccess);
    for (cudaGraphNode_t node : nodes) {
      cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
      EXPECT_EQ(cudaGraphNodeGetType(node, &type), cudaSuccess);
      kernels += type == cudaGraphNodeTypeKernel ? 1 : 0;
    }
    return kernels;
  }

 private:
  test_stream stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t program_ = nullptr;
};

}  // namespace skerry::test
