// SPDX-License-Identifier: Apache-2.0
// Streams on a CUDA device next to the same on the CPU.
#pragma once
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

inline void expect_as_on_cpu(const track_options& options, const std::vector<mask>& frames, const std::string& name) {
  engine on = engine::cpu(1);
  expect_same(track(gpu(), options, frames), track(on, options, frames), name);
}

}  // namespace skerry::test
