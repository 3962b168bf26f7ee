// SPDX-License-Identifier: Apache-2.0
// Label images whose regions have holes, for tests of what finds them.
#pragma once
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "bench/data/spiral_image.hpp"
#include "skerry/image.hpp"

namespace skerry::test {

struct holed_image {
  std::string name;
  extent size;
  std::vector<std::uint32_t> labels;

  [[nodiscard]] image_view view() const { return {labels.data(), size}; }
};

/// label(z, y, x) of each pixel.
template <class Label>
holed_image holed(std::string name, const extent& size, Label label) {
  holed_image image{std::move(name), size, {}};
  for (std::int64_t z = 0; z < size.depth; ++z)
    for (std::int64_t y = 0; y < size.height; ++y)
      for (std::int64_t x = 0; x < size.width; ++x) image.labels.push_back(static_cast<std::uint32_t>(label(z, y, x)));
  return image;
}

/// How far a pixel is from the nearest side.
inline std::int64_t depth_in(const extent& size, std::int64_t z, std::int64_t y, std::int64_t x) {
  const std::int64_t in_plane = std::min({y, x, size.height - 1 - y, size.width - 1 - x});
  return size.rank == 3 ? std::min({in_plane, z, size.depth - 1 - z}) : in_plane;
}

/// Frames of boxes of few labels, drawn over each other.
inline holed_image drawn_frames(const extent& size, int frames, std::uint32_t labels, std::uint32_t seed) {
  std::mt19937 random(seed);
  holed_image image = holed("frames " + std::to_string(seed), size, [](auto...) { return 0; });
  const auto below = [&](std::int64_t end) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
  };
  for (int k = 0; k < frames; ++k) {
    const std::int64_t top = below(size.height), left = below(size.width);
    const std::int64_t height = 1 + below(std::min<std::int64_t>(40, size.height - top));
    const std::int64_t width =
        1 + below(k % 8 == 0 ? size.width - left : std::min<std::int64_t>(40, size.width - left));
    const std::uint32_t label = random() % (labels + 1);
    const bool misses_corner = random() % 4 == 0;
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x) {
        const bool is_frame = y == 0 || x == 0 || y == height - 1 || x == width - 1;
        const bool is_corner = y == height - 1 && x == width - 1;
        if (is_frame && !(is_corner && misses_corner))
          image.labels[static_cast<std::size_t>((top + y) * size.width + left + x)] = label;
      }
  }
  return image;
}

inline holed_image noise(const extent& size, std::uint32_t labels, std::uint32_t percent_of_last, std::uint32_t seed) {
  std::mt19937 random(seed);
  return holed("noise " + std::to_string(seed), size,
               [&](auto...) { return random() % 100 < percent_of_last ? labels : random() % (labels + 1); });
}

inline std::vector<holed_image> holed_planes() {
  std::vector<holed_image> images;
  images.push_back(holed("no region", {5, 70}, [](auto...) { return 0; }));
  images.push_back(holed("one region", {40, 1100}, [](auto...) { return 7; }));
  const extent wide(21, 3100), square(64, 66);
  for (const std::int64_t regions : {1, 2, 1000}) {
    const auto ring_of = [=](const extent& size) {
      return [=](std::int64_t z, std::int64_t y, std::int64_t x) {
        const std::int64_t ring = depth_in(size, z, y, x);
        return regions == 1 ? 1 - ring % 2 : 1 + ring % regions;
      };
    };
    images.push_back(holed("rings of " + std::to_string(regions), square, ring_of(square)));
    images.push_back(holed("wide rings of " + std::to_string(regions), wide, ring_of(wide)));
  }
  // Every set of the eight neighbours of a pixel, each a region.
  images.push_back(holed("neighbours", {80, 80}, [](std::int64_t, std::int64_t y, std::int64_t x) {
    const std::int64_t square = y / 5 * 16 + x / 5, place = y % 5 * 3 + x % 5;
    if (y % 5 > 2 || x % 5 > 2 || place == 4) return std::int64_t{0};
    return (square >> (place - (place > 4 ? 1 : 0)) & 1) != 0 ? square + 1 : 0;
  }));
  for (const std::int64_t side : {31, 64, 97})
    for (const bool is_closed : {false, true}) {
      const std::vector<std::uint8_t> path = bench::spiral_image(side);
      holed_image spiral{is_closed ? "closed spiral" : "spiral", {side, side}, {path.begin(), path.end()}};
      if (is_closed) spiral.labels[static_cast<std::size_t>(side)] = 1;
      images.push_back(std::move(spiral));
    }
  for (const std::uint32_t other : {0, 2})
    images.push_back(holed("checkerboard", {30, 2050},
                           [=](std::int64_t, std::int64_t y, std::int64_t x) { return (y + x) % 2 == 0 ? 1 : other; }));
  // Slots, of which every third is open above and every seventh below.
  images.push_back(holed("slots", {50, 2101}, [](std::int64_t, std::int64_t y, std::int64_t x) {
    if (y == 0) return x % 6 == 1 ? 0 : 1;
    if (y == 49) return x % 14 == 3 ? 0 : 1;
    return x % 2 == 0 ? 1 : 0;
  }));
  // Wide gaps between rows of narrow ones, in a frame with an opening or without.
  for (const bool is_open : {false, true})
    images.push_back(holed("rows of dots", {24, 2500}, [=](std::int64_t, std::int64_t y, std::int64_t x) {
      if (is_open && y == 20 && x == 2499) return 0;
      if (y == 0 || x == 0 || y == 23 || x == 2499) return 1;
      return y % 3 == 1 && x % 2 == 0 ? 1 : 0;
    }));
  for (const std::uint32_t seed : {1, 2, 3}) images.push_back(drawn_frames({150, 1300}, 700, seed, seed));
  for (const std::uint32_t percent : {0, 40, 60, 80, 95}) images.push_back(noise({60, 1030}, 3, percent, 10 + percent));
  images.push_back(noise({30, 300}, 5000, 30, 4));
  for (const std::int64_t width : {1, 2, 3, 1023, 1024, 1025, 2049}) images.push_back(noise({9, width}, 2, 60, 50));
  return images;
}

inline std::vector<holed_image> holed_volumes() {
  std::vector<holed_image> images;
  const extent size(13, 14, 1100);
  for (const std::int64_t regions : {1, 2, 1000})
    images.push_back(
        holed("shells of " + std::to_string(regions), size, [=](std::int64_t z, std::int64_t y, std::int64_t x) {
          const std::int64_t shell = depth_in(size, z, y, x);
          return regions == 1 ? 1 - shell % 2 : 1 + shell % regions;
        }));
  // A cavity, and one that a missing corner, edge or face pixel opens.
  for (const std::int64_t missing : {0, 1, 2, 3})
    images.push_back(
        holed("cavity " + std::to_string(missing), {3, 3, 3}, [=](std::int64_t z, std::int64_t y, std::int64_t x) {
          const bool is_opening = missing != 0 && z == 2 && y == (missing > 1 ? 2 : 1) && x == (missing > 2 ? 2 : 1);
          return (z == 1 && y == 1 && x == 1) || is_opening ? 0 : 1;
        }));
  images.push_back(noise({1, 20, 30}, 1, 80, 1));
  images.push_back(noise({20, 1, 30}, 1, 80, 2));
  for (const std::uint32_t percent : {50, 80, 95, 99}) images.push_back(noise({11, 17, 29}, 2, percent, percent));
  images.push_back(noise({6, 7, 1030}, 1, 97, 5));
  images.push_back(noise({9, 21, 40}, 300, 90, 6));
  return images;
}

}  // namespace skerry::test
