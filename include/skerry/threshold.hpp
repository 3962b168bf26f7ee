// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "skerry/engine.hpp"
#include "skerry/image.hpp"

namespace skerry {

/// Otsu's threshold of an image: the value t that splits the pixels into <= t and > t with the largest variance between
/// the two classes, the smallest t among equals.
///
///   image  in host memory, any dtype but bit, any strides, at least one pixel
///
/// Integer types have one bin per value (256 bins when the values span 65536 or more), float types 256 bins from
/// the smallest to the largest finite value; t is the centre of its bin. An image of one value gives that value.
/// The result is that of scikit-image's threshold_otsu, up to rounding of sums, except for values that span 65536 or more,
/// which have a bin each there; f16 counts as f32. Integers of 64 bits have 256 bins as well when one lies outside ±(2^53 -
/// 1); one that no double holds counts as the next double above it.
/// Throws invalid_argument naming the argument, also when no pixel is finite.
/// Scratch: 16 bytes per bin. Cost: two reads of `image`.
/// Method: docs/papers.md [Otsu1979].
[[nodiscard]] double otsu_threshold(const image_view& image);

/// The same, as a call of an engine that can be stopped (engine::set_stop_token); it runs on one thread of the host.
[[nodiscard]] double otsu_threshold(engine& on, const image_view& image);

/// The smallest and the largest finite value of an image, or of the blocks of one; without such values `least` is above `most`.
struct value_range {
  double least = std::numeric_limits<double>::infinity();  // the smallest one
  double most = -std::numeric_limits<double>::infinity();  // the largest one

  /// The range of both.
  friend value_range join(const value_range& a, const value_range& b) {
    return {a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most};
  }
};

/// The range of one block of an image, for count_values(). Arguments, errors and cost as otsu_threshold(); a block may have no pixels.
[[nodiscard]] value_range range_of_values(const image_view& block);

/// How many pixels of a block are in each bin that Otsu's method has for an image of this range. Counts of blocks add up.
///
///   block  as in otsu_threshold()
///   range  of all blocks, joined
///
/// Returns a count for each bin; none for an empty range. Throws as otsu_threshold(); also invalid_argument for values outside
/// the range. Scratch: 24 bytes per bin. Cost: two reads of `block`.
[[nodiscard]] std::vector<std::uint64_t> count_values(const image_view& block, const value_range& range);

/// Otsu's threshold of an image in blocks: that of one call for the whole image, bit for bit.
///
///   type    of the image
///   range   of all blocks, joined
///   counts  the sums over all blocks of what count_values() returned, bin by bin
///
/// Throws invalid_argument when no pixel is finite, or the counts are not of this type and range.
[[nodiscard]] double otsu_threshold(dtype type, const value_range& range, const std::vector<std::uint64_t>& counts);

}  // namespace skerry
