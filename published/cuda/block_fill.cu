// SPDX-License-Identifier: Apache-2.0
// Flood fill of small squares, one thread each, joined through their borders.
//
//   fill          in each square of 32 x 32 pixels, regions get colours that no other square uses, by the plainest fill:
//                 the square is gone through again and again until nothing changes
//   colour map    different colours that are neighbours across the grid of borders become one
//   recolouring   each pixel takes the colour that its own has become
//
// Method  [BlockFill2011]; 4 neighbours as there, and 8
#include "published/cuda/equivalences.cuh"
#include "published/cuda/methods.hpp"

namespace skerry::published {
namespace {

constexpr u32 side = 32, threads = 256;
constexpr u32 first_colour = 2;  // 0 is blank, 1 is not marked yet

struct squares {
  u32 across, down;
  [[nodiscard]] __host__ __device__ u32 count() const { return across * down; }
};

__global__ void copy_pixels(device_image image, u32* colours) {
  const u64 i = u64{blockIdx.x} * threads + threadIdx.x;
  if (i < image.size()) colours[i] = image.at(static_cast<i64>(i / image.width), static_cast<i64>(i % image.width));
}

// One square. Neighbours are looked for inside of it only; at the far borders of the image squares are cut off.
struct square_fill {
  u32* pixels;  // its first
  u32 width, height, pitch;
  bool diagonal;

  [[nodiscard]] __device__ bool is(u32 y, u32 x, u32 colour) const {
    return y < height && x < width && pixels[u64{y} * pitch + x] == colour;  // -1 is above them as well
  }
  [[nodiscard]] __device__ bool touches(u32 y, u32 x, u32 colour) const {
    if (is(y, x - 1, colour) || is(y, x + 1, colour) || is(y - 1, x, colour) || is(y + 1, x, colour)) return true;
    return diagonal && (is(y - 1, x - 1, colour) || is(y - 1, x + 1, colour) || is(y + 1, x - 1, colour) ||
                        is(y + 1, x + 1, colour));
  }
  // Fills one region, which begins at the first pixel that is not marked. False when there is none.
  [[nodiscard]] __device__ bool fill(u32 colour) const {
    bool has_begun = false;
    for (bool changes = true; changes;) {
      changes = false;
      for (u32 y = 0; y < height; ++y)
        for (u32 x = 0; x < width; ++x) {
          if (!is(y, x, 1) || (has_begun && !touches(y, x, colour))) continue;
          pixels[u64{y} * pitch + x] = colour;
          has_begun = changes = true;
        }
    }
    return has_begun;
  }
};

__global__ void fill_squares(device_image image, squares grid, u32* colours, label_table map, bool diagonal) {
  const u32 id = blockIdx.x * threads + threadIdx.x;
  if (id >= grid.count()) return;
  const u32 y = id / grid.across * side, x = id % grid.across * side;
  const square_fill square{colours + u64{y} * image.width + x, min(side, image.width - x), min(side, image.height - y),
                           image.width, diagonal};
  for (u32 colour = first_colour + id; square.fill(colour); colour += grid.count())
    map.parents[colour - first_colour] = colour - first_colour;
}

// Pixels of the first row and column of each square with those before them; 64 threads to a square.
__global__ void join_colours(device_image image, squares grid, const u32* colours, label_table map, bool diagonal) {
  const i64 top = i64{blockIdx.x / grid.across} * side, left = i64{blockIdx.x % grid.across} * side;
  const bool is_row = threadIdx.x < side;
  const i64 y = is_row ? top : top + threadIdx.x - side, x = is_row ? left + threadIdx.x : left;
  if (!image.at(y, x)) return;
  const u32 own = colours[y * image.width + x];
  const auto join = [&](i64 row, i64 column) {
    if (image.at(row, column)) map.merge(own - first_colour, colours[row * image.width + column] - first_colour);
  };
  if (is_row) join(y - 1, x);
  else join(y, x - 1);
  if (!diagonal) return;
  join(y - 1, x - 1);
  if (is_row) join(y - 1, x + 1);
  else join(y + 1, x - 1);
}

__global__ void recolour(u64 pixels, u32* colours, label_table map) {
  const u64 i = u64{blockIdx.x} * threads + threadIdx.x;
  if (i < pixels && colours[i] != 0) colours[i] = map.find(colours[i] - first_colour) + 1;
}

}  // namespace

device_answer block_fill(const device_task& work) {
  const device_image& image = work.image;
  const squares grid{blocks_of(image.width, side), blocks_of(image.height, side)};
  constexpr u64 most_regions = side * side / 2;  // of a square: a chessboard
  const u64 colours = grid.count() * most_regions;
  const label_table map{work.memory.take<u32>(colours, "the colour map")};
  const bool diagonal = work.connectivity == 8;
  const cudaStream_t stream = work.stream;
  const u32 blocks = blocks_of(image.size(), threads);
  work.phase("fill", [&] {
    copy_pixels<<<blocks, threads, 0, stream>>>(image, work.labels);
    fill_squares<<<blocks_of(grid.count(), threads), threads, 0, stream>>>(image, grid, work.labels, map, diagonal);
  });
  work.phase("colour map",
             [&] { join_colours<<<grid.count(), 2 * side, 0, stream>>>(image, grid, work.labels, map, diagonal); });
  work.phase("recolouring", [&] { recolour<<<blocks, threads, 0, stream>>>(image.size(), work.labels, map); });
  return {.label_slots = colours};
}

}  // namespace skerry::published
