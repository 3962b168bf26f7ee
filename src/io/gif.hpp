// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "io/pending_file.hpp"

namespace skerry::io {

/// Throws file_error when a GIF cannot be that large: 65535 pixels to a side.
void check_gif_size(const pending_file& to, std::int64_t height, std::int64_t width);

/// Writes frames of 8-bit RGB pixels as an animated GIF that plays again and again. All frames share one palette of 255
/// colours, and keep the pixels that do not change.
///   frames             one or more, each of 3 · height · width bytes
///   frames_per_second  1…50; GIF counts hundredths of a second, so some rates are rounded
/// Throws file_error, also as check_gif_size(). The caller commits `to`.
/// Method: median cut (P. Heckbert: Color image quantization for frame buffer display, SIGGRAPH 1982) on colours of 15
/// bits; LZW.
void write_gif(pending_file& to, const std::vector<std::vector<std::uint8_t>>& frames, std::int64_t height,
               std::int64_t width, int frames_per_second);

}  // namespace skerry::io
