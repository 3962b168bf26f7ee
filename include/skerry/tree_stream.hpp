// SPDX-License-Identifier: Apache-2.0
// Max-trees of a video: feed in frames; get each of them filtered, with a threshold that may change from frame to frame.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "skerry/engine.hpp"
#include "skerry/image.hpp"
#include "skerry/max_tree.hpp"

namespace skerry {

class frames_on_device;

/// What a stream of trees consists of.
struct tree_stream_options {
  extent size;                   // of every frame, rank 2 or 3; fewer than 2^31 pixels
  dtype type = dtype::u8;        // of every frame, as build() takes them
  tree_options tree;             // of every frame
  attribute_options attributes;  // measured besides the area, for filters by them
  int in_flight = 3;             // frames that start() may have on their way on a GPU at the same time, 1 to 64
};

/// What is dropped from a frame.
struct frame_filter {
  /// By which numbers: areas, a column of the attribute table, or the height of extrema.
  enum class kind : std::uint8_t { area, column, extrema };

  kind by = kind::area;     // the numbers
  double least = 0;         // nodes of less are dropped; of extrema: what is cut off, as `h` of extrema_filter()
  std::string column = {};  // its name, of attribute_table::column_names()
  filter_options how = {};  // extrema: of the rule nothing is used
};

/// Builds the tree of one frame after the other, in memory that is kept, and filters them.
///
/// On one thread, with filters by area or extrema, a frame with no more nodes than an earlier one allocates nothing. A pool of
/// threads may allocate for itself.
class tree_stream {
 public:
  /// Begins a stream.
  ///   on       engine; it outlives the stream, and may be used for other work between its calls
  ///   options  fixed for the life of the stream
  /// Throws invalid_argument naming the argument.
  tree_stream(engine& on, const tree_stream_options& options);
  /// Takes a stream over, with the frames that are on their way.
  tree_stream(tree_stream&&) noexcept;
  /// Takes a stream over, and ends its own.
  tree_stream& operator=(tree_stream&&) noexcept;
  /// Waits for frames that are on their way; what they would have written is not to be used.
  ~tree_stream();

  /// Builds the tree of a frame and measures its nodes.
  ///   frame  of the size and type of the options, any strides; where build() takes it from
  /// Throws what build() and measure() throw, and invalid_argument for a frame of another size or type. The tree is then
  /// empty, unless the frame was refused; the stream goes on.
  /// Scratch: that of build() and measure(). Cost: the same.
  void push(const image_view& frame);

  /// Writes what a filter leaves of the last frame; as often as wanted, each time with another threshold.
  ///   by      what is dropped
  ///   output  as filter() takes it
  /// Throws invalid_argument naming the argument, also when there is no frame, or the last one was started on a GPU; out_of_memory.
  /// Scratch: that of filter(); 8 bytes per node for columns. Cost: that of filter().
  void write(const frame_filter& by, const mutable_image& output);

  /// Takes a frame and writes what a filter leaves of it, both of push() and write(), maybe after this call.
  ///
  /// On a GPU, filters by area whose rule is not filter_rule::subtractive stay on the device: the frame is uploaded, its tree is
  /// built with areas and filtered, and the output is downloaded, while up to `in_flight` - 1 earlier frames are on their way. If there
  /// are more, this waits for the oldest. All else is done when this returns.
  ///   frame   as in push(). Pinned and device memory must stay as it is until wait() has returned for this frame; other memory of the
  ///           host may be used again at once. What writes to device memory must have ended
  ///   by      as in write(), for this frame
  ///   output  as in write(), or device memory where the frame is uploaded or lies there; of use when wait() has returned, until when
  ///           it must stay
  /// Returns the frame's number, from 0. A frame of which this throws has none.
  /// Throws what push() and write() throw, but for pixels without a level, which wait() tells; device_error.
  /// Scratch on a GPU: for each frame in flight its bytes and those of the output, on the device and pinned, and on the device 16
  /// bytes per pixel of u8, 22 of wider types. Cost: on the host, copies of frames and outputs that are not in pinned memory.
  std::uint64_t start(const image_view& frame, const frame_filter& by, const mutable_image& output);

  /// Waits until the output of a frame that was started is written.
  ///   number  of start()
  /// Throws invalid_argument for a frame that there was not, and for one with a pixel without a level, such as NaN, whose output is then of
  /// no use; device_error. The stream goes on.
  void wait(std::uint64_t number);

  /// Whether wait() would return at once. Errors as those of wait(), but for pixels without a level.
  [[nodiscard]] bool is_done(std::uint64_t number);

  /// Frames that were taken.
  [[nodiscard]] std::uint64_t frames() const noexcept { return frames_; }
  /// The tree of the last of them; empty where that is on its way on a GPU.
  [[nodiscard]] const max_tree& tree() const noexcept { return tree_; }
  /// Its attributes.
  [[nodiscard]] const attribute_table& table() const noexcept { return table_; }

 private:
  engine* on_;
  tree_stream_options options_;
  std::uint64_t frames_ = 0;
  max_tree tree_;
  attribute_table table_;
  std::unique_ptr<frames_on_device> on_device_;
};

}  // namespace skerry
