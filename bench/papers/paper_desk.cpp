// SPDX-License-Identifier: Apache-2.0
#include "papers/paper_desk.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "skerry/published.hpp"
#include "support/cuda_compare.hpp"

namespace skerry::bench {
namespace {

// A method that takes longer than the first of them is replayed in graphs of fewer calls; one that takes longer than the
// second is called a few times, one by one.
constexpr double longest_of_many = 1e-3, longest_of_graph = 10e-3;

bool is_of_labels(const std::string& method) { return method.ends_with(paper_desk::of_labels); }

published::device_method find(const std::string& method) {
  return published::find_device_method(
      is_of_labels(method) ? method.substr(0, method.size() - paper_desk::of_labels.size()) : method);
}

bool is_own(const std::string& method) { return method.starts_with(published::own_method); }

}  // namespace

paper_desk::paper_desk(const extent& size, std::shared_ptr<desk_memory> memory)
    : size_(size), desk_(size), memory_(std::move(memory)) {}

void paper_desk::take(const std::uint8_t* pixels, int connectivity, paper_job job) {
  pixels_ = pixels;
  connectivity_ = connectivity;
  job_ = job;
  output_ = job == paper_job::both ? output_named("labels-features") : cuda_outputs[job == paper_job::labels ? 0 : 1];
  asked_ = {};
  desk_.take(pixels, connectivity);
  if (job == paper_job::features_of_labels) desk_.check(cuda_outputs[0], std::string(published::own_method));
  ask_for(output_);
}

void paper_desk::ask_for(const cuda_output& output) {
  if (output.name == asked_.name) return;
  desk_.check(output, std::string(published::own_method));
  asked_ = output;
}

published::device_task paper_desk::task(int place) {
  return {.image = {desk_.image(place), size_.width, static_cast<u32>(size_.width), static_cast<u32>(size_.rows())},
          .connectivity = connectivity_,
          .planes = static_cast<u32>(size_.depth),
          .labels = asks_for_labels() ? desk_.results().labels() : nullptr,
          .features = job_ != paper_job::labels,
          .stream = desk_.stream(),
          .memory = memory_->methods};
}

published::device_answer paper_desk::run(const std::string& method, const published::device_task& work) {
  memory_->methods.begin();
  return is_of_labels(method) ? find(method).measure(work, desk_.results().right_labels()) : find(method).solve(work);
}

void paper_desk::check_own_regions() {
  if (regions_.size() != components()) throw std::runtime_error("skerry of labels: another number of regions");
  const device_buffer rows(std::max<std::size_t>(regions_.size(), 1) * sizeof(geometry));
  rows.upload(regions_.features.components.data(), regions_.size() * sizeof(geometry));
  require_same_device_rows("skerry of labels", rows.data<geometry>(), desk_.results().right_rows(), regions_.size(),
                           false);
}

void paper_desk::check(const std::string& method) {
  ask_for(method == own_first_pixel ? output_named("first-pixel") : output_);
  const cuda_results& right = desk_.results();
  right.spoil(desk_.stream());
  if (is_own(method)) {
    if (is_of_labels(method)) bring(method, 0), check_own_regions();
    else desk_.enqueue(0);
    require(cudaStreamSynchronize(desk_.stream()), method.c_str());
    if (!is_of_labels(method)) right.compare(asked_, method);
    return;
  }
  const published::device_answer answer = run(method, task(0));
  require(cudaStreamSynchronize(desk_.stream()), method.c_str());
  const published::device_task work = task(0);
  const published::device_task numbering{
      .image = work.image, .connectivity = connectivity_, .stream = work.stream, .memory = numbering_};
  numbering_.begin();
  std::uint64_t count = 0;
  const auto require_count = [&] {
    if (count == right.components()) return;
    throw std::runtime_error(method + ": " + std::to_string(count) + " components, not " +
                             std::to_string(right.components()));
  };
  if (asks_for_labels()) {
    count = published::number_labels(numbering, answer, work.labels);
    require_count();
    require_same_device_items(method, "labels", work.labels, right.right_labels(), desk_.pixels(), 4);
    numbering_.begin();
  }
  if (job_ == paper_job::labels) return;
  if (answer.fetch) {
    table_rows<geometry> fetched;
    answer.fetch(fetched);
    count = fetched.size();
    require_count();
    const device_buffer rows(std::max<std::size_t>(count, 1) * sizeof(geometry));
    rows.upload(fetched.data(), count * sizeof(geometry));
    require_same_device_rows(method, rows.data<geometry>(), right.right_rows(), count, false);
  } else {
    const geometry* const rows = published::number_rows(numbering, answer, count);
    require_count();
    require(cudaStreamSynchronize(desk_.stream()), method.c_str());
    require_same_device_rows(method, rows, right.right_rows(), count, false);
  }
}

void paper_desk::time(const std::string& method, int repetitions, paper_sample& sample) {
  check(method);
  sample.components = components();
  int place = 0;
  const auto call = [&] {
    if (is_own(method)) desk_.enqueue(place++ % cuda_desk::places);
    else sample.iterations = run(method, task(place++ % cuda_desk::places)).iterations;
  };
  timing found = time_calls(desk_.stream(), call, 1);
  const bool waits = !is_own(method) && find(method).waits;
  if (found.median >= longest_of_graph) {
    found = time_calls(desk_.stream(), call, sample.calls = 3);
  } else if (waits) {
    found = time_calls(desk_.stream(), call, sample.calls = repetitions);
  } else {
    const int calls = (found.median < longest_of_many ? 2 : 1) * cuda_desk::places;
    const cuda_graph graph(desk_.stream(), [&] {
      for (int i = 0; i < calls; ++i) call();
    });
    found = time_replays(graph, sample.calls = repetitions);
    found.median /= calls;
  }
  sample.seconds = found.median;
  sample.spread = found.spread;
}

void paper_desk::bring_own_rows(const std::string& method, int place, const published::device_task& work) {
  if (is_of_labels(method)) {
    const image_view labels(desk_.results().right_labels(), size_);
    work.phase("copy", [&] { measure_regions(on_, {.labels = labels}, regions_); });
    return;
  }
  auto* const host = memory_->host.data<std::byte>();
  desk_.enqueue(place);
  work.phase("copy", [&] {
    require(cudaMemcpyAsync(host, desk_.results().offsets(), 2 * sizeof(std::uint64_t), cudaMemcpyDeviceToHost,
                            work.stream),
            "copy");
    require(cudaStreamSynchronize(work.stream), "copy");
    std::uint64_t count = 0;
    std::memcpy(&count, host + sizeof count, sizeof count);
    if (count != 0)
      require(
          cudaMemcpyAsync(host, desk_.results().rows(), count * sizeof(geometry), cudaMemcpyDeviceToHost, work.stream),
          "copy");
  });
}

void paper_desk::bring(const std::string& method, int place, published::phase_marks* marks) {
  published::device_task work = task(place);
  work.marks = marks;
  if (is_own(method)) {
    bring_own_rows(method, place, work);
  } else {
    const published::device_answer answer = run(method, work);
    if (!answer.arrays.empty())  // else the method has copied by itself
      work.phase("copy", [&] {
        auto* to = memory_->host.data<std::byte>();
        for (const auto& array : answer.arrays) {
          require(cudaMemcpyAsync(to, array.data, array.bytes, cudaMemcpyDeviceToHost, work.stream), "copy");
          to += array.bytes;
        }
      });
  }
  require(cudaStreamSynchronize(work.stream), "copy");
}

parted_call paper_desk::bring_in_parts(const std::string& method, int place) {
  published::phase_marks marks;
  const auto begin = std::chrono::steady_clock::now();
  bring(method, place, &marks);
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;
  parted_call call{whole.count(), 0, marks.times()};
  for (const phase_time& phase : call.phases)
    if (phase.name == "copy" || phase.name == "second copy") call.copies += phase.milliseconds * 1e-3;
  return call;
}

void paper_desk::time_to_host(const std::string& method, int repetitions, paper_sample& sample) {
  check(method);
  sample.components = components();
  int place = 0;
  const auto next_place = [&] { return place++ % cuda_desk::places; };
  const timing total = time_calls(
      desk_.stream(), [&] { bring(method, next_place()); }, sample.calls = repetitions);
  sample.seconds = total.median;
  sample.spread = total.spread;
  std::vector<double> copies, others;  // of calls of their own: marks take time
  for (int i = 0; i < repetitions; ++i) {
    const parted_call call = bring_in_parts(method, next_place());
    copies.push_back(call.copies);
    others.push_back(call.seconds - call.copies);
  }
  sample.phases["copy"] = timing_of(copies).median;
  sample.seconds_without_copies = timing_of(others).median;
}

void paper_desk::time_phases(const std::string& method, int repetitions, paper_sample& sample) {
  std::map<std::string, std::vector<double>> seconds;
  for (int i = repetitions > 1 ? -1 : 0; i < repetitions; ++i) {
    published::phase_marks marks;
    published::device_task work = task((i + 1) % cuda_desk::places);
    work.marks = &marks;
    run(method, work);
    require(cudaStreamSynchronize(desk_.stream()), method.c_str());
    if (i < 0) continue;  // warm
    for (const phase_time& phase : marks.times()) seconds[std::string(phase.name)].push_back(phase.milliseconds * 1e-3);
  }
  for (const auto& [name, each] : seconds) sample.phases[name] = timing_of(each).median;
}

void paper_desk::count_votes(const std::string& method, paper_sample& sample) {
  published::device_task work = task(0);
  work.counting = true;
  const published::device_answer answer = run(method, work);
  std::vector<std::uint32_t> hits(answer.slots);
  require(cudaStreamSynchronize(desk_.stream()), method.c_str());
  require(cudaMemcpy(hits.data(), answer.hits, hits.size() * sizeof hits[0], cudaMemcpyDeviceToHost), method.c_str());
  unsigned long long met = 0;
  require(cudaMemcpy(&met, answer.met, sizeof met, cudaMemcpyDeviceToHost), method.c_str());
  sample.met = met;
  for (const std::uint32_t votes : hits) {
    sample.updates += votes;
    sample.conflicts += votes > 1 ? votes - 1 : 0;
  }
}

}  // namespace skerry::bench
