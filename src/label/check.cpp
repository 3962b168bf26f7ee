// SPDX-License-Identifier: Apache-2.0
#include "label/check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "skerry/error.hpp"

namespace skerry {
namespace {

using u128 = unsigned __int128;
using i128 = __int128;

constexpr std::int64_t side_limit = std::int64_t{1} << 31;
constexpr std::int64_t pixel_limit = std::int64_t{1} << 40;

[[noreturn]] void refuse(const std::string& text) { throw invalid_argument(text); }

std::string text_of(const extent& size) {
  const std::string plane = std::to_string(size.height) + " x " + std::to_string(size.width);
  return size.rank == 3 ? std::to_string(size.depth) + " x " + plane : plane;
}

void check_extent(const std::string& name, const extent& size) {
  if (size.rank != 2 && size.rank != 3) refuse(name + ": rank " + std::to_string(size.rank) + " is not 2 or 3");
  if (size.rank == 2 && size.depth != 1) refuse(name + ": depth " + std::to_string(size.depth) + " of rank 2 is not 1");
  for (const std::int64_t side : {size.depth, size.height, size.width})
    if (side < 0 || side >= side_limit)
      refuse(name + ": size " + text_of(size) + " has a side that is not in 0…2^31 - 1");
  const u128 pixels = static_cast<u128>(size.depth) * static_cast<u128>(size.height) * static_cast<u128>(size.width);
  if (pixels > static_cast<u128>(pixel_limit)) refuse(name + ": size " + text_of(size) + " is more than 2^40 pixels");
}

void check_image(const std::string& name, const image_view& image) {
  if (image.type > dtype::f64) refuse(name + ": unknown dtype");
  check_extent(name, image.size);
  if (image.data == nullptr && image.size.pixels() > 0)
    refuse(name + ": data is null for " + text_of(image.size) + " pixels");
}

void check_connectivity(int connectivity, int rank) {
  const bool fits = rank == 2 ? connectivity == 4 || connectivity == 8
                              : connectivity == 6 || connectivity == 18 || connectivity == 26;
  if (!fits)
    refuse("connectivity: " + std::to_string(connectivity) + " is not " +
           (rank == 2 ? "4 or 8 (image of rank 2)" : "6, 18 or 26 (image of rank 3)"));
}

void check_foreground(const foreground& rule) {
  using kind = foreground::rule;
  if (rule.kind > kind::within) refuse("foreground: unknown rule");
  if (rule.kind != kind::nonzero && std::isnan(rule.low)) refuse("foreground: low is NaN");
  if (rule.kind != kind::within) return;
  if (std::isnan(rule.high)) refuse("foreground: high is NaN");
  if (rule.low > rule.high)
    refuse("foreground: low " + std::to_string(rule.low) + " is above high " + std::to_string(rule.high));
}

struct byte_range {
  i128 begin, end;
};

// The bytes from the first to the last of an image that has pixels.
byte_range bytes_of(const image_view& image) {
  const i128 start = reinterpret_cast<std::intptr_t>(image.data);
  byte_range range{start, start};
  const auto widen = [&](std::int64_t count, std::int64_t stride) {
    (stride < 0 ? range.begin : range.end) += static_cast<i128>(count - 1) * stride;
  };
  widen(image.size.depth, image.strides.z);
  widen(image.size.height, image.strides.y);
  if (image.type == dtype::bit) {
    range.end += (image.size.width + 7) / 8;
  } else {
    widen(image.size.width, image.strides.x);
    range.end += static_cast<std::int64_t>(size_of(image.type));
  }
  return range;
}

// Writing needs a place of its own for each pixel: each axis steps over all that the finer axes hold.
void check_distinct(const mutable_image& labels) {
  struct axis {
    i128 stride, count;
  };
  const auto axis_of = [](i128 stride, i128 count) { return axis{stride < 0 ? -stride : stride, count}; };
  std::array<axis, 3> axes = {axis_of(labels.strides.z, labels.size.depth),
                              axis_of(labels.strides.y, labels.size.height),
                              axis_of(labels.strides.x, labels.size.width)};
  std::sort(axes.begin(), axes.end(), [](const axis& a, const axis& b) { return a.stride < b.stride; });
  auto held = static_cast<i128>(size_of(labels.type));
  for (const axis& a : axes) {
    if (a.count < 2) continue;
    if (a.stride < held) refuse("labels: strides make pixels overlap each other");
    held += (a.count - 1) * a.stride;
  }
}

// Sums of coordinates must fit 64 bits, and n · Σxx of a central moment 127.
void check_sums(const extent& size, bool moments) {
  const auto pixels = static_cast<u128>(size.pixels());
  const auto side = static_cast<u128>(std::max({size.depth, size.height, size.width}));
  if (pixels * side / 2 >> 64 != 0) refuse("image: size " + text_of(size) + " can have coordinate sums above 2^64");
  if (moments && (pixels * pixels >> 40) * side * side >> 87 != 0)
    refuse("moments: size " + text_of(size) + " can have central moments above 2^127");
}

}  // namespace

void check_input(const image_view& image, const label_options& options) {
  check_image("image", image);
  if (image.type == dtype::u64) refuse("image: dtype uint64 is not supported");
  check_connectivity(options.connectivity, image.size.rank);
  check_foreground(options.foreground);
  if (options.selection.min_area > options.selection.max_area)
    refuse("selection: min_area " + std::to_string(options.selection.min_area) + " is above max_area " +
           std::to_string(options.selection.max_area));
}

void check_labels(const image_view& image, const mutable_image& labels) {
  check_image("labels", labels);
  if (labels.type != dtype::u8 && labels.type != dtype::u16 && labels.type != dtype::u32 && labels.type != dtype::u64)
    refuse(std::string("labels: dtype ") + name_of(labels.type) + " is not uint8, uint16, uint32 or uint64");
  if (labels.size != image.size)
    refuse("labels: size " + text_of(labels.size) + " is not that of the image, " + text_of(image.size));
  if (image.size.pixels() == 0) return;
  check_distinct(labels);
  const byte_range a = bytes_of(image), b = bytes_of(labels);
  if (a.begin < b.end && b.begin < a.end) refuse("labels: memory overlaps that of the image");
}

void check_features(const image_view& image, const measure_options& features) {
  check_sums(image.size, features.moments);
  const image_view& intensity = features.intensity;
  if (intensity.data == nullptr && intensity.size.pixels() == 0) return;
  check_image("intensity", intensity);
  if (intensity.type == dtype::bit || intensity.type == dtype::u64)
    refuse(std::string("intensity: dtype ") + name_of(intensity.type) + " is not supported");
  if (intensity.size != image.size)
    refuse("intensity: size " + text_of(intensity.size) + " is not that of the image, " + text_of(image.size));
}

void check_count(std::uint64_t count, dtype labels) {
  const std::uint64_t most = labels == dtype::u8    ? 0xff
                             : labels == dtype::u16 ? 0xffff
                             : labels == dtype::u32 ? 0xffffffff
                                                    : ~0ull;
  if (count > most)
    throw label_overflow("labels: " + std::to_string(count) + " components do not fit " + name_of(labels) +
                             ", which ends at " + std::to_string(most),
                         count);
}

}  // namespace skerry
