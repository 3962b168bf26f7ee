// SPDX-License-Identifier: Apache-2.0
// One region as a list of its pixels, for columns from their definitions.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "core/portable.hpp"
#include "skerry/image.hpp"

namespace skerry::reference {

using real = long double;

struct region_point {
  i64 at[3];  // z, y, x
  real weight;
};

struct region_points {
  u64 label = 0;
  int rank = 2;
  extent image;
  std::array<real, 3> spacing = {1, 1, 1};
  std::vector<region_point> pixels;
  i64 low[3] = {INT64_MAX, INT64_MAX, INT64_MAX}, high[3] = {INT64_MIN, INT64_MIN, INT64_MIN};  // inclusive

  /// The box with `margin` pixels around it (rank 2: none across slices), 1 for pixels of the region.
  [[nodiscard]] std::vector<u8> crop(i64 margin, extent& size) const;
  [[nodiscard]] real content() const { return spacing[0] * spacing[1] * spacing[2]; }
};

/// A column by its name without numbers, and its numbers: {"moments", {0, 2}}.
struct column_name {
  std::string stem;
  std::vector<int> numbers;
};

/// Columns of counts and lengths of the region's outline; false when the name is none of them.
bool outline_column(const region_points& of, const column_name& name, real& value);
/// Columns of convex hulls.
bool hull_column(const region_points& of, const column_name& name, real& value);
/// Those of a volume.
bool solid_hull_column(const region_points& of, const column_name& name, real& value);

}  // namespace skerry::reference
