// SPDX-License-Identifier: Apache-2.0
#include "engine/image_checks.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include "core/adjacency.hpp"
#include "engine/residence.hpp"
#include "skerry/error.hpp"

namespace skerry {
namespace {

using u128 = unsigned __int128;

constexpr std::int64_t side_limit = std::int64_t{1} << 31;
constexpr std::int64_t pixel_limit = std::int64_t{1} << 40;

}  // namespace

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

void refuse(const std::string& text) { throw invalid_argument(text); }

std::string shortest(double number) {
  char text[32];
  return {text, std::to_chars(text, std::end(text), number).ptr};
}

std::string text_of(const extent& size) {
  const std::string plane = std::to_string(size.height) + " x " + std::to_string(size.width);
  if (size.rank == 1) return std::to_string(size.width);
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
  if (!is_known(image.type)) refuse(name + ": unknown dtype");
  check_extent(name, image.size);
  if (image.data == nullptr && image.size.pixels() > 0)
    refuse(name + ": data is null for " + text_of(image.size) + " pixels");
  check_residence(name, image);
}

// Writing needs a place of its own for each pixel: each axis steps over all that the finer axes hold.
void check_distinct(const std::string& name, const mutable_image& image) {
  struct axis {
    i128 stride, count;
  };
  const auto axis_of = [](i128 stride, i128 count) { return axis{stride < 0 ? -stride : stride, count}; };
  std::array<axis, 3> axes = {axis_of(image.strides.z, image.size.depth), axis_of(image.strides.y, image.size.height),
                              axis_of(image.strides.x, image.size.width)};
  std::sort(axes.begin(), axes.end(), [](const axis& a, const axis& b) { return a.stride < b.stride; });
  auto held = static_cast<i128>(size_of(image.type));
  for (const axis& a : axes) {
    if (a.count < 2) continue;
    if (a.stride < held) refuse(name + ": strides make pixels overlap each other");
    held += (a.count - 1) * a.stride;
  }
}

void check_apart(const std::string& name, const mutable_image& written, const image_view& read,
                 const std::string& read_name) {
  const byte_range a = bytes_of(read), b = bytes_of(written);
  if (a.begin < b.end && b.begin < a.end) refuse(name + ": memory overlaps that of the " + read_name);
}

void check_connectivity(int connectivity, int rank) {
  if (rank_of_connectivity(connectivity) != rank)
    refuse("connectivity: " + std::to_string(connectivity) + " is not " +
           (rank == 2 ? "4 or 8 (image of rank 2)" : "6, 18 or 26 (image of rank 3)") +
           (connectivity == 0 ? "; it has no default" : ""));
}

}  // namespace skerry
