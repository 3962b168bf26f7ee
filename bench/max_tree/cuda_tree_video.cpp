// SPDX-License-Identifier: Apache-2.0
// A video on a GPU: each frame is uploaded, its max-tree is built with areas and opened by a threshold that moves, and what is
// left is downloaded. Frames in flight have a slot each: a stream, memory, and pinned buffers. Every picture is compared with
// tree_stream on the CPU before it is timed, and the last of each slot afterwards.
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
#include "skerry/cuda.hpp"
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

// One frame in flight.
class slot {
 public:
  explicit slot(const film& of) : film_(of), bytes_(of.frames[0].bytes.size()), in_(bytes_), out_(bytes_) {
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    require(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming), "cudaEventCreate");
    image_ = device_buffer(bytes_);
    output_ = device_buffer(bytes_);
    parent_ = device_buffer(bytes_ * 4);
    area_ = device_buffer(bytes_ * 4);
    tree_.image = {image_.data(), of.frames[0].type, of.frames[0].size};
    tree_.connectivity = of.connectivity;
    tree_.parent = parent_.data<std::uint32_t>();
    tree_.area = area_.data<std::uint32_t>();
    opening_.image = tree_.image;
    opening_.parent = tree_.parent;
    opening_.area = tree_.area;
    opening_.output = {output_.data(), of.frames[0].type, of.frames[0].size};
    build_ = std::make_unique<cuda::tree_plan>(tree_);
    for (std::size_t frame = 0; frame < film_frames; ++frame) {
      opening_.least_area = least_of(frame);
      open_.emplace_back(opening_);
    }
    scratch_ = device_buffer(std::max(build_->scratch_bytes(), open_[0].scratch_bytes()));
  }
  slot(const slot&) = delete;
  slot& operator=(const slot&) = delete;
  ~slot() {
    cudaEventDestroy(done_);
    cudaStreamDestroy(stream_);
  }
  void put(std::size_t frame) {  // as a camera would, outside of what is timed
    frame_ = frame % film_frames;
    std::memcpy(in_.data<char>(), film_.frames[frame_].bytes.data(), bytes_);
    std::memset(out_.data<char>(), 0xa5, bytes_);
  }
  void start(clock::time_point due = clock::now()) {
    begin_ = due;
    running_ = true;
    require(cudaMemcpyAsync(image_.data(), in_.data<char>(), bytes_, cudaMemcpyHostToDevice, stream_), "upload");
    build_->enqueue(scratch_.data(), stream_);
    open_[frame_].enqueue(scratch_.data(), stream_);
    require(cudaMemcpyAsync(out_.data<char>(), output_.data(), bytes_, cudaMemcpyDeviceToHost, stream_), "download");
    require(cudaEventRecord(done_, stream_), "cudaEventRecord");
  }
  // Whether the frame has just come back.
  bool came_back() {
    if (!running_) return false;
    const cudaError_t state = cudaEventQuery(done_);
    if (state == cudaErrorNotReady) return false;
    require(state, "a frame");
    seconds_ = seconds_between(begin_, clock::now());
    running_ = false;
    return true;
  }
  void wait() {
    while (running_) came_back();
  }
  [[nodiscard]] bool running() const { return running_; }
  // From when the frame was due to the end of its download, seen by a host that polls.
  [[nodiscard]] double seconds() const { return seconds_; }
  void compare() const {
    if (std::memcmp(out_.data<char>(), film_.right[frame_].data(), bytes_) != 0)
      throw std::runtime_error("frame " + std::to_string(frame_) + " is wrong");
  }

 private:
  const film& film_;
  std::size_t bytes_, frame_ = 0;
  pinned_buffer in_, out_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t done_ = nullptr;
  device_buffer image_, output_, parent_, area_, scratch_;
  cuda::tree_job tree_;
  cuda::tree_filter_job opening_;
  std::unique_ptr<cuda::tree_plan> build_;
  std::vector<cuda::tree_filter_plan> open_;  // by frame of the film
  clock::time_point begin_;
  double seconds_ = 0;
  bool running_ = false;
};

struct outcome {
  double rate = 0;              // frames/s
  std::vector<double> latency;  // seconds, sorted
  [[nodiscard]] double at(double share) const {
    return latency[std::min(latency.size() - 1, static_cast<std::size_t>(share * static_cast<double>(latency.size())))];
  }
};

using slots_in_turn = std::vector<std::unique_ptr<slot>>;

// Each picture on each slot; afterwards every slot holds the picture that it is timed with.
void check_all(const slots_in_turn& ring) {
  for (std::size_t frame = 0; frame < film_frames; ++frame)
    for (std::size_t k = 0; k < ring.size(); ++k) {
      ring[k]->put(frame + k);
      ring[k]->start();
      ring[k]->wait();
      ring[k]->compare();
    }
}

// Slots take frames in turn; frames come at a rate, or as fast as slots are free (0). A frame that finds its slot taken waits,
// and that counts as latency. Pictures lie in pinned memory, a different one in each slot.
outcome stream(const film& of, std::size_t slots, std::size_t frames, double rate) {
  slots_in_turn ring;
  for (std::size_t k = 0; k < slots; ++k) ring.push_back(std::make_unique<slot>(of));
  check_all(ring);
  outcome found;
  found.latency.reserve(frames);
  std::size_t started = 0;
  const auto begin = clock::now();
  while (found.latency.size() < frames) {
    for (auto& each : ring)
      if (each->came_back()) found.latency.push_back(each->seconds());
    slot& next = *ring[started % slots];
    if (started == frames || next.running()) continue;
    const double due = rate > 0 ? static_cast<double>(started) / rate : 0;
    const auto now = clock::now();
    if (seconds_between(begin, now) < due) continue;
    next.start(rate > 0 ? begin + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(due))
                        : now);
    ++started;
  }
  found.rate = static_cast<double>(frames) / seconds_between(begin, clock::now());
  for (auto& each : ring) each->compare();
  std::sort(found.latency.begin(), found.latency.end());
  return found;
}

void report(const char* look, std::size_t slots, const char* pace, const outcome& found) {
  std::printf("%-8s %6zu %8s %9.0f %8.3f %8.3f %8.3f\n", look, slots, pace, found.rate, 1e3 * found.at(0.5),
              1e3 * found.at(0.99), 1e3 * found.latency.back());
  std::fflush(stdout);
}

void run(const extent& size, std::size_t frames) {
  std::printf("%d x %d u8, 4 neighbours: upload, tree, areas, opening, download\n", static_cast<int>(size.width),
              static_cast<int>(size.height));
  std::printf("%-8s %6s %8s %9s %8s %8s %8s\n", "frames", "slots", "pace/s", "frames/s", "p50 ms", "p99 ms", "most ms");
  for (const char* look : {"natural", "blurred", "noise"}) {
    const film of(size, look, 4);
    std::printf("%-8s %6s %8s %9.0f   (tree_stream, all processors)\n", look, "cpu", "none", of.host_rate);
    for (const std::size_t slots : {1, 2, 3, 4, 8}) report(look, slots, "none", stream(of, slots, frames, 0));
    for (const std::size_t slots : {3, 4, 8}) report(look, slots, "2000", stream(of, slots, frames, 2000));
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
