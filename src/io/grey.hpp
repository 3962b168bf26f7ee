// SPDX-License-Identifier: Apache-2.0
// How the channels of a file become one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "skerry/image.hpp"

namespace skerry::io {

struct grey_rule {
  int begin = 0, end = 1;  // channels to read
  [[nodiscard]] bool mixes() const { return end - begin == 3; }
};

/// One channel is taken as it is, three colours are mixed; alpha, if it is the last, is ignored.
///   chosen  the channel that the user wants, or below 0
/// Throws file_error when there is no such channel, or another number of colours.
[[nodiscard]] grey_rule choose_channels(int channels, bool last_is_alpha, int chosen, const std::string& name);

/// Rec. 709 luma of interleaved red, green and blue: 0.2125 R + 0.7154 G + 0.0721 B, in the units of the type and
/// rounded to it. The weights sum to 1, so that grey stays what it was.
void mix_colours(dtype type, const std::byte* colours, std::byte* grey, std::int64_t count);

}  // namespace skerry::io
