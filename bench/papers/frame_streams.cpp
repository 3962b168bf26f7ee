// SPDX-License-Identifier: Apache-2.0
// Streams of frames, as [Windisch2023] measures: ten images in turn, and the host waits for the features of each frame. Methods
// that predict the number of objects remember that of the frame before.
//
// A stream runs once. Its time is the mean of its frames, as in the text; their median and the longest one stand beside it. A few
// frames more tell phases apart, since marks between them take time.
#include <chrono>
#include <memory>

#include "data/random_image.hpp"
#include "papers/paper_desk.hpp"
#include "papers/tree_merge.hpp"

namespace skerry::bench {
namespace {

constexpr int images_in_turn = 10, marked_frames = 3 * images_in_turn;
using clock = std::chrono::steady_clock;

struct stream_kind {
  int side, granularity;
  std::vector<int> densities;  // of the images in turn; of several, the number of objects changes from frame to frame
  int frames;
  bool from_image;  // by the methods that label, too

  [[nodiscard]] bool changes() const { return densities.size() > 1; }
};

// The images of a stream, each on a desk of its own. Desks share the memory of methods, so that a method predicts from frame to
// frame.
class frame_stream {
 public:
  frame_stream(const stream_kind& kind, std::uint32_t seed)
      : kind_(kind), memory_(std::make_shared<desk_memory>(host_bytes_of_arrays(kind.side))) {
    const extent size(kind.side, kind.side);
    for (int i = 0; i < images_in_turn; ++i) {
      const int density = kind.densities[static_cast<std::size_t>(i) % kind.densities.size()];
      pixels_.push_back(random_image(size, {kind.granularity, density, seed + static_cast<std::uint32_t>(i)}));
      desks_.push_back(std::make_unique<paper_desk>(size, memory_));
      desks_.back()->take(pixels_.back().data(), 4, paper_job::features_of_labels);
    }
  }

  void measure(const std::string& method, paper_sample& sample) {
    for (const auto& desk : desks_) {
      desk->check(method);
      sample.components += desk->components();
    }
    sample.components /= images_in_turn;  // of an image, mean
    time(method, sample);
    if (method != rivals_of_labels.front()) time_parts(method, sample);  // that is one call, copies and all
  }

 private:
  [[nodiscard]] paper_desk& desk_of(int frame) { return *desks_[static_cast<std::size_t>(frame % images_in_turn)]; }
  [[nodiscard]] static int place_of(int frame) { return frame / images_in_turn % cuda_desk::places; }

  void time(const std::string& method, paper_sample& sample) {
    memory_->methods.second_copies = memory_->methods.remembered = 0;
    std::vector<double> seconds;
    seconds.reserve(static_cast<std::size_t>(kind_.frames));
    const clock::time_point begin = clock::now();
    clock::time_point last = begin;
    for (int frame = 0; frame < kind_.frames; ++frame) {
      desk_of(frame).bring(method, place_of(frame));
      const clock::time_point now = clock::now();
      seconds.push_back(std::chrono::duration<double>(now - last).count());
      last = now;
    }
    sample.seconds = std::chrono::duration<double>(last - begin).count() / kind_.frames;
    sample.longest_frame = *std::max_element(seconds.begin(), seconds.end());
    const timing of_frames = timing_of(std::move(seconds));
    sample.median_frame = of_frames.median;
    sample.spread = of_frames.spread;
    sample.frames = static_cast<std::uint64_t>(kind_.frames);
    sample.second_copies = memory_->methods.second_copies;
  }

  // Means, as a phase that only some frames have counts in these alone.
  void time_parts(const std::string& method, paper_sample& sample) {
    for (int frame = 0; frame < marked_frames; ++frame) {
      const parted_call call = desk_of(frame).bring_in_parts(method, place_of(frame));
      for (const phase_time& phase : call.phases)
        sample.phases[std::string(phase.name)] += phase.milliseconds * 1e-3 / marked_frames;
      sample.seconds_without_copies += (call.seconds - call.copies) / marked_frames;
    }
  }

  stream_kind kind_;
  std::shared_ptr<desk_memory> memory_;
  std::vector<std::vector<std::uint8_t>> pixels_;
  std::vector<std::unique_ptr<paper_desk>> desks_;
};

void bench_stream(const stream_kind& kind, const paper_options& how, paper_report& report) {
  frame_stream stream(kind, how.seed);
  const auto run = [&](const std::string& job, const std::vector<std::string>& methods) {
    for (const std::string& method : methods) {
      paper_sample sample{kind.changes() ? "000 changing frames" : "000 frames",
                          method,
                          job,
                          4,
                          kind.side,
                          kind.side,
                          kind.granularity,
                          kind.changes() ? 0 : kind.densities.front()};
      stream.measure(method, sample);
      report.add(sample);
    }
  };
  if (kind.from_image) run("features to host", rivals_to_host);
  run("features of labels to host", rivals_of_labels);
}

// Densities by all methods, and densities by those alone that begin with labels, by which the text's claims are judged.
struct stream_densities {
  std::vector<int> all, of_labels;
};

// Streams of 2048² and 4096² in which only the text's claims are looked for are shorter: a frame takes milliseconds there.
std::vector<stream_kind> kinds_of(const paper_options& how) {
  std::vector<stream_kind> kinds;
  const int frames = how.quick ? 50 : 1000;
  const auto add = [&](int side, int granularity, const stream_densities& densities, int frames_of_labels) {
    for (const int density : densities.all) kinds.push_back({side, granularity, {density}, frames, true});
    for (const int density : densities.of_labels)
      kinds.push_back({side, granularity, {density}, frames_of_labels, false});
  };
  const stream_densities tenths = {{10, 50, 90}, {20, 30, 40, 60, 70, 80}}, fifths = {{10, 50, 90}, {30, 70}};
  for (const int side : {256, 2048})
    for (const int granularity : {1, 4, 16}) {
      if (how.quick && side != 256) continue;
      add(side, granularity, how.quick ? fifths : tenths, side == 256 ? frames : 200);
      if (side == 256 || granularity == 4)
        kinds.push_back({side, granularity, {5, 45, 15, 75, 35, 95, 25, 85, 55, 65}, frames, true});
    }
  if (how.quick) return kinds;
  for (const int side : {32, 64, 128, 512, 1024}) add(side, 1, fifths, frames);
  add(4096, 1, {{}, {10, 50, 90}}, 50);
  return kinds;
}

}  // namespace

void bench_frame_streams(const paper_options& how, paper_report& report) {
  report.note(
      "streams",
      "each ran once: us is the mean of its frames, median frame us and longest frame us are of the same frames; "
      "phases us and us without copies are means of " +
          std::to_string(marked_frames) + " more frames with marks between phases");
  for (const stream_kind& kind : kinds_of(how)) bench_stream(kind, how, report);
}

}  // namespace skerry::bench
