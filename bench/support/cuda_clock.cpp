// SPDX-License-Identifier: Apache-2.0
#include "support/cuda_clock.hpp"

#include <algorithm>
#include <chrono>

#include "support/cuda_memory.hpp"

namespace skerry::bench {
namespace {

class cuda_event {
 public:
  cuda_event() { require(cudaEventCreate(&event_), "cudaEventCreate"); }
  cuda_event(const cuda_event&) = delete;
  cuda_event& operator=(const cuda_event&) = delete;
  ~cuda_event() { cudaEventDestroy(event_); }
  void record(cudaStream_t stream) const { require(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  [[nodiscard]] double seconds_since(const cuda_event& begin) const {
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, begin.event_, event_), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

void wait(cudaStream_t stream) { require(cudaStreamSynchronize(stream), "what was timed"); }

}  // namespace

cuda_graph::cuda_graph(cudaStream_t stream, const std::function<void()>& enqueue_calls) : stream_(stream) {
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
  enqueue_calls();
  require(cudaStreamEndCapture(stream, &graph_), "capture");
  require(cudaGraphInstantiate(&program_, graph_, 0), "cudaGraphInstantiate");
  require(cudaGraphUpload(program_, stream), "cudaGraphUpload");
}

cuda_graph::~cuda_graph() {
  if (program_ != nullptr) cudaGraphExecDestroy(program_);
  if (graph_ != nullptr) cudaGraphDestroy(graph_);
}

void cuda_graph::launch() const { require(cudaGraphLaunch(program_, stream_), "cudaGraphLaunch"); }

timing timing_of(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  return {median, (seconds.back() - seconds.front()) / median};
}

timing time_calls(cudaStream_t stream, const std::function<void()>& calls, int repetitions) {
  const std::vector<cuda_event> edges(static_cast<std::size_t>(repetitions) + 1);
  calls();  // warm
  for (const cuda_event& edge : edges) {
    if (&edge != &edges.front()) calls();
    edge.record(stream);
  }
  wait(stream);
  std::vector<double> seconds;
  for (std::size_t i = 1; i < edges.size(); ++i) seconds.push_back(edges[i].seconds_since(edges[i - 1]));
  return timing_of(std::move(seconds));
}

timing time_replays(const cuda_graph& graph, int replays) {
  return time_calls(
      graph.stream(), [&] { graph.launch(); }, replays);
}

timing time_single_replays(const cuda_graph& graph, int replays) {
  const cuda_event begin, end;
  std::vector<double> seconds;
  for (int i = -2; i < replays; ++i) {
    wait(graph.stream());
    begin.record(graph.stream());
    graph.launch();
    end.record(graph.stream());
    wait(graph.stream());
    if (i >= 0) seconds.push_back(end.seconds_since(begin));
  }
  return timing_of(std::move(seconds));
}

timing time_replays_in_a_row(const cuda_graph& graph, int replays) {
  const auto round = [&] {
    for (int i = 0; i < replays; ++i) graph.launch();
  };
  timing found = time_calls(graph.stream(), round, 5);
  found.median /= replays;
  return found;
}

timing time_host(cudaStream_t stream, const std::function<void()>& call, int calls) {
  std::vector<double> seconds;
  for (int i = -2; i < calls; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (i >= 0) seconds.push_back(taken.count());
    wait(stream);
  }
  return timing_of(std::move(seconds));
}

}  // namespace skerry::bench
