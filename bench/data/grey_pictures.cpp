// SPDX-License-Identifier: Apache-2.0
#include "data/grey_pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <future>
#include <random>
#include <stdexcept>

#include "data/natural_image.hpp"

namespace skerry::bench {
namespace {

// Between 0 and 1.
std::vector<float> noise(const extent& size, std::uint32_t seed) {
  std::mt19937 draw(seed);
  std::vector<float> pixels(static_cast<std::size_t>(size.pixels()));
  for (float& pixel : pixels) pixel = static_cast<float>(draw() >> 8) * 0x1p-24F;
  return pixels;
}

// A Gaussian of standard deviation 2, cut off at 6 pixels; borders are repeated. One axis.
void blur(const extent& size, std::int64_t step, std::int64_t length, std::vector<float>& pixels) {
  std::array<float, 13> weights{};
  float sum = 0;
  for (int i = 0; i < 13; ++i)
    sum += weights[static_cast<std::size_t>(i)] = std::exp(-static_cast<float>((i - 6) * (i - 6)) / 8);
  std::vector<float> line(static_cast<std::size_t>(length) + 12);
  for (std::int64_t k = 0; k < size.pixels() / length; ++k) {
    const auto first = static_cast<std::size_t>(step == 1 ? k * length : k);
    for (std::int64_t i = -6; i < length + 6; ++i)
      line[static_cast<std::size_t>(i + 6)] =
          pixels[first + static_cast<std::size_t>(std::clamp<std::int64_t>(i, 0, length - 1) * step)];
    for (std::size_t i = 0; i < static_cast<std::size_t>(length); ++i) {
      float total = 0;
      for (std::size_t j = 0; j < 13; ++j) total += weights[j] * line[i + j];
      pixels[first + i * static_cast<std::size_t>(step)] = total / sum;
    }
  }
}

// Blurred noise, spread over most of 0 to 1 again.
std::vector<float> blurred(const extent& size, std::uint32_t seed) {
  std::vector<float> pixels = noise(size, seed);
  blur(size, 1, size.width, pixels);
  blur(size, size.width, size.height, pixels);
  for (float& pixel : pixels) pixel = std::clamp((pixel - 0.5F) * 3.2F + 0.5F, 0.0F, 0x1.fffffep-1F);
  return pixels;
}

template <class Pixel>
grey_picture picture_of(const std::string& name, const extent& size, const std::vector<Pixel>& pixels) {
  grey_picture result{name, dtype_of_pixel<Pixel>::value, size, {}};
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(pixels.data());
  result.bytes.assign(bytes, bytes + pixels.size() * sizeof(Pixel));
  return result;
}

template <class Pixel>
std::vector<Pixel> scaled(const std::vector<float>& from, float scale) {
  std::vector<Pixel> pixels(from.size());
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<Pixel>(from[i] * scale);
  return pixels;
}

grey_picture draw(const extent& size, const std::string& type, const std::string& look, std::uint32_t seed) {
  const std::string name = look.substr(0, 4) + '_' + type;
  if (look == "natural") {
    if (type == "u8") return picture_of(name, size, natural_u8(size, seed));
    if (type == "u16") return picture_of(name, size, natural_u16(size, seed));
    return picture_of(name, size, natural_f32(size, seed));
  }
  const std::vector<float> pixels = look == "noise" ? noise(size, seed) : blurred(size, seed);
  if (type == "u8") return picture_of(name, size, scaled<std::uint8_t>(pixels, 256));
  if (type == "u16") return picture_of(name, size, scaled<std::uint16_t>(pixels, 65536));
  return picture_of(name, size, pixels);
}

void require_known(const std::string& name, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw std::invalid_argument("there are no images \"" + name + '"');
}

}  // namespace

std::vector<grey_picture> grey_pictures(const extent& size, const std::vector<std::string>& types,
                                        const std::vector<std::string>& looks, std::uint32_t seed) {
  for (const std::string& type : types) require_known(type, {"u8", "u16", "f32"});
  for (const std::string& look : looks) require_known(look, {"natural", "blurred", "noise"});
  std::vector<std::future<grey_picture>> drawn;
  drawn.reserve(types.size() * looks.size());
  for (const std::string& type : types)
    for (const std::string& look : looks)
      drawn.push_back(
          std::async(std::launch::async, [&size, &type, &look, seed] { return draw(size, type, look, seed); }));
  std::vector<grey_picture> pictures;
  pictures.reserve(drawn.size());
  for (auto& each : drawn) pictures.push_back(each.get());
  return pictures;
}

}  // namespace skerry::bench
