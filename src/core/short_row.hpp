// SPDX-License-Identifier: Apache-2.0
// The geometry of a small component in one word instead of seven, on its way from a device to a table: in noise nearly all
// components are small, and the memory of the host is what limits such tables. Bit 63 is 0, and from bit 0 on there are so many bits of
//
//             corner   each side − 1   area − 1   each sum   for a box of at most      and pixels
//   planes    31       3               6          9          8 × 8                     64
//   volumes   31       2               5          7          4 × 4 × 4                 32
//
// `corner` is the place of the box's first pixel in the image, or in a slab of it, in row-major order; sums are of coordinates in the box; z comes before y
// before x. Where a component is too large, bit 63 is 1, and the others are the place of its row in a list.
#pragma once
#include "core/portable.hpp"
#include "skerry/feature.hpp"
#include "skerry/image.hpp"

namespace skerry {

/// How the pixels of an image, or of a slab, are counted.
struct row_frame {
  int rank = 2;
  u64 height = 1, width = 1;
};

[[nodiscard]] inline row_frame frame_of(const extent& size) {
  return {size.rank, static_cast<u64>(size.height), static_cast<u64>(size.width)};
}

/// How many bits each part has.
struct short_row_format {
  static constexpr u32 corner = 31;
  u32 side, area, sum;
  [[nodiscard]] static constexpr SKERRY_BOTH short_row_format of(int rank) {
    return rank == 2 ? short_row_format{3, 6, 9} : short_row_format{2, 5, 7};
  }
};

/// Of a row in the list: bit 63.
[[nodiscard]] SKERRY_BOTH inline u64 listed_row(u64 place) { return u64{1} << 63 | place; }
[[nodiscard]] SKERRY_BOTH inline bool is_listed(u64 row) { return row >> 63 != 0; }
[[nodiscard]] SKERRY_BOTH inline u64 place_in_list(u64 row) { return row & ~(u64{1} << 63); }

/// The row of a small component; listed_row(0) for one that does not fit.
[[nodiscard]] SKERRY_BOTH inline u64 short_row(const geometry& g, const row_frame& in) {
  const short_row_format bits = short_row_format::of(in.rank);
  u64 corner = 0, word = 0, too_large = (g.area - 1) >> bits.area;
  u32 at = short_row_format::corner;
  const auto put = [&](u64 value, u32 width) {
    too_large |= value >> width;
    word |= value << at;
    at += width;
  };
  for (int axis = 3 - in.rank; axis < 3; ++axis) {
    corner = corner * (axis == 1 ? in.height : axis == 2 ? in.width : 1) + static_cast<u64>(g.min[axis]);
    put(static_cast<u64>(g.max[axis] - g.min[axis]), bits.side);
  }
  too_large |= corner >> short_row_format::corner;
  put(g.area - 1, bits.area);
  for (int axis = 3 - in.rank; axis < 3; ++axis) put(g.sum[axis] - g.area * static_cast<u64>(g.min[axis]), bits.sum);
  return too_large != 0 ? listed_row(0) : word | corner;
}

/// The geometry of a row that is not in the list. Straight code: a loop over axes would keep the parts in memory, and writing them
/// in halves of words and reading them whole takes longer than all else.
template <int Rank>
[[nodiscard]] SKERRY_BOTH inline geometry geometry_of(u64 row, const row_frame& in) {
  constexpr short_row_format bits = short_row_format::of(Rank);
  const auto take = [&row](u32 width) {
    const u64 value = row & ((u64{1} << width) - 1);
    row >>= width;
    return value;
  };
  const auto corner = static_cast<u32>(take(short_row_format::corner));
  const auto width = static_cast<u32>(in.width), height = static_cast<u32>(in.height), line = corner / width;
  const u32 x = corner % width, y = Rank == 2 ? line : line % height, z = Rank == 2 ? 0 : line / height;
  const u64 to_z = Rank == 2 ? 0 : take(bits.side), to_y = take(bits.side), to_x = take(bits.side);
  const u64 area = take(bits.area) + 1;
  const u64 of_z = Rank == 2 ? 0 : take(bits.sum), of_y = take(bits.sum), of_x = take(bits.sum);
  const auto end = [](u32 begin, u64 to) { return static_cast<i32>(begin + static_cast<u32>(to)); };
  return {area,
          {area * z + of_z, area * y + of_y, area * x + of_x},
          {end(z, 0), end(y, 0), end(x, 0)},
          {end(z, to_z), end(y, to_y), end(x, to_x)}};
}

[[nodiscard]] SKERRY_BOTH inline geometry geometry_of(u64 row, const row_frame& in) {
  return in.rank == 2 ? geometry_of<2>(row, in) : geometry_of<3>(row, in);
}

}  // namespace skerry
