// SPDX-License-Identifier: Apache-2.0
// Streams of trees, by the public calls.
#include "skerry/tree_stream.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/image_checks.hpp"
#include "max_tree/check.hpp"

namespace skerry {
namespace {

// Areas are whole: of less than 3.5 pixels are those of up to 3.
std::uint64_t least_area(double least) {
  if (!(least >= 0)) refuse("by.least: " + std::to_string(least) + " is no area; give a number from 0 up");
  constexpr double beyond_all = 0x1p32;  // an image has fewer pixels
  return static_cast<std::uint64_t>(std::ceil(std::min(least, beyond_all)));
}

}  // namespace

tree_stream::tree_stream(engine& on, const tree_stream_options& options) : on_(&on), options_(options) {
  check_kind(options.tree.kind, options.type, options.size, options.tree.connectivity);
  check_attributes(options.size, options.attributes);
}

void tree_stream::push(const image_view& frame) {
  if (frame.size != options_.size)
    refuse("frame: is " + text_of(frame.size) + ", but the stream is of " + text_of(options_.size));
  if (frame.type != options_.type)
    refuse(std::string("frame: is of ") + name_of(frame.type) + ", but the stream is of " + name_of(options_.type));
  build(*on_, frame, options_.tree, tree_);
  measure(*on_, tree_, options_.attributes, table_);
  ++frames_;
}

void tree_stream::write(const frame_filter& by, const mutable_image& output) {
  if (frames_ == 0) refuse("output: there is no frame to write; push one first");
  switch (by.by) {
    case frame_filter::kind::extrema: return extrema_filter(*on_, tree_, by.least, output, by.how.top_hat);
    case frame_filter::kind::column:
      return filter_at_least(*on_, tree_, table_.column(tree_, by.column), by.least, by.how, output);
    default: break;
  }
  // A node has no less area than those above it, so that only one rule makes a difference.
  if (by.how.rule == filter_rule::subtractive)
    return filter_at_least(*on_, tree_, table_.column(tree_, "area"), by.least, by.how, output);
  area_filter(*on_, tree_, table_, least_area(by.least), output, by.how.top_hat);
}

}  // namespace skerry
