// SPDX-License-Identifier: Apache-2.0
// The colours of labels in pictures.
#pragma once
#include <array>
#include <cstdint>

namespace skerry::io {

/// vivid: every hue. map: greens and ochres, for land; what is black beside it is shown as a dark sea.
enum class palette : std::uint8_t { vivid, map };

/// The colour of a label: the same in every picture, far from those of the labels next to it in number.
[[nodiscard]] std::array<std::uint8_t, 3> label_colour(std::uint64_t label, palette from = palette::vivid);

/// Brightens the darkest colour of a map's sea by a grey value.
[[nodiscard]] std::array<std::uint8_t, 3> sea_colour(double grey);

}  // namespace skerry::io
