// SPDX-License-Identifier: Apache-2.0
// Which rows touch which, and how an image is cut into tiles and blocks.
#include <algorithm>
#include <bit>

#include "max_tree/cpu/stages.hpp"

namespace skerry::tree_stages {

namespace {

constexpr neighbour_row plane_straight[] = {{0, -1, 0}, {0, 0, 1}, {0, 1, 0}};
constexpr neighbour_row plane_slanted[] = {{0, -1, 1}, {0, 0, 1}, {0, 1, 1}};
constexpr neighbour_row volume_straight[] = {{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
constexpr neighbour_row volume_edges[] = {{-1, -1, 0}, {-1, 0, 1}, {-1, 1, 0}, {0, -1, 1}, {0, 0, 1},
                                          {0, 1, 1},   {1, -1, 0}, {1, 0, 1},  {1, 1, 0}};
constexpr neighbour_row volume_slanted[] = {{-1, -1, 1}, {-1, 0, 1}, {-1, 1, 1}, {0, -1, 1}, {0, 0, 1},
                                            {0, 1, 1},   {1, -1, 1}, {1, 0, 1},  {1, 1, 1}};

}  // namespace

std::span<const neighbour_row> neighbourhood_rows(int rank, int connectivity) {
  if (rank == 2) return connectivity == 4 ? std::span<const neighbour_row>(plane_straight) : plane_slanted;
  if (connectivity == 6) return volume_straight;
  return connectivity == 18 ? std::span<const neighbour_row>(volume_edges) : volume_slanted;
}

row_blocks::row_blocks(const extent& size, i64 pixels)
    : rows_(size.rows()), each_(std::max<i64>(1, pixels / std::max<i64>(1, size.width))) {}

tiling::tiling(const extent& size, i64 pixels) : sides_{size.depth, size.height, size.width} {
  const auto most = static_cast<int>(std::bit_width(static_cast<u64>(std::clamp<i64>(pixels, 1, i64{1} << 16)))) - 1;
  // One doubling after the other goes to the shortest side, along a row before others.
  for (int given = 0; given < most; ++given) {
    std::size_t shortest = 3;
    for (const std::size_t axis : {2, 1, 0})
      if (i64{1} << shifts_[axis] < sides_[axis] && (shortest == 3 || shifts_[axis] < shifts_[shortest]))
        shortest = axis;
    if (shortest == 3) break;
    ++shifts_[shortest];
  }
  count_tiles();
  // Places are 32 bits. Images that have more, because tiles are cut off along several axes, get tiles that fit them better.
  while (static_cast<u64>(tiles()) << cell_bits() > u64{1} << 32) {
    const auto waste = [&](std::size_t axis) {
      return static_cast<double>(counts_[axis] << shifts_[axis]) / static_cast<double>(sides_[axis]);
    };
    std::size_t worst = 0, longest = 0;
    for (const std::size_t axis : {1, 2}) {
      worst = waste(axis) > waste(worst) ? axis : worst;
      longest = sides_[axis] > sides_[longest] ? axis : longest;
    }
    --shifts_[worst];
    ++shifts_[longest];
    count_tiles();
  }
}

void tiling::count_tiles() {
  for (std::size_t axis = 0; axis < 3; ++axis)
    counts_[axis] = (sides_[axis] + (i64{1} << shifts_[axis]) - 1) >> shifts_[axis];
}

box tiling::tile(std::size_t number) const {
  const auto n = static_cast<i64>(number);
  return tiles({n / counts_[2] / counts_[1], n / counts_[2] % counts_[1], n % counts_[2]}, {1, 1, 1});
}

box tiling::tiles(const std::array<i64, 3>& first, const std::array<i64, 3>& count) const {
  box b;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    b.begin[axis] = first[axis] << shifts_[axis];
    b.end[axis] = std::min(sides_[axis], (first[axis] + count[axis]) << shifts_[axis]);
  }
  return b;
}

std::size_t ranked_scratch::bytes() const {
  std::size_t total = pairs.bytes() + room.bytes() + ways.bytes() + places.bytes() + lines.bytes() +
                      at_borders.bytes() + branches.bytes() + sets.bytes() + weights.bytes() + branch_parts.bytes();
  for (const ranked_tile_scratch& tile : tiles) total += tile.bytes();
  return total;
}

}  // namespace skerry::tree_stages
