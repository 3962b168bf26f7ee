// SPDX-License-Identifier: Apache-2.0
#include "track/cuda_track_film.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "track/track_digest.hpp"

namespace skerry::bench {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::uint64_t warm_up = 64;

// Pushes frames, or commits them where they are: a slot is filled when it is met first, and keeps its frame.
class pusher {
 public:
  pusher(tracker& stream, const grid_film& film, frame_source source) : stream_(stream), film_(film), source_(source) {
    if (source == frame_source::pinned) pinned_.emplace(film.frames);
  }

  void push() {
    if (pinned_) {
      stream_.push({pinned_->pixels(next_++), film_.size});
      return;
    }
    if (source_ == frame_source::pageable) {
      stream_.push(film_.frame(next_++));
      return;
    }
    const mutable_image memory = stream_.acquire();
    if (std::find(filled_.begin(), filled_.end(), memory.data) == filled_.end()) {
      std::memcpy(memory.data, film_.frame(filled_.size()).data, static_cast<std::size_t>(film_.size.pixels()));
      filled_.push_back(memory.data);
    }
    stream_.commit(memory);
  }

 private:
  tracker& stream_;
  const grid_film& film_;
  frame_source source_;
  std::optional<pinned_frames> pinned_;
  std::uint64_t next_ = 0;
  std::vector<const void*> filled_;
};

}  // namespace

namespace {

grid_film make_film(std::int64_t side, int objects, int frames, bool changing) {
  const auto columns = static_cast<std::int64_t>(std::ceil(std::sqrt(objects)));
  const std::int64_t cell = side / columns;
  if (cell < 2) throw std::invalid_argument(std::to_string(objects) + " objects do not fit");
  const std::int64_t width = std::max<std::int64_t>(1, cell / 2), way = std::max<std::int64_t>(1, cell - width - 1);
  grid_film film{extent(side, side), objects, changing, {}};
  for (int f = 0; f < frames; ++f) {
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(side * side), 20);
    const std::int64_t shift = cell < 4 ? 0 : std::min<std::int64_t>(std::min(f, frames - f), way);
    for (int k = 0; k < film.objects_of(static_cast<std::uint64_t>(f)); ++k) {
      const std::int64_t top = k / columns * cell, left = k % columns * cell + shift;
      for (std::int64_t y = top; y < top + width; ++y)
        std::fill_n(pixels.begin() + y * side + left, width, std::uint8_t{200});
    }
    film.frames.push_back(std::move(pixels));
  }
  return film;
}

}  // namespace

pinned_frames::pinned_frames(const std::vector<std::vector<std::uint8_t>>& frames)
    : count_(frames.size()), bytes_(frames.at(0).size()) {
  void* memory = nullptr;
  if (const cudaError_t result = cudaHostAlloc(&memory, count_ * bytes_, cudaHostAllocPortable); result != cudaSuccess)
    throw std::runtime_error(std::string("pinned memory: ") + cudaGetErrorString(result));
  memory_ = static_cast<std::uint8_t*>(memory);
  for (std::size_t i = 0; i < count_; ++i) std::copy(frames[i].begin(), frames[i].end(), memory_ + i * bytes_);
}
pinned_frames::~pinned_frames() { cudaFreeHost(memory_); }

grid_film make_grid_film(std::int64_t side, int objects, int frames) { return make_film(side, objects, frames, false); }
grid_film make_changing_film(std::int64_t side, int objects, int frames) {
  return make_film(side, objects, frames, true);
}

track_options options_for(const grid_film& film) {
  track_options options;
  options.size = film.size;
  options.connectivity = 8;
  options.threshold = frame_threshold::fixed(foreground::above(100));
  options.slots = static_cast<int>(film.frames.size());
  options.capacity = static_cast<std::uint32_t>(std::max(4096, film.objects));
  return options;
}

void check_film(engine& on, const grid_film& film, const track_options& options) {
  engine judge = engine::cpu();
  const std::uint64_t frames = 3 * film.frames.size();
  const track_digest got = digest_of(on, film, options, frames), want = digest_of(judge, film, options, frames);
  std::size_t all = 0;
  for (std::uint64_t i = 0; i < frames; ++i) all += static_cast<std::size_t>(film.objects_of(i));
  if (got.objects.size() != all) throw std::runtime_error("not all objects were seen");
  if (!(got == want)) throw std::runtime_error("ids, events or tables differ from those of the CPU");
}

stream_figures time_stream(engine& on, const grid_film& film, const track_options& options, const stream_plan& plan) {
  stream_figures found;
  found.delays.reserve(plan.frames);
  double objects = 0, bytes = 0;
  tracker stream(on, options, [&](const frame_result& result) {
    // Objects move by one pixel, so that wrong links would be seen.
    if (!result.error.empty() || (result.frame > 0 && result.happened != 0 && !film.changing))
      throw std::runtime_error("frame " + std::to_string(result.frame) + ": " + std::to_string(result.happened) +
                               " events " + result.error);
    if (result.frame < warm_up) return;
    objects += static_cast<double>(result.count);
    bytes += static_cast<double>(result.transferred);
    found.delays.push_back(static_cast<double>(result.times.published - result.times.pushed) * 1e-3);
  });
  pusher from(stream, film, plan.source);
  for (std::uint64_t i = 0; i < warm_up; ++i) from.push();
  stream.flush();
  const auto begin = clock::now();
  for (std::uint64_t i = 0; i < plan.frames; ++i) {
    if (plan.rate > 0)
      while (std::chrono::duration<double>(clock::now() - begin).count() * plan.rate < static_cast<double>(i)) {}
    from.push();
  }
  stream.flush();
  const auto frames = static_cast<double>(plan.frames);
  found.frames_per_second = frames / std::chrono::duration<double>(clock::now() - begin).count();
  found.objects = objects / frames;
  found.bytes = bytes / frames;
  std::sort(found.delays.begin(), found.delays.end());
  found.late = static_cast<std::uint64_t>(
      std::count_if(found.delays.begin(), found.delays.end(), [](double delay) { return delay > 5000; }));
  return found;
}

}  // namespace skerry::bench
