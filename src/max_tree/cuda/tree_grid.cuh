// SPDX-License-Identifier: Apache-2.0
// How the CUDA engine cuts an image into tiles of 4096 pixels, each solved by one block of 256 threads: squares of 64, in
// volumes cubes of 16. In both, a thread has 16 pixels below each other.
#pragma once
#include "core/adjacency.hpp"
#include "skerry/image.hpp"

namespace skerry::tree_stages::on_device {

inline constexpr int tile_threads = 256, tile_pixels = 4096, run_pixels = 16;
inline constexpr u32 nowhere = ~0u;  // no pixel

// Pixels [0, width) × [0, height) × [0, depth) from a corner on: a tile, cut off at the far borders of the image.
struct tile_box {
  i32 x, y, z, width, height, depth;
  __device__ bool holds(int dx, int dy, int dz) const {
    return 0 <= dx && dx < width && 0 <= dy && dy < height && 0 <= dz && dz < depth;
  }
};

template <int Rank>
struct tree_grid {
  static constexpr int shift = Rank == 2 ? 6 : 4;
  static constexpr int side = 1 << shift, tile_depth = Rank == 2 ? 1 : side;

  i32 width, height, depth;  // of the image
  i32 tiles_x, tiles_y, tiles_z;

  explicit tree_grid(const extent& size)
      : width(static_cast<i32>(size.width)), height(static_cast<i32>(size.height)), depth(static_cast<i32>(size.depth)),
        tiles_x(tiles_of(size.width, side)), tiles_y(tiles_of(size.height, side)),
        tiles_z(tiles_of(size.depth, tile_depth)) {}
  // Of sides near 2^31, too.
  static i32 tiles_of(i64 pixels, i64 along) { return static_cast<i32>((pixels + along - 1) / along); }

  [[nodiscard]] u32 tiles() const { return static_cast<u32>(i64{tiles_x} * tiles_y * tiles_z); }
  SKERRY_BOTH i32 size_along(int axis) const { return axis == 0 ? width : axis == 1 ? height : depth; }
  SKERRY_BOTH i32 tiles_along(int axis) const { return axis == 0 ? tiles_x : axis == 1 ? tiles_y : tiles_z; }

