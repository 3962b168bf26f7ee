// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <vector>

#include "core/pixel_range.hpp"
#include "core/pixel_type.hpp"
#include "engine/image_checks.hpp"
#include "label/check.hpp"
#include "skerry/blocks.hpp"

namespace skerry {
namespace {

// Runs that begin in a row: where a foreground pixel has none of its run before it.
template <class Pixel>
u64 runs_of_row(const std::vector<Pixel>& row, const pixel_range<Pixel>& range, bool by_value) {
  constexpr std::size_t stretch = std::size_t{1} << 12;  // counted in 32 bits, which is faster
  u64 count = 0;
  for (std::size_t begin = 1; begin < row.size(); begin += stretch) {
    u32 part = 0;
    const std::size_t end = std::min(begin + stretch, row.size());
    for (std::size_t x = begin; x < end; ++x) {
      const bool now = range.holds(row[x]), before = range.holds(row[x - 1]);
      const bool begins = !before || (by_value && row[x] != row[x - 1]);
      part += now && begins ? 1 : 0;
    }
    count += part;
  }
  return count + (range.holds(row[0]) ? 1 : 0);
}

// Copies a row of any stride; pixels that can only be 0 or 1 as these numbers.
template <class Pixel>
void load_row(const image_view& image, const std::byte* from, std::vector<Pixel>& row) {
  const auto width = static_cast<i64>(row.size());
  if (image.type == dtype::bit || image.type == dtype::boolean) {
    for (i64 x = 0; x < width; ++x) {
      const bool set = image.type == dtype::bit
                           ? (from[x / 8] >> static_cast<int>(x % 8) & std::byte{1}) != std::byte{0}
                           : from[x * image.strides.x] != std::byte{0};
      const u8 truth = set ? 1 : 0;
      std::memcpy(&row[static_cast<std::size_t>(x)], &truth, 1);
    }
  } else if (image.strides.x == static_cast<i64>(sizeof(Pixel))) {
    std::memcpy(row.data(), from, row.size() * sizeof(Pixel));
  } else {
    for (i64 x = 0; x < width; ++x)
      std::memcpy(&row[static_cast<std::size_t>(x)], from + x * image.strides.x, sizeof(Pixel));
  }
}

template <class Pixel>
u64 runs_of(const image_view& image, const label_options& options) {
  const extent& size = image.size;
  const pixel_range<Pixel> range = range_of<Pixel>(options.foreground);
  const bool by_value = options.joining.kind != joining::rule::foreground;
  std::vector<Pixel> row(static_cast<std::size_t>(size.width));
  u64 count = 0;
  for (i64 z = 0; z < size.depth; ++z)
    for (i64 y = 0; y < size.height; ++y) {
      const auto* from = static_cast<const std::byte*>(image.data) + z * image.strides.z + y * image.strides.y;
      load_row(image, from, row);
      count += runs_of_row(row, range, by_value);
    }
  return count;
}

}  // namespace

std::uint64_t count_runs(const image_view& image, const label_options& options) {
  check_image("image", image);
  check_options(image, options);
  if (image.residence.is_device()) refuse("image: runs are counted in host memory");
  if (image.size.pixels() == 0) return 0;
  return with_pixel_type(image.type, [&]<class Pixel>(pixel_type<Pixel>) { return runs_of<Pixel>(image, options); });
}

}  // namespace skerry
