// SPDX-License-Identifier: Apache-2.0
#include "io/grey.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "core/pixel_type.hpp"
#include "io/file_error.hpp"
#include "io/half.hpp"

namespace skerry::io {
namespace {

double number(float16_bits pixel) { return from_half(pixel.bits); }
template <class Pixel>
double number(Pixel pixel) {
  return static_cast<double>(pixel);
}

template <class Pixel, class Grey = Pixel>
void mix(const std::byte* colours, std::byte* grey, std::int64_t count) {
  const auto* from = reinterpret_cast<const Pixel*>(colours);
  auto* to = reinterpret_cast<Grey*>(grey);
  for (std::int64_t i = 0; i < count; ++i) {
    const double luma =
        0.2125 * number(from[3 * i]) + 0.7154 * number(from[3 * i + 1]) + 0.0721 * number(from[3 * i + 2]);
    to[i] = static_cast<Grey>(std::is_integral_v<Grey> ? std::nearbyint(luma) : luma);
  }
}

}  // namespace

std::string channel_remedy(const read_options& options, const std::string& others) {
  return fmt::format("choose a channel with {} N (the first is 0){}{}", options.channel_option, others,
                     options.all_channels ? ", or take all of them with " + options.channel_option + " all" : "");
}

grey_rule choose_channels(int channels, bool last_is_alpha, int chosen, const std::string& name,
                          const read_options& options) {
  if (chosen >= 0) {
    if (chosen >= channels)
      throw file_error(name, fmt::format("has no channel {}: it has {}, the first is 0", chosen, channels));
    return {chosen, chosen + 1, ""};
  }
  const int colours = channels - (channels > 1 && last_is_alpha ? 1 : 0);
  if (colours == 1) return {0, 1, ""};
  if (colours == 3) return {0, 3, ""};
  if (options.survey) return {0, 1, fmt::format("has {} channels that are not colours; channel 0 is read", channels)};
  throw file_error(name, fmt::format("has {} channels; {}", channels, channel_remedy(options)));
}

dtype grey_type(dtype colours, const std::string& name) {
  if (colours == dtype::u64 || colours == dtype::i64)
    throw file_error(
        name, fmt::format("has colours of {}; choose a channel by its number, the first is 0", name_of(colours)));
  return colours == dtype::f16 ? dtype::f32 : colours;
}

void mix_colours(dtype type, const std::byte* colours, std::byte* grey, std::int64_t count) {
  with_pixel_type(type, [&]<class Pixel>(pixel_type<Pixel>) {
    if constexpr (std::is_same_v<Pixel, float16_bits>) mix<float16_bits, float>(colours, grey, count);
    else if constexpr (sizeof(Pixel) == 8 && std::is_integral_v<Pixel>)
      throw std::logic_error("colours of such a type are refused before they are read");
    else mix<Pixel>(colours, grey, count);
  });
}

colour_pages::colour_pages(image& read, const grey_rule& rule, const extent& page_size, const read_options& options,
                           const std::string& name)
    : page_bytes_(3 * page_size.pixels() * static_cast<std::int64_t>(size_of(read.colour_type))),
      keeps_(options.keep_colours) {
  if (!rule.mixes()) return;
  const extent& held = keeps_ ? read.size : page_size;
  std::unique_ptr<std::byte[]>& room = keeps_ ? read.colours : one_page_;
  room = allocate_pixels(name, read.colour_type, extent(3 * held.depth, held.height, held.width));
  begin_ = room.get();
}

}  // namespace skerry::io
