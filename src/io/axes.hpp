// SPDX-License-Identifier: Apache-2.0
// What the pages of a stack are, as the file that holds them says, and the size of its pixels.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "skerry/measure.hpp"

namespace skerry::io {

/// What lies along the third axis of an image.
enum class slice_axis : std::uint8_t { unknown, space, time };

/// What an image file says of itself.
struct stack_form {
  slice_axis axis = slice_axis::unknown;
  pixel_spacing spacing = {0, 0, 0, {}};  // a side of 0 is not known
};

/// The planes of a stack: T time points of Z slices of C channels.
struct stack_axes {
  std::string source;  // who says so: "ImageJ" or "OME"
  std::int64_t frames = 1, slices = 1, channels = 1;
  std::vector<std::string> channel_names;  // one for each channel, or none
  std::vector<std::int64_t> directories;   // of plane (t * slices + z) * channels + c from 0 up; none: 0, 1, 2, …
  pixel_spacing spacing = {0, 0, 0, {}};   // a side of 0 is not known
  std::string note;                        // what was left out because it cannot be read

  [[nodiscard]] std::int64_t planes() const { return frames * slices * channels; }
  [[nodiscard]] std::int64_t directory(std::int64_t frame, std::int64_t slice, std::int64_t channel) const {
    const std::int64_t plane = (frame * slices + slice) * channels + channel;
    return directories.empty() ? plane : directories[static_cast<std::size_t>(plane)];
  }
};

/// A unit of length as letters that names of columns can have: "um" for "µm", "micron" and ImageJ's "\u00B5m". Empty for
/// pixels and for what is no word of letters.
[[nodiscard]] std::string unit_name(std::string_view text);

/// How many picometres a unit of unit_name() has; 0 when it is no metric unit and no inch.
[[nodiscard]] double picometres_of(const std::string& unit);

/// Sides z, y, x, each with a unit, all in the unit of x. A side is 0, not known, when its unit cannot be converted, and all
/// are when x is not known or its unit has no name.
[[nodiscard]] pixel_spacing in_one_unit(const double (&sides)[3], const std::string (&units)[3]);

/// Text that is a whole number from `least` up, and nothing else; below `least` for any other.
[[nodiscard]] std::int64_t whole_number_of(std::string_view text, std::int64_t least);

/// Lengths of pixels that are taken: sums of areas and moments in units stay finite numbers.
inline constexpr double least_length = 1e-50, greatest_length = 1e50;

/// Text that is a number from `least_length` to `greatest_length`, and nothing else; 0 for any other.
[[nodiscard]] double length_of(std::string_view text);

/// "0.5 x 0.1 x 0.1 um": slices, rows, columns; "?" for a side that is not known, empty when none is.
[[nodiscard]] std::string text_of(const pixel_spacing& spacing, bool has_slices);

/// "T 5, Z 3, C 2 (DAPI, GFP)": the axes of more than one plane.
[[nodiscard]] std::string text_of(const stack_axes& axes);

}  // namespace skerry::io
