// SPDX-License-Identifier: Apache-2.0
// The reference engine's inheritance of ids: the definition of inherit_options, from label images.
#pragma once
#include <cstdint>
#include <vector>

#include "skerry/track.hpp"

namespace skerry::reference {

class inheritance {
 public:
  explicit inheritance(const inherit_options& options) : options_(options), next_id_(options.first_id) {}

  /// Names the components of the next frame.
  ///   labels   of each pixel, 0 or 1…count
  ///   objects  out, in label order
  ///   events   out, in the order of frame_result
  /// Throws invalid_argument when ids are used up; the ids are then as they were.
  void step(std::uint64_t frame, const std::vector<std::uint32_t>& labels, std::uint64_t count,
            table_rows<tracked_object>& objects, table_rows<track_event>& events);

 private:
  // An id, and the pixels where it was seen last.
  struct identity {
    std::uint32_t id = 0;
    std::uint64_t born = 0;
    std::vector<std::size_t> pixels;
    bool merged = false;            // of remembered ones
    std::uint32_t frames_left = 0;  // of remembered ones
  };

  inherit_options options_;
  std::uint64_t next_id_;
  std::vector<identity> seen_;        // in the frame before
  std::vector<identity> remembered_;  // the others
};

}  // namespace skerry::reference
