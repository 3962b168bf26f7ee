// SPDX-License-Identifier: Apache-2.0
// Device time: CUDA events around replays of a graph, so that no launch from the host is inside.
#pragma once
#include <cuda_runtime_api.h>

#include <functional>
#include <vector>

namespace skerry::bench {

/// Calls on a stream, captured once and replayed.
class cuda_graph {
 public:
  cuda_graph(cudaStream_t stream, const std::function<void()>& enqueue_calls);
  cuda_graph(const cuda_graph&) = delete;
  cuda_graph& operator=(const cuda_graph&) = delete;
  ~cuda_graph();
  void launch() const;
  [[nodiscard]] cudaStream_t stream() const { return stream_; }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t program_ = nullptr;
};

struct timing {
  double median = 0;  // seconds
  double spread = 0;  // (largest - least) / median
};

[[nodiscard]] timing timing_of(std::vector<double> seconds);

/// Each of `replays` replays on its own; they wait in the stream's queue, so the device never waits for the host.
[[nodiscard]] timing time_replays(const cuda_graph& graph, int replays);

/// The same for calls that cannot be captured: what they make the device wait for the host is inside.
[[nodiscard]] timing time_calls(cudaStream_t stream, const std::function<void()>& calls, int repetitions);

/// One replay at a time on an idle device, between two events.
[[nodiscard]] timing time_single_replays(const cuda_graph& graph, int replays);

/// Seconds per replay of many, back to back: median of five rounds.
[[nodiscard]] timing time_replays_in_a_row(const cuda_graph& graph, int replays);

/// Seconds of the host per call, until it returns; the device works on behind it.
[[nodiscard]] timing time_host(cudaStream_t stream, const std::function<void()>& call, int calls);

}  // namespace skerry::bench
