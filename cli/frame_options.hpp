// SPDX-License-Identifier: Apache-2.0
// Frames that are not image files.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace skerry::cli {

struct frame_options {
  std::int64_t width = 0, height = 0;  // of raw frames, and of the demo
  std::string dtype = "u8";            // of raw frames
  bool demo = false;
  std::uint32_t seed = 1;   // of the demo
  std::uint64_t limit = 0;  // frames; 0 is no limit
};

/// --width, --height and --dtype.
[[nodiscard]] std::vector<CLI::Option*> add_raw_frame_options(CLI::App& command, frame_options& frames);

}  // namespace skerry::cli
