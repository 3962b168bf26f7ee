// SPDX-License-Identifier: Apache-2.0
// What enqueueing takes of the host: plans, and the same plans bound to their scratch, in turns.
//
//   skerry_plans [REPETITIONS]     500 unless told otherwise
//
// "idle": the call alone, until it returns, on a device that has nothing to do. "done": until the results are there. "in a row":
// of a thousand calls without a wait, until the last is done. "bind": making the bound plan. Medians, µs.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>

#include "data/random_image.hpp"
#include "skerry/cuda.hpp"
#include "support/cuda_clock.hpp"
#include "support/cuda_floor.hpp"
#include "support/cuda_memory.hpp"
#include "support/cuda_report.hpp"
#include "support/repetitions.hpp"

namespace skerry::bench {
namespace {

using clock = std::chrono::steady_clock;

double microseconds_since(clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(clock::now() - begin).count();
}

double median(std::vector<double>& times) {
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return times[times.size() / 2];
}

class stream {
 public:
  stream() { require(cudaStreamCreateWithFlags(&id_, cudaStreamNonBlocking), "cudaStreamCreate"); }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  ~stream() { cudaStreamDestroy(id_); }
  operator cudaStream_t() const { return id_; }
  void wait() const { require(cudaStreamSynchronize(id_), "what was enqueued"); }

