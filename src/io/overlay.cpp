// SPDX-License-Identifier: Apache-2.0
#include "io/overlay.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "core/pixel_type.hpp"
#include "io/half.hpp"

namespace skerry::io {
namespace {

using colour = std::array<std::uint8_t, 3>;

constexpr double tint = 0.50;     // share of the colour inside a component
constexpr double darkest = 0.55;  // of the tint's colour, where the image is black: texture stays visible

std::uint8_t to_byte(double value) { return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0))); }

template <class Work>
void with_label(dtype type, Work work) {
  switch (type) {
    case dtype::u8: return work(std::uint8_t{});
    case dtype::u16: return work(std::uint16_t{});
    case dtype::u32: return work(std::uint32_t{});
    case dtype::u64: return work(std::uint64_t{});
    default:
      throw std::invalid_argument(std::string("overlay: labels of type ") + name_of(type) + " cannot be painted");
  }
}

template <class Pixel>
Pixel pixel_at(const image_view& image, std::int64_t y, std::int64_t x) {
  Pixel value;
  std::memcpy(&value, static_cast<const std::byte*>(image.data) + y * image.strides.y + x * image.strides.x,
              sizeof value);
  return value;
}

// What is painted on: grey, or red, green and blue.
struct ground_view {
  explicit ground_view(const image_view& image)
      : data(static_cast<const std::byte*>(image.data)), type(image.type),
        height(image.size.rank == 3 ? image.size.depth : image.size.height),
        width(image.size.rank == 3 ? image.size.height : image.size.width), channels(image.size.rank == 3 ? 3 : 1),
        row_stride(image.size.rank == 3 ? image.strides.z : image.strides.y),
        column_stride(image.size.rank == 3 ? image.strides.y : image.strides.x),
        channel_stride(image.size.rank == 3 ? image.strides.x : 0) {}

  template <class Pixel>
  [[nodiscard]] double at(std::int64_t y, std::int64_t x, int channel) const {
    Pixel value;
    std::memcpy(&value, data + y * row_stride + x * column_stride + channel * channel_stride, sizeof value);
    return static_cast<double>(value);
  }

  const std::byte* data;
  dtype type;
  std::int64_t height, width;
  int channels;
  std::int64_t row_stride, column_stride, channel_stride;
};

// A float16 pixel as a number.
struct half {
  std::uint16_t bits = 0;
  explicit operator double() const { return from_half(bits); }
};

struct shown_range {
  double low = 0, high = 255;
};

// Quantiles of some million samples on a regular grid, the same for all channels, or hues would change; what is not finite
// does not count.
template <class Pixel>
shown_range stretched(const ground_view& image) {
  constexpr double wanted = 1e6;
  const auto step = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::sqrt(static_cast<double>(image.height * image.width) / wanted)));
  std::vector<double> sample;
  for (std::int64_t y = 0; y < image.height; y += step)
    for (std::int64_t x = 0; x < image.width; x += step)
      for (int channel = 0; channel < image.channels; ++channel)
        if (const double value = image.at<Pixel>(y, x, channel); std::isfinite(value)) sample.push_back(value);
  if (sample.empty()) return {0, 1};
  std::sort(sample.begin(), sample.end());
  const auto quantile = [&](double share) {
    return sample[static_cast<std::size_t>(share * static_cast<double>(sample.size() - 1))];
  };
  shown_range range{quantile(0.005), quantile(0.995)};
  if (range.high <= range.low) range = {sample.front(), sample.back()};
  if (range.high <= range.low) range.high = range.low + 1;
  return range;
}

// 8-bit red, green and blue.
std::vector<std::uint8_t> ground_bytes(const ground_view& image) {
  std::vector<std::uint8_t> ground;
  ground.reserve(static_cast<std::size_t>(3 * image.height * image.width));
  const auto paint = [&]<class Pixel>(Pixel) {
    shown_range range;
    if (image.type == dtype::boolean) range = {0, 1};
    else if (image.type != dtype::u8) range = stretched<Pixel>(image);
    const double scale = 255 / (range.high - range.low);
    for (std::int64_t y = 0; y < image.height; ++y)
      for (std::int64_t x = 0; x < image.width; ++x)
        for (int channel = 0; channel < 3; ++channel) {
          const double value = (image.at<Pixel>(y, x, std::min(channel, image.channels - 1)) - range.low) * scale;
          ground.push_back(std::isnan(value) ? 0 : to_byte(value));
        }
  };
  if (image.type == dtype::bit) throw std::invalid_argument("overlay: pixels of type bit cannot be painted");
  with_pixel_type(image.type, [&]<class Pixel>(pixel_type<Pixel>) {
    if constexpr (std::is_same_v<Pixel, float16_bits>) paint(half{});
    else paint(Pixel{});
  });
  return ground;
}

double light_of(const std::uint8_t* pixel) { return 0.2125 * pixel[0] + 0.7154 * pixel[1] + 0.0721 * pixel[2]; }

// A pixel inside a component. Land is painted over what was there, other things keep half of their own colour.
void tint_pixel(std::uint8_t* pixel, const colour& paint, palette from) {
  const double light = light_of(pixel), kept = from == palette::map ? 0 : 1 - tint;
  for (std::size_t c = 0; c < 3; ++c) {
    const double shade = paint[c] * (darkest + (1 - darkest) * light / 255);
    pixel[c] = to_byte(kept * pixel[c] + (1 - kept) * shade);
  }
}

template <class Label>
bool is_outline(const image_view& labels, std::int64_t y, std::int64_t x, Label label) {
  const auto differs = [&](std::int64_t j, std::int64_t i) { return pixel_at<Label>(labels, j, i) != label; };
  return (y > 0 && differs(y - 1, x)) || (y + 1 < labels.size.height && differs(y + 1, x)) ||
         (x > 0 && differs(y, x - 1)) || (x + 1 < labels.size.width && differs(y, x + 1));
}

}  // namespace

std::vector<std::uint8_t> paint_overlay(const image_view& image, const image_view& labels, palette from) {
  std::vector<std::uint8_t> picture = ground_bytes(ground_view(image));
  with_label(labels.type, [&]<class Label>(Label) {
    std::uint64_t painted = 0;  // the label of `paint`
    colour paint{};
    for (std::int64_t y = 0; y < labels.size.height; ++y)
      for (std::int64_t x = 0; x < labels.size.width; ++x) {
        const auto label = pixel_at<Label>(labels, y, x);
        std::uint8_t* pixel = &picture[3 * static_cast<std::size_t>(y * labels.size.width + x)];
        if (label == 0) {
          if (from == palette::map) std::ranges::copy(sea_colour(light_of(pixel)), pixel);
          continue;
        }
        if (static_cast<std::uint64_t>(label) != painted) {
          painted = static_cast<std::uint64_t>(label);
          paint = label_colour(painted, from);
        }
        if (is_outline(labels, y, x, label)) std::copy(paint.begin(), paint.end(), pixel);
        else tint_pixel(pixel, paint, from);
      }
  });
  return picture;
}

}  // namespace skerry::io
