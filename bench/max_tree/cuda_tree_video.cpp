// SPDX-License-Identifier: Apache-2.0
// A video on a GPU by tree_stream::start(): each frame is uploaded, its max-tree is built with areas and opened by a threshold that moves,
// and what is left is downloaded. Every picture is compared with tree_stream on the CPU before it is timed, and the last of each
// slot afterwards.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "data/grey_pictures.hpp"
#include "skerry/skerry.hpp"
#include "support/cuda_memory.hpp"

namespace skerry::bench {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t film_frames = 8;

// The threshold of a frame: from 20 pixels to 160 and from the beginning again, as the film.
std::uint64_t least_of(std::size_t frame) { return 20 * (frame % film_frames + 1); }

double seconds_between(clock::time_point from, clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

// Frames of a look, and what an opening leaves of each.
struct film {
  film(const extent& size, const std::string& look, int connectivity) : connectivity(connectivity) {
    for (std::uint32_t seed = 0; seed < film_frames; ++seed)
      frames.push_back(std::move(grey_pictures(size, {"u8"}, {look}, seed).front()));
    engine on = engine::cpu();
    tree_stream_options options;
    options.size = size;
    options.tree.connectivity = connectivity;
    tree_stream stream(on, options);
    const auto begin = clock::now();
    for (std::size_t frame = 0; frame < film_frames; ++frame) {
      right.emplace_back(frames[frame].bytes.size());
      stream.push(frames[frame].view());
      stream.write({frame_filter::kind::area, static_cast<double>(least_of(frame))}, {right.back().data(), size});
    }
    host_rate = film_frames / seconds_between(begin, clock::now());
  }
  int connectivity;
  std::vector<grey_picture> frames;
  std::vector<std::vector<std::uint8_t>> right;
  double host_rate = 0;  // frames/s of the stream on the CPU, the first ones included
};

// A picture of the film and room for what is left of it, in pinned memory as a camera's, or in other memory.
class place {
 public:
  place(const film& of, bool pinned) : film_(of), bytes_(of.frames[0].bytes.size()) {
    if (pinned)
      pinned_in_ = std::make_unique<pinned_buffer>(bytes_), pinned_out_ = std::make_unique<pinned_buffer>(bytes_);
    else in_.resize(bytes_), out_.resize(bytes_);
  }
  [[nodiscard]] char* frame() { return pinned_in_ ? pinned_in_->data<char>() : in_.data(); }
  [[nodiscard]] char* output() { return pinned_out_ ? pinned_out_->data<char>() : out_.data(); }
  void put(std::size_t number) {
    picture_ = number % film_frames;
    std::memcpy(frame(), film_.frames[picture_].bytes.data(), bytes_);
    std::memset(output(), 0xa5, bytes_);
  }
  std::uint64_t start(tree_stream& stream, clock::time_point due = clock::now()) {
    begin_ = due;
    const extent& size = film_.frames[0].size;
    return stream.start({frame(), dtype::u8, size}, {frame_filter::kind::area, static_cast<double>(least_of(picture_))},
                        {output(), dtype::u8, size});
  }
  // From when the frame was due.
  [[nodiscard]] double seconds() const { return seconds_between(begin_, clock::now()); }
  void compare() {
    if (std::memcmp(output(), film_.right[picture_].data(), bytes_) != 0)
      throw std::runtime_error("frame " + std::to_string(picture_) + " is wrong");
  }

 private:
  const film& film_;
  std::size_t bytes_, picture_ = 0;
  std::unique_ptr<pinned_buffer> pinned_in_, pinned_out_;
  std::vector<char> in_, out_;
  clock::time_point begin_;
};

struct outcome {
  double rate = 0;              // frames/s
  std::vector<double> latency;  // seconds, sorted
  [[nodiscard]] double at(double share) const {
    return latency[std::min(latency.size() - 1, static_cast<std::size_t>(share * static_cast<double>(latency.size())))];
  }
};

tree_stream_options options_of(const film& of, std::size_t slots) {
  tree_stream_options options;
  options.size = of.frames[0].size;
  options.tree.connectivity = of.connectivity;
  options.in_flight = static_cast<int>(slots);
  return options;
}

// Each picture in each slot; afterwards every place holds the picture that it is timed with. Returns how many frames that were.
std::uint64_t check_all(tree_stream& stream, std::vector<place>& places) {
  for (std::size_t frame = 0; frame < film_frames; ++frame)
    for (std::size_t k = 0; k < places.size(); ++k) {
      places[k].put(frame + k);
      stream.wait(places[k].start(stream));
      places[k].compare();
    }
  return film_frames * places.size();
}

// Frames come at a rate, or as fast as slots are free (0). A frame that finds its slot taken waits, and that counts as latency: from when
// the frame was due to when its output is there, seen by a host that polls. Each place has a picture of its own.
outcome stream(const film& of, std::size_t slots, std::size_t frames, double rate, bool pinned) {
  engine on = engine::cuda();
  tree_stream trees(on, options_of(of, slots));
  std::vector<place> places;
  for (std::size_t k = 0; k < slots; ++k) places.emplace_back(of, pinned);
  const std::uint64_t before = check_all(trees, places);
  outcome found;
  found.latency.reserve(frames);
  std::size_t started = 0;
  const auto begin = clock::now();
  while (found.latency.size() < frames) {
    const std::size_t oldest = found.latency.size();
    if (oldest < started && trees.is_done(before + oldest)) {
      trees.wait(before + oldest);
      found.latency.push_back(places[oldest % slots].seconds());
      continue;
    }
    if (started == frames || started - oldest == slots) continue;
    const double due = rate > 0 ? static_cast<double>(started) / rate : 0;
    const auto now = clock::now();
    if (seconds_between(begin, now) < due) continue;
    const auto late = std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(due));
    places[started % slots].start(trees, rate > 0 ? begin + late : now);
    ++started;
  }
  found.rate = static_cast<double>(frames) / seconds_between(begin, clock::now());
  for (place& each : places) each.compare();
  std::sort(found.latency.begin(), found.latency.end());
  return found;
}

void report(const char* look, std::size_t slots, const char* pace, const outcome& found) {
  std::printf("%-8s %6zu %10s %9.0f %8.3f %8.3f %8.3f\n", look, slots, pace, found.rate, 1e3 * found.at(0.5),
              1e3 * found.at(0.99), 1e3 * found.latency.back());
  std::fflush(stdout);
}

void run(const extent& size, std::size_t frames) {
  std::printf("%d x %d u8, 4 neighbours: upload, tree, areas, opening, download\n", static_cast<int>(size.width),
              static_cast<int>(size.height));
  std::printf("%-8s %6s %10s %9s %8s %8s %8s\n", "frames", "slots", "pace/s", "frames/s", "p50 ms", "p99 ms",
              "most ms");
  for (const char* look : {"natural", "blurred", "noise"}) {
    const film of(size, look, 4);
    std::printf("%-8s %6s %10s %9.0f   (tree_stream, all processors)\n", look, "cpu", "none", of.host_rate);
    for (const std::size_t slots : {1, 2, 3, 4, 8}) report(look, slots, "none", stream(of, slots, frames, 0, true));
    for (const std::size_t slots : {3, 4, 8}) report(look, slots, "2000", stream(of, slots, frames, 2000, true));
    report(look, 3, "not pinned", stream(of, 3, frames, 0, false));
  }
  std::puts("every picture was that of the CPU engine before it was timed, and the last of each slot afterwards");
}

}  // namespace
}  // namespace skerry::bench

int main(int count, char** arguments) {
  try {
    if (count > 4) throw std::invalid_argument("options: [WIDTH HEIGHT [FRAMES]]");
    const std::int64_t width = count > 2 ? std::stoll(arguments[1]) : 1920;
    const std::int64_t height = count > 2 ? std::stoll(arguments[2]) : 1080;
    const std::size_t frames = count > 3 ? std::stoull(arguments[3]) : 4000;
    skerry::bench::run(skerry::extent(height, width), frames);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "skerry_cuda_tree_video: %s\n", error.what());
    return 2;
  }
}
