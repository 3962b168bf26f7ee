// SPDX-License-Identifier: Apache-2.0
// Frames of a stream of trees that are on their way on a device at the same time.
#pragma once
#include <memory>

#include "core/portable.hpp"
#include "engine/engine_state.hpp"
#include "skerry/tree_stream.hpp"

namespace skerry {

class frames_on_device {
 public:
  virtual ~frames_on_device() = default;
  [[nodiscard]] virtual int device() const = 0;
  /// Begins with a frame, maybe after waiting for another. All has been checked. Throws out_of_memory; device_error.
  virtual void start(u64 number, const image_view& frame, u64 least_area, bool top_hat,
                     const mutable_image& output) = 0;
  [[nodiscard]] virtual bool is_done(u64 number) = 0;
  /// Waits until a frame that is on its way is done. Returns the raster index of its first NaN, or -1.
  virtual i64 wait(u64 number) = 0;
};

std::unique_ptr<frames_on_device> make_frames_on_device(const engine::state& on, const tree_stream_options& options);

}  // namespace skerry
