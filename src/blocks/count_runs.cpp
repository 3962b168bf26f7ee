// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "blocks/pixel_rows.hpp"
#include "core/pixel_range.hpp"
#include "core/pixel_type.hpp"
#include "engine/image_checks.hpp"
#include "label/check.hpp"
#include "skerry/blocks.hpp"

namespace skerry {
namespace {

using namespace blocks;

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

template <class Pixel>
u64 runs_of(const image_view& image, const label_options& options) {
  const pixel_range<Pixel> range = range_of<Pixel>(options.foreground);
  const bool by_value = options.joining.kind != joining::rule::foreground;
  u64 count = 0;
  each_pixel_row<Pixel>(image, [&](const std::vector<Pixel>& row) { count += runs_of_row(row, range, by_value); });
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
