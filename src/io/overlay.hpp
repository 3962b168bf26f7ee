// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "io/palette.hpp"
#include "skerry/image.hpp"

namespace skerry::io {

/// Paints components over the image they come from: the image where there is none, tinted inside, an outline of full
/// colour on the border pixels of each component.
///
///   image   rank 2, grey; or height x width x 3, red, green and blue. Shown as it is when it is uint8, else stretched
///           between its 0.5 % and 99.5 % quantiles, all colours alike
///   from    the colours of labels; those of a map cover the image, and show the rest of it as a sea
///   labels  rank 2 of the same height and width, u8, u16, u32 or u64
///
/// Returns rows of 8-bit RGB.
[[nodiscard]] std::vector<std::uint8_t> paint_overlay(const image_view& image, const image_view& labels,
                                                      palette from = palette::vivid);

}  // namespace skerry::io
