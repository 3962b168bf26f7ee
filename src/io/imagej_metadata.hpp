// SPDX-License-Identifier: Apache-2.0
// ImageJ's lines of text in the first ImageDescription of a TIFF: "ImageJ=1.53t\nimages=6\nchannels=2\nslices=3\n…".
// A pure function of its arguments: whatever the text, it returns or throws std::runtime_error.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "io/axes.hpp"

namespace skerry::io {

[[nodiscard]] bool is_imagej(std::string_view description);

/// What the text says of the pages, in ImageJ's order: channels first, then slices, then time.
///
///   description             begins with "ImageJ="
///   pages                   of the file; 1 with images=N is a stack of which the file lists the first page only
///   x_resolution, y_…       pixels per unit, as the TIFF tags have them; 0 for none
///
/// Images of a number alone are slices. The size of a pixel is known when the text names a unit; the spacing of slices is
/// then 1 unless it is said, as in ImageJ. Directories are 0, 1, 2, … and not listed: there may be 2^31.
/// Throws std::runtime_error with the reason when counts are no numbers or disagree.
[[nodiscard]] stack_axes parse_imagej(std::string_view description, std::int64_t pages, double x_resolution,
                                      double y_resolution);

/// The text for a stack of one channel that ImageJ and parse_imagej() read so, or nothing when there is nothing to say.
[[nodiscard]] std::string make_imagej(slice_axis axis, std::int64_t images, const pixel_spacing& spacing);

}  // namespace skerry::io