  __device__ tile_box tile(u32 number) const {
    const i32 tx = static_cast<i32>(number % static_cast<u32>(tiles_x)),
              row = static_cast<i32>(number / static_cast<u32>(tiles_x));
    if constexpr (Rank == 2)
      return {tx * side, row * side, 0, min(side, width - tx * side), min(side, height - row * side), 1};
    const i32 x = tx * side, y = row % tiles_y * side, z = row / tiles_y * tile_depth;
    return {x, y, z, min(side, width - x), min(side, height - y), min(tile_depth, depth - z)};
  }
  // Raster index in the image.
  __device__ u32 pixel(i32 x, i32 y, i32 z) const {
    return (static_cast<u32>(z) * static_cast<u32>(height) + static_cast<u32>(y)) * static_cast<u32>(width) +
           static_cast<u32>(x);
  }
  // Raster index in the tile: of pixels in one tile the order is the same.
  SKERRY_BOTH static constexpr int place(int x, int y, int z) { return ((z << shift) + y << shift) + x; }
  SKERRY_BOTH static constexpr int x_of(int place) { return place & (side - 1); }
  SKERRY_BOTH static constexpr int y_of(int place) { return place >> shift & (side - 1); }
  SKERRY_BOTH static constexpr int z_of(int place) { return Rank == 2 ? 0 : place >> 2 * shift; }
};

// The place in a tile of a pixel of the image; -1 if it is somewhere else.
template <int Rank>
__device__ int place_in_tile(const tree_grid<Rank>& grid, const tile_box& inside, u32 pixel) {
  const u32 row = pixel / static_cast<u32>(grid.width);
  const int x = static_cast<int>(pixel - row * static_cast<u32>(grid.width)) - inside.x;
  const int y = static_cast<int>(row % static_cast<u32>(grid.height)) - inside.y;
  const int z = static_cast<int>(row / static_cast<u32>(grid.height)) - inside.z;
  return inside.holds(x, y, z) ? tree_grid<Rank>::place(x, y, z) : -1;
}

template <int Rank>
__device__ u32 pixel_at(const tree_grid<Rank>& grid, const tile_box& inside, int place) {
  using g = tree_grid<Rank>;
  return grid.pixel(inside.x + g::x_of(place), inside.y + g::y_of(place), inside.z + g::z_of(place));
}

template <int Connectivity>
inline constexpr int rank_of = rank_of_connectivity(Connectivity);

// Calls visit(x, y, z) for the pixels between two that touch on several axes: those that differ from the first on some of
// the axes, but not on all, as the second does.
template <int Dx, int Dy, int Dz, class Visit>
__device__ void each_between(Visit visit) {
  constexpr int all = (Dx != 0 ? 1 : 0) | (Dy != 0 ? 2 : 0) | (Dz != 0 ? 4 : 0);
#pragma unroll
  for (int some = 1; some < 7; ++some)
    if ((some & all) == some && some != all) visit(some & 1 ? Dx : 0, some & 2 ? Dy : 0, some & 4 ? Dz : 0);
}

struct offset {
  int x, y, z;
};

// The neighbours before a pixel of a volume in raster order.
template <int Connectivity>
__device__ offset earlier(int way) {
  if constexpr (Connectivity == 6) return {-(way == 0), -(way == 1), -(way == 2)};
  else return {way % 3 - 1, way / 3 % 3 - 1, way / 9 - 1};  // the 13 before the middle of a cube
}

// Calls visit(place) for the neighbours of a pixel of a volume in the tile.
template <int Connectivity, class Visit>
__device__ void each_neighbour(const tile_box& inside, int x, int y, int z, Visit visit) {
#pragma unroll
  for (int dz = -1; dz <= 1; ++dz)
#pragma unroll
    for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
      for (int dx = -1; dx <= 1; ++dx) {
        const int moved = (dx != 0) + (dy != 0) + (dz != 0);
        if (moved == 0 || (Connectivity == 6 && moved > 1)) continue;
        if (inside.holds(x + dx, y + dy, z + dz)) visit(tree_grid<3>::place(x + dx, y + dy, z + dz));
      }
}

// Calls visit(find(place, x, y, z), x, y, z) for the pixels of a tile that this thread has: rows of pixels for rows of
// threads. By all threads: those of a warp wait for each other after each find, as they would not come together by themselves
// when it is a loop.
template <int Rank, class Find, class Visit>
__device__ void each_pixel(const tile_box& inside, Find find, Visit visit) {
#pragma unroll 4
  for (int k = 0; k < run_pixels; ++k) {
    const int place = k * tile_threads + static_cast<int>(threadIdx.x);
    const int x = tree_grid<Rank>::x_of(place), y = tree_grid<Rank>::y_of(place), z = tree_grid<Rank>::z_of(place);
    const bool holds = inside.holds(x, y, z);
    decltype(find(place, x, y, z)) found{};
    if (holds) found = find(place, x, y, z);
    __syncwarp();
    if (holds) visit(found, x, y, z);
  }
}
template <int Rank, class Visit>
__device__ void each_pixel(const tile_box& inside, Visit visit) {
#pragma unroll 4
  for (int k = 0; k < run_pixels; ++k) {
    const int place = k * tile_threads + static_cast<int>(threadIdx.x);
    const int x = tree_grid<Rank>::x_of(place), y = tree_grid<Rank>::y_of(place), z = tree_grid<Rank>::z_of(place);
    if (inside.holds(x, y, z)) visit(place, x, y, z);
    __syncwarp();
  }
}

}  // namespace skerry::tree_stages::on_device
