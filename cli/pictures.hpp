// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/options.hpp"
#include "io/axes.hpp"
#include "io/image_file.hpp"
#include "skerry/image.hpp"

namespace skerry::cli {

/// What is labelled as one: an image, a volume, or a stack of frames.
struct picture {
  std::string name;  // as the user wrote it
  io::image pixels;
  bool is_stack = false;                      // every slice is an image of its own
  std::optional<pixel_spacing> spacing = {};  // of a frame, all sides known

  [[nodiscard]] std::int64_t frames() const { return is_stack ? pixels.size.depth : 1; }
  [[nodiscard]] image_view frame(std::int64_t index) const { return is_stack ? pixels.slice(index) : pixels.view(); }
  /// What an image of the same pixels says of itself.
  [[nodiscard]] io::stack_form form() const;
};

/// The images that are measured under a picture.
struct intensity_images {
  std::vector<const picture*> channels;  // none: nothing is measured
  bool numbered = false;                 // names of columns end with the number of the channel, even of one

  [[nodiscard]] std::optional<dtype> type() const {
    return channels.empty() ? std::nullopt : std::optional(channels.front()->pixels.type);
  }
  /// The number of channels that names tell, as in table_sources.
  [[nodiscard]] std::size_t count() const { return numbered ? channels.size() : 0; }
  /// One frame of the only channel, if it has no number; else without data.
  [[nodiscard]] image_view one(std::int64_t frame) const {
    return numbered || channels.empty() ? image_view{} : channels.front()->frame(frame);
  }
  /// One frame of each channel, if they have numbers.
  [[nodiscard]] std::vector<image_view> several(std::int64_t frame) const;
};

/// How many pictures the inputs are, and the name of each: one per file, or one in all with --volume.
[[nodiscard]] std::vector<std::string> picture_names(const input_options& options);

/// Reads the picture of that index. Throws io::file_error.
[[nodiscard]] picture read_one(const input_options& options, std::size_t index);

/// Reads one file as a picture, with the page, channel and stack options of the inputs.
[[nodiscard]] picture read_file(const input_options& options, const std::string& path);

/// Finds the size of its pixels, and what the user should know of it. Throws io::file_error.
void describe(const input_options& options, picture& of);

/// Tells what is to be known of a file, unless the user wants quiet.
void print_note(const console& to, bool quiet, const picture& of);

}  // namespace skerry::cli
