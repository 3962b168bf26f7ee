// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/track_job.hpp"
#include "skerry/image.hpp"
#include "skerry/measure.hpp"

namespace skerry::cli {

/// Where frames come from.
class frame_source {
 public:
  frame_source() = default;
  frame_source(const frame_source&) = delete;
  frame_source& operator=(const frame_source&) = delete;
  virtual ~frame_source() = default;

  /// The next frame, which is good until the next call; nothing after the last, or when SIGINT or SIGTERM has ended a source
  /// of raw frames. Throws io::file_error for what cannot be read instead of a frame; others may follow.
  [[nodiscard]] virtual std::optional<image_view> next() = 0;
  /// The colours of the last frame, height x width x 3 and dense, if it has any; good as long as the frame.
  [[nodiscard]] virtual std::optional<image_view> colours() const { return {}; }
  /// The size of a pixel of the last frame, if it is known.
  [[nodiscard]] virtual std::optional<pixel_spacing> spacing() const = 0;
  /// What the last frame came from, for messages.
  [[nodiscard]] virtual std::string name() const = 0;
};

/// Raw frames of the size and type of the options. Throws io::file_error.
[[nodiscard]] std::unique_ptr<frame_source> open_raw_frames(const track_job& job);

/// Files, folders, raw frames or the demo. Throws usage_error and io::file_error.
[[nodiscard]] std::unique_ptr<frame_source> open_frames(const track_job& job);

}  // namespace skerry::cli
