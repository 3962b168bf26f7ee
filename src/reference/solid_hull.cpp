// SPDX-License-Identifier: Apache-2.0
// Convex hulls of a region of a volume: every plane through three points that has all others on one side, and every pixel of the
// box asked whether it is on that side. Points are doubled.
#include <algorithm>
#include <cmath>

#include "reference/region_points.hpp"

namespace skerry::reference {
namespace {

using point = std::array<i64, 3>;
using points = std::vector<point>;

struct half_space {
  point normal;
  i64 offset;  // the most that normal · point is inside
};

i64 product(const point& a, const point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

point normal_of(const point& a, const point& b, const point& c) {
  point p{}, q{};
  for (std::size_t k = 0; k < 3; ++k) p[k] = b[k] - a[k], q[k] = c[k] - a[k];
  return {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
}

// Each pixel as the middles of its six faces, but for those that two pixels share: they are between the others.
points octahedra(const points& pixels) {
  points all;
  for (const point& pixel : pixels)
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const i64 step : {-1, 1}) {
        point middle = {2 * pixel[0], 2 * pixel[1], 2 * pixel[2]}, next = pixel;
        middle[axis] += step;
        next[axis] += step;
        if (std::find(pixels.begin(), pixels.end(), next) == pixels.end()) all.push_back(middle);
      }
  return all;
}

// Without those halfway between two others, which are no corners.
points ends_of(const points& all) {
  points ends;
  for (const point& each : all)
    if (std::none_of(all.begin(), all.end(), [&](const point& one) {
          const point other = {2 * each[0] - one[0], 2 * each[1] - one[1], 2 * each[2] - one[2]};
          return one != each && std::find(all.begin(), all.end(), other) != all.end();
        }))
      ends.push_back(each);
  return ends;
}

std::vector<half_space> half_spaces_of(const points& all) {
  const points of = ends_of(all);
  std::vector<half_space> found;
  for (std::size_t i = 0; i < of.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      for (std::size_t k = 0; k < j; ++k) {
        point normal = normal_of(of[i], of[j], of[k]);
        if (normal == point{0, 0, 0}) continue;
        const i64 offset = product(normal, of[i]);
        const auto above = [&](const point& each) { return product(normal, each) > offset; };
        const auto below = [&](const point& each) { return product(normal, each) < offset; };
        if (std::none_of(of.begin(), of.end(), above)) found.push_back({normal, offset});
        else if (std::none_of(of.begin(), of.end(), below))
          found.push_back({{-normal[0], -normal[1], -normal[2]}, -offset});
      }
  return found;
}

points convex_voxels(const region_points& of) {
  points pixels, inside;
  for (const region_point& pixel : of.pixels) pixels.push_back({pixel.at[0], pixel.at[1], pixel.at[2]});
  const std::vector<half_space> hull = half_spaces_of(octahedra(pixels));
  for (i64 z = of.low[0]; z <= of.high[0]; ++z)
    for (i64 y = of.low[1]; y <= of.high[1]; ++y)
      for (i64 x = of.low[2]; x <= of.high[2]; ++x)
        if (std::all_of(hull.begin(), hull.end(), [&](const half_space& side) {
              return product(side.normal, {2 * z, 2 * y, 2 * x}) <= side.offset;
            }))
          inside.push_back({z, y, x});
  return inside;
}

real widest_of(const points& of, const std::array<real, 3>& spacing) {
  real most = 0;
  for (const point& a : of)
    for (const point& b : of) {
      real square = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const real along = static_cast<real>(a[k] - b[k]) / 2 * spacing[k];
        square += along * along;
      }
      most = std::max(most, square);
    }
  return std::sqrt(most);
}

}  // namespace

bool solid_hull_column(const region_points& of, const column_name& name, real& value) {
  if (name.stem != "area_convex" && name.stem != "solidity" && name.stem != "feret_diameter_max") return false;
  const points convex = convex_voxels(of);
  const auto count = static_cast<real>(convex.size());
  if (name.stem == "area_convex") value = count * of.content();
  else if (name.stem == "solidity") value = static_cast<real>(of.pixels.size()) / count;
  else value = widest_of(octahedra(convex), of.spacing);
  return true;
}

}  // namespace skerry::reference
