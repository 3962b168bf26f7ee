// SPDX-License-Identifier: Apache-2.0
#include "io/palette.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace skerry::io {
namespace {

using colour = std::array<std::uint8_t, 3>;

std::uint8_t gamma_coded(double linear) {
  linear = std::clamp(linear, 0.0, 1.0);
  const double coded = linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(std::clamp(255 * coded, 0.0, 255.0)));
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

// Steps by the golden angle never come back to a hue, and any few labels in a row are far apart.
colour vivid_colour(std::uint64_t label) {
  constexpr double golden_angle = std::numbers::pi * (3 - 2.23606797749979);
  const auto step = static_cast<double>(label % 10946);  // keeps the product exact enough
  return from_oklch(0.70 + 0.05 * static_cast<double>(label % 3), 0.17, golden_angle * step);
}

// The same steps within the hues of land, which are few: lightness sets labels apart as well.
colour land_colour(std::uint64_t label) {
  constexpr double golden_ratio = 0.6180339887498949, start = 0.4;
  constexpr double ochre = 70 * std::numbers::pi / 180, green = 145 * std::numbers::pi / 180;
  const double step = golden_ratio * static_cast<double>(label % 10946) + start;
  const double hue = ochre + (green - ochre) * (step - std::floor(step));
  return from_oklch(0.66 + 0.08 * static_cast<double>(label % 3), 0.11, hue);
}

}  // namespace

colour label_colour(std::uint64_t label, palette from) {
  return from == palette::map ? land_colour(label) : vivid_colour(label);
}

colour sea_colour(double grey) {
  constexpr std::array<double, 3> deep = {9, 28, 54};
  colour sea{};
  for (std::size_t c = 0; c < sea.size(); ++c)
    sea[c] = static_cast<std::uint8_t>(std::lround(deep[c] + (255 - deep[c]) * std::clamp(grey, 0.0, 255.0) / 255));
  return sea;
}

}  // namespace skerry::io
