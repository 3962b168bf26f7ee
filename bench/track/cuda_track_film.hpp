// SPDX-License-Identifier: Apache-2.0
// Films of objects on a grid that move to and fro, and streams of them.
#pragma once
#include <cstdint>
#include <vector>

#include "skerry/skerry.hpp"

namespace skerry::bench {

struct grid_film {
  extent size;
  int objects = 0;
  bool changing = false;                          // every second frame has half of them
  std::vector<std::vector<std::uint8_t>> frames;  // one for each slot of a stream

  [[nodiscard]] image_view frame(std::uint64_t number) const { return {frames[number % frames.size()].data(), size}; }
  [[nodiscard]] int objects_of(std::uint64_t number) const {
    return changing && number % 2 == 1 ? objects / 2 : objects;
  }
};

/// Squares with gaps between them, at most half of a cell of the grid wide, in `frames` frames; a step is one pixel.
/// Throws std::invalid_argument when so many do not fit.
grid_film make_grid_film(std::int64_t side, int objects, int frames);

/// The same, but every second frame has only the first half of the objects.
grid_film make_changing_film(std::int64_t side, int objects, int frames);

/// Options for such a film, with a slot for each of its frames.
track_options options_for(const grid_film& film);

/// Compares ids, events and tables of both engines on three rounds of the film. Throws std::runtime_error.
void check_film(engine& on, const grid_film& film, const track_options& options);

/// Where the frames of a film are that is pushed: in memory of the stream, which was acquired; in memory of the caller that is pinned; or
/// in other memory of the caller.
enum class frame_source { in_place, pinned, pageable };

/// Copies of frames, all of one size, in pinned memory.
class pinned_frames {
 public:
  explicit pinned_frames(const std::vector<std::vector<std::uint8_t>>& frames);
  pinned_frames(const pinned_frames&) = delete;
  pinned_frames& operator=(const pinned_frames&) = delete;
  ~pinned_frames();
  [[nodiscard]] const std::uint8_t* pixels(std::uint64_t number) const { return memory_ + number % count_ * bytes_; }

 private:
  std::size_t count_, bytes_;  // of a frame
  std::uint8_t* memory_ = nullptr;
};

struct stream_plan {
  std::uint64_t frames = 4000;
  double rate = 0;  // frames per second, or 0 for as many as the stream takes
  frame_source source = frame_source::in_place;
};

struct stream_figures {
  double frames_per_second = 0, objects = 0, bytes = 0;  // means of a result
  std::vector<double> delays;                            // microseconds from push to result, sorted
  std::uint64_t late = 0;                                // frames that took more than 5 ms

  [[nodiscard]] double quantile(double share) const {
    return delays[static_cast<std::size_t>(share * static_cast<double>(delays.size() - 1))];
  }
};

/// Streams a film. The first frames are not counted.
stream_figures time_stream(engine& on, const grid_film& film, const track_options& options, const stream_plan& plan);

}  // namespace skerry::bench
