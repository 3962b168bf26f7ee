// SPDX-License-Identifier: Apache-2.0
#pragma once
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

}  // namespace skerry
