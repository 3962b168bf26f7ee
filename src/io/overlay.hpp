// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "skerry/image.hpp"

namespace skerry::io {

/// The colour of a label: the same in every picture, far from those of the labels next to it in number.
[[nodiscard]] std::array<std::uint8_t, 3> label_colour(std::uint64_t label);

/// Paints components over the image they come from: grey where there is none, tinted inside, an outline of full colour
/// on the border pixels of each component.
///
///   image   rank 2; shown as it is when it is uint8, else stretched between its 0.5 % and 99.5 % quantiles
///   labels  rank 2 of the same extent, u8, u16, u32 or u64
///
/// Returns rows of 8-bit RGB.
[[nodiscard]] std::vector<std::uint8_t> paint_overlay(const image_view& image, const image_view& labels);

}  // namespace skerry::io
