// SPDX-License-Identifier: Apache-2.0
// What the user wants tracked, and the library's options for it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "cli/frame_options.hpp"
#include "cli/options.hpp"
#include "skerry/track.hpp"

namespace CLI {
class App;
}

namespace skerry::cli {

struct track_job {
  input_options input;
  std::vector<std::string> files;  // that the inputs stand for; none for raw frames and the demo
  frame_options frames;
  foreground_options foreground;
  double background = -1;  // below 0: not wanted
  std::string side = "bright";
  int adaptation = 5;
  component_options components;
  inherit_options inherit;
  std::string link = "overlap";
  std::uint32_t capacity = 65536;
  int slots = 8;
  std::string when_full = "wait";
  std::optional<std::string> publish;  // mapped
  std::optional<double> margin;        // of track_options
  std::optional<int> patience;         // µs, of track_options
  std::string output, format = "auto", features = "geometry";
  std::string events, napari, overlay, film;
  bool play = false;
  std::optional<int> rate;   // pictures per second; 25
  std::optional<int> trail;  // frames; 40
  engine_options engine;
  bool quiet = false;

  [[nodiscard]] bool wants_pictures() const { return !overlay.empty() || !film.empty() || play; }
};

void add_track_options(CLI::App& command, track_job& job);

/// Throws usage_error for options that CLI11 cannot check.
void check(const track_job& job);

/// The options of a stream whose frames are like this one. Throws usage_error.
[[nodiscard]] track_options stream_options(const track_job& job, const image_view& frame,
                                           const std::optional<pixel_spacing>& spacing);

}  // namespace skerry::cli
