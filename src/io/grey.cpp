// SPDX-License-Identifier: Apache-2.0
#include "io/grey.hpp"

#include <fmt/format.h>

#include <cmath>
#include <type_traits>

#include "io/file_error.hpp"

namespace skerry::io {
namespace {

template <class Pixel>
void mix(const std::byte* colours, std::byte* grey, std::int64_t count) {
  const auto* from = reinterpret_cast<const Pixel*>(colours);
  auto* to = reinterpret_cast<Pixel*>(grey);
  for (std::int64_t i = 0; i < count; ++i) {
    const double luma = 0.2125 * static_cast<double>(from[3 * i]) + 0.7154 * static_cast<double>(from[3 * i + 1]) +
                        0.0721 * static_cast<double>(from[3 * i + 2]);
    to[i] = static_cast<Pixel>(std::is_integral_v<Pixel> ? std::nearbyint(luma) : luma);
  }
}

}  // namespace

grey_rule choose_channels(int channels, bool last_is_alpha, int chosen, const std::string& name) {
  if (chosen >= 0) {
    if (chosen >= channels)
      throw file_error(name, fmt::format("has no channel {}: it has {}, the first is 0", chosen, channels));
    return {chosen, chosen + 1};
  }
  const int colours = channels - (channels > 1 && last_is_alpha ? 1 : 0);
  if (colours == 1) return {0, 1};
  if (colours == 3) return {0, 3};
  throw file_error(name, fmt::format("has {} channels; choose one by its number, the first is 0", channels));
}

void mix_colours(dtype type, const std::byte* colours, std::byte* grey, std::int64_t count) {
  switch (type) {
    case dtype::boolean:
    case dtype::u8: return mix<std::uint8_t>(colours, grey, count);
    case dtype::u16: return mix<std::uint16_t>(colours, grey, count);
    case dtype::u32: return mix<std::uint32_t>(colours, grey, count);
    case dtype::i16: return mix<std::int16_t>(colours, grey, count);
    case dtype::i32: return mix<std::int32_t>(colours, grey, count);
    case dtype::f32: return mix<float>(colours, grey, count);
    default: return mix<double>(colours, grey, count);
  }
}

}  // namespace skerry::io
