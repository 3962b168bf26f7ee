// SPDX-License-Identifier: Apache-2.0
// Euler numbers, perimeters, surfaces and holes of a region, from their definitions.
#include <cmath>
#include <numbers>
#include <set>

#include "reference/region_points.hpp"
#include "reference/steps.hpp"

namespace skerry::reference {
namespace {

constexpr real root_of_2 = std::numbers::sqrt2_v<real>;
constexpr real pi = std::numbers::pi_v<real>;

// The union of closed pixels as cells: corners less edges plus faces less cubes. A cell is known by twice its centre.
i64 euler_number(const region_points& of) {
  std::set<std::array<i64, 3>> cells;
  const i64 reach = of.rank == 3 ? 1 : 0;
  for (const region_point& pixel : of.pixels)
    for (i64 z = -reach; z <= reach; ++z)
      for (i64 y = -1; y <= 1; ++y)
        for (i64 x = -1; x <= 1; ++x) cells.insert({2 * pixel.at[0] + z, 2 * pixel.at[1] + y, 2 * pixel.at[2] + x});
  i64 sum = 0;
  for (const auto& cell : cells) {
    int odd = 0;  // between two pixels
    for (int axis = 3 - of.rank; axis < 3; ++axis) odd += cell[static_cast<std::size_t>(axis)] % 2 != 0 ? 1 : 0;
    sum += (of.rank - odd) % 2 == 0 ? 1 : -1;
  }
  return sum;
}

// A plane mask with a margin, whose pixels may be asked for anywhere near.
struct plane {
  extent size;
  std::vector<u8> pixels;
  [[nodiscard]] int at(i64 y, i64 x) const {
    const bool inside = y >= 0 && x >= 0 && y < size.height && x < size.width;
    return inside ? pixels[static_cast<std::size_t>(y * size.width + x)] : 0;
  }
};

// The steps of scikit-image's perimeter(): border pixels, a convolution, weights.
real perimeter(const region_points& of) {
  plane image;
  image.pixels = of.crop(2, image.size);
  plane border = image;
  for (i64 y = 0; y < image.size.height; ++y)
    for (i64 x = 0; x < image.size.width; ++x)
      if (image.at(y - 1, x) + image.at(y + 1, x) + image.at(y, x - 1) + image.at(y, x + 1) == 4)
        border.pixels[static_cast<std::size_t>(y * image.size.width + x)] = 0;
  real weights[50] = {};
  for (const int code : {5, 7, 15, 17, 25, 27}) weights[code] = 1;
  for (const int code : {21, 33}) weights[code] = root_of_2;
  for (const int code : {13, 23}) weights[code] = (1 + root_of_2) / 2;
  real sum = 0;
  for (i64 y = 0; y < image.size.height; ++y)
    for (i64 x = 0; x < image.size.width; ++x) {
      int code = border.at(y, x);
      for (const i64 d : {-1, 1}) {
        code += 2 * (border.at(y + d, x) + border.at(y, x + d));
        code += 10 * (border.at(y + d, x + d) + border.at(y + d, x - d));
      }
      sum += weights[code];
    }
  return sum;
}

// Crossings of lines: pi / 4 · (those along rows and columns + those along diagonals / sqrt 2), where a line that enters and
// leaves crosses once.
real perimeter_crofton(const region_points& of) {
  plane image;
  image.pixels = of.crop(1, image.size);
  real straight = 0, slanted = 0;
  for (i64 y = 0; y < image.size.height; ++y)
    for (i64 x = 0; x < image.size.width; ++x) {
      if (image.at(y, x) == 0) continue;
      straight += (image.at(y, x - 1) == 0 ? 1 : 0) + (image.at(y - 1, x) == 0 ? 1 : 0);
      slanted += (image.at(y - 1, x - 1) == 0 ? 1 : 0) + (image.at(y - 1, x + 1) == 0 ? 1 : 0);
    }
  return pi / 4 * (straight + slanted / root_of_2);
}

real surface_area(const region_points& of) {
  std::set<std::array<i64, 3>> pixels;
  for (const region_point& pixel : of.pixels) pixels.insert({pixel.at[0], pixel.at[1], pixel.at[2]});
  real area = 0;
  for (const auto& pixel : pixels)
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const i64 step : {-1, 1}) {
        auto neighbour = pixel;
        neighbour[axis] += step;
        if (!pixels.contains(neighbour)) area += of.content() / of.spacing[axis];
      }
  return area;
}

// The pixels of holes alone: background is connected by corners.
std::vector<u8> holes_of(const region_points& of, extent& size) {
  const std::vector<u8> mask = of.crop(1, size);
  std::vector<u8> filled = mask;
  fill_holes(filled, size, of.rank == 2 ? 4 : 6);
  for (std::size_t k = 0; k < mask.size(); ++k) filled[k] = static_cast<u8>(filled[k] - mask[k]);
  return filled;
}

}  // namespace

bool outline_column(const region_points& of, const column_name& name, real& value) {
  const auto is = [&](const char* stem) { return name.stem == stem; };
  if (is("euler_number")) value = static_cast<real>(euler_number(of));
  else if (is("perimeter")) value = perimeter(of) * of.spacing[2];
  else if (is("perimeter_crofton")) value = perimeter_crofton(of) * of.spacing[2];
  else if (is("circularity")) value = 4 * pi * static_cast<real>(of.pixels.size()) / (perimeter(of) * perimeter(of));
  else if (is("surface_area")) value = surface_area(of);
  else if (is("area_filled") || is("number_of_holes")) {
    extent size;
    const std::vector<u8> holes = holes_of(of, size);
    std::vector<u64> labels;
    label_options options;
    options.connectivity = of.rank == 2 ? 8 : 26;
    const u64 count = label(image_view(holes.data(), size), holes, options, labels);
    u64 pixels = of.pixels.size();
    for (const u8 hole : holes) pixels += hole;
    value = is("number_of_holes") ? static_cast<real>(count) : static_cast<real>(pixels) * of.content();
  } else {
    return false;
  }
  return true;
}

}  // namespace skerry::reference
