// SPDX-License-Identifier: Apache-2.0
#include "label/axis_order.hpp"

#include <cstdlib>
#include <limits>

namespace skerry {
namespace {

template <class Image>
Image turned_by(const int (&from)[3], const Image& image) {
  const std::int64_t sides[3] = {image.size.depth, image.size.height, image.size.width};
  const std::int64_t steps[3] = {image.strides.z, image.strides.y, image.strides.x};
  Image result = image;
  result.size.depth = sides[from[0]], result.size.height = sides[from[1]], result.size.width = sides[from[2]];
  result.strides = {steps[from[0]], steps[from[1]], steps[from[2]]};
  return result;
}

}  // namespace

axis_order axis_order::stored(const image_view& image) {
  axis_order order;
  if (image.type == dtype::bit) return order;
  constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
  const auto distance = [](std::int64_t step) { return step == 0 ? far : std::abs(step); };  // 0: the same pixel again
  const std::int64_t steps[3] = {distance(image.strides.z), distance(image.strides.y), distance(image.strides.x)};
  int* const first = order.from_ + (image.size.rank == 2 ? 1 : 0);
  std::sort(first, order.from_ + 3, [&](int a, int b) { return steps[a] != steps[b] ? steps[a] > steps[b] : a < b; });
  return order;
}

image_view axis_order::turned(const image_view& image) const { return turned_by(from_, image); }

mutable_image axis_order::turned(const mutable_image& image) const { return turned_by(from_, image); }

label_request axis_order::turned(const label_request& asked) const {
  label_request result = asked;
  result.image = turned(asked.image);
  const periodic_axes& wraps = asked.options.periodic;
  const bool of_axis[3] = {wraps.z, wraps.y, wraps.x};
  result.options.periodic = {of_axis[from_[0]], of_axis[from_[1]], of_axis[from_[2]]};
  if (asked.features.intensity.data != nullptr) result.features.intensity = turned(asked.features.intensity);
  return result;
}

void axis_order::turn_back(feature_table& table) const {
  for (geometry& row : table.components) {
    const geometry from = row;
    for (int i = 0; i < 3; ++i) {
      row.sum[from_[i]] = from.sum[i];
      row.min[from_[i]] = from.min[i];
      row.max[from_[i]] = from.max[i];
    }
  }
  for (second_moments& row : table.moments) {
    const wide_integer* const from[3][3] = {
        {&row.zz, &row.zy, &row.zx}, {&row.zy, &row.yy, &row.yx}, {&row.zx, &row.yx, &row.xx}};
    wide_integer to[3][3];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) to[from_[i]][from_[j]] = *from[i][j];
    row = {to[0][0], to[0][1], to[0][2], to[1][1], to[1][2], to[2][2]};
  }
}

axis_order::places axis_order::places_in(const extent& size) const {
  const std::int64_t own[3] = {size.height * size.width, size.width, 1};
  return {own[from_[0]], own[from_[1]], own[from_[2]]};
}

}  // namespace skerry
