// SPDX-License-Identifier: Apache-2.0
#include "io/overlay.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <stdexcept>

namespace skerry::io {
namespace {

using colour = std::array<std::uint8_t, 3>;

constexpr double tint = 0.50;     // share of the colour inside a component
constexpr double darkest = 0.55;  // of the tint's colour, where the image is black: texture stays visible

std::uint8_t to_byte(double value) { return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0))); }

std::uint8_t gamma_coded(double linear) {
  linear = std::clamp(linear, 0.0, 1.0);
  return to_byte(255.0 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055));
}

// Oklab to sRGB (Ottosson 2020): equal steps in hue look like equal steps, at one lightness.
colour from_oklch(double lightness, double chroma, double hue) {
  const double a = chroma * std::cos(hue), b = chroma * std::sin(hue);
  const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {gamma_coded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          gamma_coded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          gamma_coded(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

template <class Work>
void with_pixel(dtype type, Work work) {
  switch (type) {
    case dtype::boolean:
    case dtype::u8: return work(std::uint8_t{});
    case dtype::u16: return work(std::uint16_t{});
    case dtype::u32: return work(std::uint32_t{});
    case dtype::u64: return work(std::uint64_t{});
    case dtype::i16: return work(std::int16_t{});
    case dtype::i32: return work(std::int32_t{});
    case dtype::f32: return work(float{});
    case dtype::f64: return work(double{});
    case dtype::bit: break;
  }
  throw std::invalid_argument("overlay: packed bits cannot be painted");
}

template <class Pixel>
Pixel pixel_at(const image_view& image, std::int64_t y, std::int64_t x) {
  Pixel value;
  std::memcpy(&value, static_cast<const std::byte*>(image.data) + y * image.strides.y + x * image.strides.x,
              sizeof value);
  return value;
}

struct grey_range {
  double low = 0, high = 255;
};

// Quantiles of at most a million pixels on a regular grid; pixels that are not finite do not count.
template <class Pixel>
grey_range stretched(const image_view& image) {
  constexpr std::int64_t wanted = 1000000;
  const std::int64_t step = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::sqrt(static_cast<double>(image.size.pixels()) / static_cast<double>(wanted))));
  std::vector<double> sample;
  for (std::int64_t y = 0; y < image.size.height; y += step)
    for (std::int64_t x = 0; x < image.size.width; x += step)
      if (const double value = static_cast<double>(pixel_at<Pixel>(image, y, x)); std::isfinite(value))
        sample.push_back(value);
  if (sample.empty()) return {0, 1};
  std::sort(sample.begin(), sample.end());
  const auto quantile = [&](double share) {
    return sample[static_cast<std::size_t>(share * static_cast<double>(sample.size() - 1))];
  };
  grey_range range{quantile(0.005), quantile(0.995)};
  if (range.high <= range.low) range = {sample.front(), sample.back()};
  if (range.high <= range.low) range.high = range.low + 1;
  return range;
}

std::vector<std::uint8_t> grey_bytes(const image_view& image) {
  std::vector<std::uint8_t> grey(static_cast<std::size_t>(image.size.pixels()));
  with_pixel(image.type, [&]<class Pixel>(Pixel) {
    grey_range range;
    if (image.type == dtype::boolean) range = {0, 1};
    else if (image.type != dtype::u8) range = stretched<Pixel>(image);
    const double scale = 255 / (range.high - range.low);
    std::size_t at = 0;
    for (std::int64_t y = 0; y < image.size.height; ++y)
      for (std::int64_t x = 0; x < image.size.width; ++x) {
        const double value = (static_cast<double>(pixel_at<Pixel>(image, y, x)) - range.low) * scale;
        grey[at++] = std::isnan(value) ? 0 : to_byte(value);
      }
  });
  return grey;
}

template <class Label>
bool is_outline(const image_view& labels, std::int64_t y, std::int64_t x, Label label) {
  const auto differs = [&](std::int64_t j, std::int64_t i) { return pixel_at<Label>(labels, j, i) != label; };
  return (y > 0 && differs(y - 1, x)) || (y + 1 < labels.size.height && differs(y + 1, x)) ||
         (x > 0 && differs(y, x - 1)) || (x + 1 < labels.size.width && differs(y, x + 1));
}

}  // namespace

std::array<std::uint8_t, 3> label_colour(std::uint64_t label) {
  // Steps by the golden angle never come back to a hue, and any few labels in a row are far apart.
  constexpr double golden_angle = std::numbers::pi * (3 - 2.23606797749979);
  const auto step = static_cast<double>(label % 10946);  // keeps the product exact enough
  const double lightness = 0.70 + 0.05 * static_cast<double>(label % 3);
  return from_oklch(lightness, 0.17, golden_angle * step);
}

std::vector<std::uint8_t> paint_overlay(const image_view& image, const image_view& labels) {
  std::vector<std::uint8_t> grey = grey_bytes(image);
  std::vector<std::uint8_t> picture(3 * grey.size());
  with_pixel(labels.type, [&]<class Label>(Label) {
    std::uint64_t painted = 0;  // the label of `paint`
    colour paint{};
    for (std::int64_t y = 0; y < labels.size.height; ++y)
      for (std::int64_t x = 0; x < labels.size.width; ++x) {
        const auto at = static_cast<std::size_t>(y * labels.size.width + x);
        const auto label = pixel_at<Label>(labels, y, x);
        if (label != 0 && static_cast<std::uint64_t>(label) != painted) {
          painted = static_cast<std::uint64_t>(label);
          paint = label_colour(painted);
        }
        const double light = grey[at];
        const bool outline = label != 0 && is_outline(labels, y, x, label);
        for (std::size_t c = 0; c < 3; ++c) {
          const double shade = paint[c] * (darkest + (1 - darkest) * light / 255);
          picture[3 * at + c] = label == 0 ? grey[at] : outline ? paint[c] : to_byte((1 - tint) * light + tint * shade);
        }
      }
  });
  return picture;
}

}  // namespace skerry::io
