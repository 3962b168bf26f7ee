// SPDX-License-Identifier: Apache-2.0
// Which rows touch which, and how an image is cut into tiles and blocks.
#include <algorithm>
#include <bit>

#include "core/adjacency.hpp"
#include "max_tree/cpu/stages.hpp"

namespace skerry::tree_stages {

namespace {

class row_list {
 public:
  constexpr row_list(int rank, int axes) {
    each_row_of_neighbours(rank, axes, [this](int dz, int dy, int reach) { rows_[count_++] = {dz, dy, reach}; });
  }
  [[nodiscard]] constexpr std::span<const neighbour_row> rows() const { return {rows_.data(), count_}; }

 private:
  std::array<neighbour_row, 9> rows_{};
  std::size_t count_ = 0;
};

constexpr row_list of_planes[] = {{2, 1}, {2, 2}}, of_volumes[] = {{3, 1}, {3, 2}, {3, 3}};

}  // namespace

std::span<const neighbour_row> neighbourhood_rows(int rank, int connectivity) {
  const int axes = axes_of(connectivity);
  return (rank == 2 ? of_planes[axes - 1] : of_volumes[axes - 1]).rows();
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
