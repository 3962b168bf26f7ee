// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/track_job.hpp"
#include "skerry/image.hpp"

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
  /// What the last frame came from, for messages.
  [[nodiscard]] virtual std::string name() const = 0;
};

/// The files of folders, by name; other paths as they are. Throws io::file_error.
[[nodiscard]] std::vector<std::string> files_of(const std::vector<std::string>& paths);

/// Files, folders, raw frames or the demo. Throws usage_error and io::file_error.
[[nodiscard]] std::unique_ptr<frame_source> open_frames(const track_job& job);

}  // namespace skerry::cli
