// SPDX-License-Identifier: Apache-2.0
// Streams on a CUDA device next to the same on the CPU.
#pragma once
#include <random>
#include <string>
#include <vector>

#include "cuda/device_image.hpp"
#include "film.hpp"
#include "support/engines.hpp"

namespace skerry::test {

inline engine& gpu() {
  static engine on = engine::cuda();
  return on;
}

/// A random film in which some frames are one that was before, whose objects need no new ids if ids have run out since.
inline std::vector<mask> film_with_repeats(const extent& size) {
  std::mt19937 draw(8);
  std::vector<mask> frames = random_film(size, draw, 30);
  for (std::size_t i = 10; i < frames.size(); i += 4) frames[i] = frames[9];
  return frames;
}

inline void expect_as_on_cpu(const track_options& options, const std::vector<mask>& frames, const std::string& name) {
  engine on = engine::cpu(1);
  expect_same(track(gpu(), options, frames), track(on, options, frames), name);
}

}  // namespace skerry::test
