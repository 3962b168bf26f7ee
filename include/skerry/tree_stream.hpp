// SPDX-License-Identifier: Apache-2.0
// Max-trees of a video: feed in frames; get each of them filtered, with a threshold that may change from frame to frame.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "skerry/engine.hpp"
#include "skerry/image.hpp"
#include "skerry/max_tree.hpp"

namespace skerry {

/// What a stream of trees consists of.
struct tree_stream_options {
  extent size;                   // of every frame, rank 2 or 3; fewer than 2^31 pixels
  dtype type = dtype::u8;        // of every frame, as build() takes them
  tree_options tree;             // of every frame
  attribute_options attributes;  // measured besides the area, for filters by them
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

  /// Builds the tree of a frame and measures its nodes.
  ///   frame  of the size and type of the options, any strides; where build() takes it from
  /// Throws what build() and measure() throw, and invalid_argument for a frame of another size or type. The tree is then
  /// empty, unless the frame was refused; the stream goes on.
  /// Scratch: that of build() and measure(). Cost: the same.
  void push(const image_view& frame);

  /// Writes what a filter leaves of the last frame; as often as wanted, each time with another threshold.
  ///   by      what is dropped
  ///   output  as filter() takes it
  /// Throws invalid_argument naming the argument, also when there is no frame; out_of_memory.
  /// Scratch: that of filter(); 8 bytes per node for columns. Cost: that of filter().
  void write(const frame_filter& by, const mutable_image& output);

  /// Frames that were taken.
  [[nodiscard]] std::uint64_t frames() const noexcept { return frames_; }
  /// The tree of the last of them.
  [[nodiscard]] const max_tree& tree() const noexcept { return tree_; }
  /// Its attributes.
  [[nodiscard]] const attribute_table& table() const noexcept { return table_; }

 private:
  engine* on_;
  tree_stream_options options_;
  std::uint64_t frames_ = 0;
  max_tree tree_;
  attribute_table table_;
};

}  // namespace skerry
