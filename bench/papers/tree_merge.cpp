// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <memory>

#include "data/random_image.hpp"
#include "papers/density_sweep.hpp"

namespace skerry::bench {
namespace {

// The text's, and what its outlook suggests.
const std::vector<std::string> rivals = {"skerry", "tmk", "ha", "ha-compact", "flsl-cd-compact"};
// The same without the work of labelling.
const std::vector<std::string> rivals_of_labels = {"skerry of labels", "tmk of labels", "ha of labels"};

// Room on the host for all arrays of HA.
std::size_t host_bytes(int side) {
  return std::max(static_cast<std::size_t>(side) * static_cast<std::size_t>(side) * 20, std::size_t{1} << 20);
}

struct images {
  int side, granularity;
  std::vector<int> densities;
};

void bench_densities(const std::string& figure, const images& of, bool has_phases, const paper_options& how,
                     paper_report& report) {
  const auto run = [&](const std::string& job, paper_job results, const std::vector<std::string>& methods) {
    const density_sweep sweep{figure,
                              job,
                              results,
                              {4},
                              extent(of.side, of.side),
                              of.granularity,
                              of.densities,
                              methods,
                              host_bytes(of.side)};
    sweep.run(how, report, [&](paper_desk& desk, const std::string& method, paper_sample& sample) {
      desk.time_to_host(method, how.more_repetitions(), sample);
      if (has_phases && method.starts_with("tmk")) desk.time_phases(method, how.more_repetitions(), sample);
    });
  };
  run("features to host", paper_job::features, rivals);
  run("features of labels to host", paper_job::features_of_labels, rivals_of_labels);
}

// ---- a stream, as the text measures ---------------------------------------------------------------------------------

constexpr int stream_images = 10;

// Ten images in turn. Desks share the memory of methods, so that a method predicts from frame to frame.
class frame_stream {
 public:
  frame_stream(int side, int granularity, const std::vector<int>& densities, const paper_options& how)
      : memory_(std::make_shared<published::device_arena>()) {
    const extent size(side, side);
    for (int i = 0; i < stream_images; ++i) {
      const int density = densities[static_cast<std::size_t>(i) % densities.size()];
      pixels_.push_back(random_image(size, {granularity, density, how.seed + static_cast<std::uint32_t>(i)}));
      desks_.push_back(std::make_unique<paper_desk>(size, host_bytes(side), memory_));
      desks_.back()->take(pixels_.back().data(), 4, paper_job::features_of_labels);
    }
  }
  // Seconds of a frame, on average, from the first to the last.
  void time(const std::string& method, int frames, paper_sample& sample) {
    for (const auto& desk : desks_) desk->check(method);
    memory_->second_copies = memory_->remembered = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (int frame = 0; frame < frames; ++frame)
      desks_[static_cast<std::size_t>(frame % stream_images)]->bring(method, frame / stream_images % cuda_desk::places);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    sample.seconds = taken.count() / frames;
    sample.frames = static_cast<std::uint64_t>(frames);
    sample.second_copies = memory_->second_copies;
  }

 private:
  std::shared_ptr<published::device_arena> memory_;
  std::vector<std::vector<std::uint8_t>> pixels_;
  std::vector<std::unique_ptr<paper_desk>> desks_;
};

// Ten images of one density, or of all kinds, so that as many objects as before is a wrong guess.
void bench_stream(int side, int granularity, const std::vector<int>& densities, const paper_options& how,
                  paper_report& report) {
  frame_stream stream(side, granularity, densities, how);
  const int frames = how.quick ? 50 : 1000;
  for (const auto* const methods : {&rivals, &rivals_of_labels})
    for (const std::string& method : *methods) {
      const bool changes = densities.size() > 1;
      const std::string job = methods == &rivals ? "features to host" : "features of labels to host";
      paper_sample sample{changes ? "000 changing frames" : "000 frames",
                          method,
                          job,
                          4,
                          side,
                          side,
                          granularity,
                          changes ? 0 : densities.front()};
      stream.time(method, frames, sample);
      report.add(sample);
    }
}

void bench_streams(const paper_options& how, paper_report& report) {
  const std::vector<int> changing = {5, 45, 15, 75, 35, 95, 25, 85, 55, 65}, few = {10, 50, 90};
  for (const int side : how.quick ? std::vector<int>{256} : std::vector<int>{256, 2048})
    for (const int granularity : {1, 4, 16}) {
      for (const int density : few) bench_stream(side, granularity, {density}, how, report);
      if (side == 256 || granularity == 4) bench_stream(side, granularity, changing, how, report);
    }
  if (how.quick) return;
  for (const int side : {32, 64, 128, 512, 1024})
    for (const int density : few) bench_stream(side, 1, {density}, how, report);
}

}  // namespace

void bench_tree_merge(const paper_options& how, paper_report& report) {
  const std::vector<int> densities =
      how.quick ? std::vector<int>{30, 70} : std::vector<int>{10, 20, 30, 40, 50, 60, 70, 80, 90};
  for (const int side : {256, 2048})
    for (const int granularity : {1, 4, 16})
      if (!how.quick || side == 256) bench_densities("000 density", {side, granularity, densities}, false, how, report);
  for (const int side : {32, 64, 128, 256, 512, 1024, 2048, 4096})
    if (!how.quick || side <= 512)
      bench_densities("000 size", {side, 1, how.quick ? densities : std::vector<int>{10, 30, 50, 70, 90}}, true, how,
                      report);
  bench_streams(how, report);
}

}  // namespace skerry::bench