 private:
  cudaStream_t id_ = nullptr;
};

using call = std::function<void()>;
struct times {
  std::vector<double> idle, done, in_a_row;
};

void take(const stream& on, const call& enqueue, times& to) {
  const auto begin = clock::now();
  enqueue();
  to.idle.push_back(microseconds_since(begin));
  on.wait();
  to.done.push_back(microseconds_since(begin));
}

void take_in_a_row(const stream& on, const call& enqueue, times& to) {
  constexpr int calls = 1000;
  const auto begin = clock::now();
  for (int i = 0; i < calls; ++i) enqueue();
  on.wait();
  to.in_a_row.push_back(microseconds_since(begin) / calls);
}

// All calls in turns, so that noise of the machine affects all of them.
std::vector<times> time_in_turns(const stream& on, const std::vector<call>& calls, int repetitions) {
  std::vector<times> found(calls.size());
  for (const call& each : calls) each(), each();
  on.wait();
  for (int i = 0; i < repetitions; ++i)
    for (std::size_t k = 0; k < calls.size(); ++k) take(on, calls[k], found[k]);
  for (int i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < calls.size(); ++k) take_in_a_row(on, calls[k], found[k]);
  return found;
}

// An array that jobs write, which must be the same by either way.
struct result {
  const device_buffer* bytes;
  [[nodiscard]] std::vector<char> copied() const {
    std::vector<char> host(bytes->bytes());
    require(cudaMemcpy(host.data(), bytes->data(), host.size(), cudaMemcpyDeviceToHost), "download");
    return host;
  }
};

void compare(const char* name, const stream& on, const std::vector<result>& results, const call& one,
             const call& other) {
  std::vector<std::vector<char>> first;
  for (const call* enqueue : {&one, &other}) {
    for (const result& each : results) each.bytes->spoil(on);
    (*enqueue)();
    on.wait();
    for (std::size_t k = 0; k < results.size(); ++k)
      if (enqueue == &one) first.push_back(results[k].copied());
      else if (first[k] != results[k].copied()) throw std::runtime_error(std::string(name) + ": results differ");
  }
}

double time_binding(const cuda::plan& plan, void* scratch) {
  std::vector<double> taken;
  for (int i = 0; i < 20; ++i) {
    const auto begin = clock::now();
    const cuda::bound_plan bound = plan.bind(scratch);
    taken.push_back(microseconds_since(begin));
  }
  return median(taken);
}

std::size_t kernels_of(const call& enqueue, cudaStream_t on) {
  cudaGraph_t graph = nullptr;
  require(cudaStreamBeginCapture(on, cudaStreamCaptureModeThreadLocal), "capture");
  enqueue();
  require(cudaStreamEndCapture(on, &graph), "capture");
  std::size_t nodes = 0;
  require(cudaGraphGetNodes(graph, nullptr, &nodes), "nodes");
  cudaGraphDestroy(graph);
  return nodes;
}

void bench_plan(const char* name, const cuda::plan& plan, const std::vector<result>& results, int repetitions) {
  const stream on;
  const device_buffer scratch(std::max<std::size_t>(plan.scratch_bytes(), 1));
  const double binding = time_binding(plan, scratch.data());
  const cuda::bound_plan bound = plan.bind(scratch.data());
  const call by_plan = [&] { plan.enqueue(scratch.data(), on); }, by_bound = [&] { bound.enqueue(on); };
  compare(name, on, results, by_plan, by_bound);
  std::vector<times> found = time_in_turns(on, {by_plan, by_bound}, repetitions);
  compare(name, on, results, by_plan, by_bound);
  std::printf("%-44s %8zu %6.1f %6.1f %9.1f %6.1f %9.2f %6.2f %8.0f\n", name, kernels_of(by_plan, on),
              median(found[0].idle), median(found[1].idle), median(found[0].done), median(found[1].done),
              median(found[0].in_a_row), median(found[1].in_a_row), binding);
  std::fflush(stdout);
}

// What a launch takes, whatever it launches.
void bench_empty_kernel(int repetitions) {
  const stream on;
  std::vector<times> found = time_in_turns(on, {[&] { cuda_floors::launch(on); }}, repetitions);
  std::printf("%-44s %8d %6.1f %6s %9.1f %6s %9.2f\n", "an empty kernel", 1, median(found[0].idle), "",
              median(found[0].done), "", median(found[0].in_a_row));
}

// ---- labels -------------------------------------------------------------------------------------------------------

struct label_case {
  const char* name;
  extent size;
  int connectivity;
  bool labels, rows, runs, one_kernel;
  selection keep;
  bool early_launch = false;
};

void bench_labels(const label_case& what, int repetitions) {
  const auto pixels = static_cast<std::size_t>(what.size.pixels());
  const std::vector<std::uint8_t> bytes = random_image(what.size, {4, 40, 0});
  const std::size_t capacity = pixels / 8 + 1024;
  const device_buffer image(pixels), labels(what.labels ? pixels * 4 : 0), offsets(8 * (what.size.depth + 1)),
      rows(what.rows ? capacity * sizeof(geometry) : 0), runs(what.runs ? 2 * capacity * sizeof(labelled_run) : 0);
  image.upload(bytes.data(), pixels);
  cuda::label_job work;
  work.image = {image.data<std::uint8_t>(), what.size};
  work.connectivity = what.connectivity;
  work.selection = what.keep;
  work.one_kernel = what.one_kernel;
  work.early_launch = what.early_launch;
  work.offsets = offsets.data<std::uint64_t>();
  if (what.labels) work.labels = {labels.data<std::uint32_t>(), what.size};
  if (what.rows) work.rows = rows.data<geometry>(), work.row_capacity = capacity;
  if (what.runs) work.runs = runs.data<labelled_run>(), work.run_capacity = 2 * capacity;
  bench_plan(what.name, cuda::label_plan(work), {{&labels}, {&rows}, {&runs}, {&offsets}}, repetitions);
}

// ---- trees --------------------------------------------------------------------------------------------------------

// Noise of bytes, or of the floats with these bits between 0 and 1.
void bench_trees(const char* type, dtype of, int repetitions) {
  const extent size(1024, 1024);
  const std::size_t pixels = 1024 * 1024, bytes = pixels * size_of(of);
  std::vector<float> reals(pixels);
  std::vector<std::uint8_t> greys(pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    greys[i] = static_cast<std::uint8_t>(static_cast<std::uint32_t>(i) * 2654435761U >> 24);
    reals[i] = static_cast<float>(static_cast<std::uint32_t>(i) * 2654435761U >> 8);
  }
  const device_buffer image(bytes), parent(pixels * 4), area(pixels * 4), output(bytes), count(4), first(pixels * 4),
      parents(pixels * 4), areas(pixels * 4);
  image.upload(of == dtype::u8 ? static_cast<const void*>(greys.data()) : reals.data(), bytes);
  const auto named = [&](const char* what) { return std::string(what) + " of 1024², " + type; };

  cuda::tree_job tree;
  tree.image = {image.data(), of, size};
  tree.connectivity = 8;
  tree.parent = parent.data<std::uint32_t>();
  tree.area = area.data<std::uint32_t>();
  bench_plan(named("tree with areas").c_str(), cuda::tree_plan(tree), {{&parent}, {&area}}, repetitions);

  cuda::tree_nodes_job nodes;
  nodes.image = tree.image;
  nodes.parent = tree.parent;
  nodes.capacity = pixels;
  nodes.count = count.data<std::uint32_t>();
  nodes.first_pixel = first.data<std::uint32_t>();
  nodes.parent_node = parents.data<std::uint32_t>();
  nodes.area = areas.data<std::uint32_t>();
  bench_plan(named("nodes and areas").c_str(), cuda::tree_nodes_plan(nodes), {{&count}}, repetitions);

  cuda::tree_filter_job opening;
  opening.image = tree.image;
  opening.parent = tree.parent;
  opening.area = tree.area;
  opening.least_area = 20;
  opening.output = {output.data(), of, size};
  bench_plan(named("area opening").c_str(), cuda::tree_filter_plan(opening), {{&output}}, repetitions);
}

int run(int repetitions) {
  for (const auto& [name, fact] : device_facts()) std::printf("%s: %s\n", name.c_str(), fact.c_str());
  std::printf("%-44s %8s %6s %6s %9s %6s %9s %6s %8s\n", "us: plan, and bound plan", "launches", "idle", "", "done", "",
              "in a row", "", "bind");
  bench_empty_kernel(repetitions);
  const label_case cases[] = {
      {"table of 64², one kernel", extent(64, 64), 8, false, true, false, true, {}},
      {"table of 256², one kernel", extent(256, 256), 8, false, true, false, true, {}},
      {"table of 256², one kernel, early", extent(256, 256), 8, false, true, false, true, {}, true},
      {"labels of 512², one kernel", extent(512, 512), 8, true, false, false, true, {}},
      {"labels of 512², tiles", extent(512, 512), 8, true, false, false, false, {}},
      {"table of 512², tiles", extent(512, 512), 8, false, true, false, false, {}},
      {"labels, table and runs of 512², tiles", extent(512, 512), 8, true, true, true, false, {}},
      {"labels of 8192²", extent(8192, 8192), 8, true, false, false, true, {}},
      {"table of 8192²", extent(8192, 8192), 8, false, true, false, true, {}},
      {"labels of 64 frames of 256²", extent(64, 256, 256), 8, true, false, false, true, {}},
      {"labels and table of 128³, 26 neighbours", extent(128, 128, 128), 26, true, true, false, true, {}},
      {"labels of 512², 16 pixels or more", extent(512, 512), 8, true, false, false, true, {.min_area = 16}},
      {"labels of 512², filled holes", extent(512, 512), 8, true, false, false, true, {.fill_holes = true}},
  };
  for (const label_case& each : cases) bench_labels(each, repetitions);
  bench_trees("u8", dtype::u8, repetitions);
  bench_trees("f32", dtype::f32, repetitions);
  std::puts("every result was the same by either way, before the timing and after");
  return 0;
}

}  // namespace
}  // namespace skerry::bench

int main(int count, char** arguments) try {
  return skerry::bench::run(count > 1 ? skerry::bench::enough_repetitions(std::stoi(arguments[1]), "REPETITIONS")
                                      : 500);
} catch (const std::exception& error) {
  std::fprintf(stderr, "skerry_plans: %s\n", error.what());
  return 2;
}
