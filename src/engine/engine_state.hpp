// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "engine/choice.hpp"
#include "engine/job_scratch.hpp"
#include "engine/stage_clock.hpp"
#include "skerry/engine.hpp"

namespace skerry {

struct worker_threads;

struct engine::state {
  state();
  ~state();

  engine_kind kind = engine_kind::reference;
  int threads = 1;
  int device = 0;          // of the cuda engine; the first of several
  bool automatic = false;  // a cpu engine that passes calls on images in device memory to `on_devices`
  std::vector<std::unique_ptr<state>> on_devices;
  state* last = nullptr;  // did the last call; nothing is this one
  call_choice choice;     // of the last call
  std::stop_token stop;   // asks calls to end
  bool profiling = false;
  stage_clock clock;
  int useful_threads = 1;                   // of `threads`: more than processors would only take turns
  std::unique_ptr<worker_threads> workers;  // started when they are needed first
  std::unique_ptr<job_scratch> label_scratch, published_scratch, tree_scratch, device_tree_scratch,
      published_tree_scratch, region_scratch, column_scratch;

  // Work smaller than this is not worth another thread. Tests lower both to split small images.
  std::int64_t least_pixels_per_strip = 1 << 15;
  std::int64_t least_shared_nanoseconds = 40000;

  // Threads take 1 ms to start. Until the images of all calls have as many pixels as so many least strips, one thread does the work of
  // several on labels.
  static constexpr std::int64_t least_strips_to_start = 64;
  std::int64_t pixels_of_labels = 0;
  bool spares_threads = false;  // while it does

  // Sums of regions of so many bytes, and of 16 bytes a pixel, are worth making for several threads. Tests lower it.
  std::int64_t free_bytes_of_shares = std::int64_t{64} << 20;

  // A label image of so many bytes, or columns of twice as many, are more than caches hold. Tests lower it.
  std::int64_t least_streamed_bytes = std::int64_t{4} << 20;

  // Of several devices: which were named, and their scratch. Smaller images stay on one of them; slabs have so many layers, or
  // as many as is best; their tables stay on the device from pass to pass. Tests set the last three.
  std::vector<int> devices;
  std::unique_ptr<job_scratch> slab_scratch;
  std::int64_t least_pixels_of_slabs = std::int64_t{1} << 22;
  std::int64_t layers_of_slab = 0;
  bool keeps_slabs = true;

  [[nodiscard]] const stage_clock& clock_of_last() const { return last == nullptr ? clock : last->clock; }
};

// The state of a new engine on a device. Throws device_error where there is no such device, and invalid_argument for a number of
// threads that is out of range.
[[nodiscard]] std::unique_ptr<engine::state> state_on_device(int device, int threads);

}  // namespace skerry
