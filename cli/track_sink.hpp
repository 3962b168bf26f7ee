// SPDX-License-Identifier: Apache-2.0
// Where the results of a stream go.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "cli/console.hpp"
#include "cli/frame_colours.hpp"
#include "cli/track_job.hpp"
#include "skerry/track.hpp"

namespace skerry::cli {

class track_sink {
 public:
  track_sink() = default;
  track_sink(const track_sink&) = delete;
  track_sink& operator=(const track_sink&) = delete;
  virtual ~track_sink() = default;

  /// Learns the size of a pixel, if there is one, before the first result.
  virtual void begin(const std::optional<pixel_spacing>&) {}
  /// Takes results in order. Throws io::file_error.
  virtual void take(const frame_result& result) = 0;
  /// Prints what is printed, and writes files to their end, under temporary names. Once, after the last result. Throws
  /// io::file_error.
  virtual void finish() = 0;
  /// Gives the files their names. Once, when every sink has finished.
  virtual void publish() = 0;
};

/// All that the user wants, but for pictures. Files are begun here. Throws usage_error and io::file_error.
[[nodiscard]] std::vector<std::unique_ptr<track_sink>> open_track_tables(const track_job& job, const console& to);

/// The pictures of a stream: a folder of them, a film, the terminal.
///   colours  of the frames that have any; outlives the sinks
[[nodiscard]] std::vector<std::unique_ptr<track_sink>> open_track_pictures(const track_job& job, const console& to,
                                                                           frame_colours& colours);

}  // namespace skerry::cli
