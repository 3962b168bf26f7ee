// SPDX-License-Identifier: Apache-2.0
// Flood fill of small squares, a warp each, joined through their borders.
//
//   fill          in each square of 32 x 32 pixels, regions get colours that no other square uses, by the plainest fill:
//                 a region grows until nothing changes. A thread has a line of the square as bits
//   colour map    different colours that are neighbours across the grid of borders become one
//   recolouring   each pixel takes the colour that its own has become
//
// Method  [BlockFill2011]; 4 neighbours as there, and 8
#include "published/cuda/border_links.cuh"
#include "published/cuda/equivalences.cuh"
#include "published/cuda/methods.hpp"

namespace skerry::published {
namespace {

constexpr u32 square_side = 32, warps = usual_threads / 32;
constexpr u32 first_colour = 2;  // as in the text, where 0 is blank and 1 not marked yet

struct squares {
  u32 across, down;
  [[nodiscard]] __host__ __device__ u32 count() const { return across * down; }
};

// The runs of a line that some of its pixels are in: a sum carries from each of them to the end of its run.
struct line_runs {
  u32 pixels, mirrored;

  __device__ static line_runs of(u32 bits) { return {bits, __brev(bits)}; }
  [[nodiscard]] __device__ u32 with(u32 some) const {
    some |= pixels & ~(pixels + some);
    const u32 back = __brev(some);
    return __brev(back | (mirrored & ~(mirrored + back)));
  }
};

// All pixels of a region of the square from some of them on; each thread has those of its line.
__device__ u32 grow(const line_runs& line, u32 region, bool diagonal, u32 lane) {
  for (u32 before = ~region; __any_sync(~0u, before != region);) {
    before = region;
    const u32 above = __shfl_up_sync(~0u, region, 1), below = __shfl_down_sync(~0u, region, 1);
    u32 around = (lane > 0 ? above : 0) | (lane < square_side - 1 ? below : 0);
    if (diagonal) around |= around << 1 | around >> 1;
    region = line.with(region | (around & line.pixels));
  }
  return region;
}

// Pixels past the image are blank.
__device__ u32 line_of_square(const device_image& image, u32 top, u32 left, u32 lane) {
  u32 bits = 0;
#pragma unroll 8
  for (u32 line = 0; line < square_side; ++line) {
    const u32 votes = __ballot_sync(~0u, image.at(i64{top} + line, i64{left} + lane));
    if (line == lane) bits = votes;
  }
  return bits;
}

__global__ void __launch_bounds__(usual_threads)
    fill_squares(device_image image, squares grid, u32* colours, label_table map, bool diagonal) {
  __shared__ u32 filled[warps][square_side][square_side + 1];
  const u32 lane = threadIdx.x % 32, id = blockIdx.x * warps + threadIdx.x / 32;
  if (id >= grid.count()) return;
  const u32 top = id / grid.across * square_side, left = id % grid.across * square_side;
  const line_runs line = line_runs::of(line_of_square(image, top, left, lane));
  u32(&square)[square_side][square_side + 1] = filled[threadIdx.x / 32];
  for (u32 x = 0; x < square_side; ++x) square[lane][x] = 0;
  u32 unmarked = line.pixels;
  for (u32 colour = first_colour + id;; colour += grid.count()) {
    const u32 lines = __ballot_sync(~0u, unmarked != 0);
    if (lines == 0) break;
    const u32 first = lane == static_cast<u32>(__ffs(lines)) - 1 ? unmarked & (0 - unmarked) : 0;
    const u32 region = grow(line, first, diagonal, lane);
    for (u32 left_over = region; left_over != 0; left_over &= left_over - 1) square[lane][__ffs(left_over) - 1] = colour;
    unmarked &= ~region;
    if (lane == 0) map.parents[colour - first_colour] = colour - first_colour;
  }
  __syncwarp();
  for (u32 y = 0; y < square_side && top + y < image.height; ++y)
    if (left + lane < image.width) colours[u64{top + y} * image.width + left + lane] = square[y][lane];
}

// Pixels of the first row and column of each square with those before them; 64 threads to a square.
__global__ void join_colours(device_image image, squares grid, const u32* colours, label_table map, bool diagonal) {
  const i64 top = i64{blockIdx.x / grid.across} * square_side, left = i64{blockIdx.x % grid.across} * square_side;
  const auto colour = [&](i64 y, i64 x) { return colours[y * image.width + x] - first_colour; };
  each_border_link(image, square_side, top, left, diagonal, [&](i64 y, i64 x, i64 other_y, i64 other_x) {
    map.merge(colour(y, x), colour(other_y, other_x));
  });
}

__global__ void recolour(u64 pixels, u32* colours, label_table map) {
  const u64 i = u64{blockIdx.x} * usual_threads + threadIdx.x;
  if (i < pixels && colours[i] != 0) colours[i] = map.find(colours[i] - first_colour) + 1;
}

}  // namespace

device_answer block_fill(const device_task& work) {
  const device_image& image = work.image;
  const squares grid{blocks_of(image.width, square_side), blocks_of(image.height, square_side)};
  constexpr u64 most_regions = square_side * square_side / 2;  // of a square: a chessboard
  const u64 colours = grid.count() * most_regions;
  const label_table map{work.memory.take<u32>(colours, "the colour map")};
  const bool diagonal = work.connectivity == 8;
  const cudaStream_t stream = work.stream;
  const u32 blocks = blocks_of(image.size(), usual_threads);
  work.phase("fill", [&] {
    fill_squares<<<blocks_of(grid.count(), warps), usual_threads, 0, stream>>>(image, grid, work.labels, map, diagonal);
  });
  work.phase("colour map",
             [&] { join_colours<<<grid.count(), 2 * square_side, 0, stream>>>(image, grid, work.labels, map, diagonal); });
  work.phase("recolouring", [&] { recolour<<<blocks, usual_threads, 0, stream>>>(image.size(), work.labels, map); });
  return {.label_slots = colours};
}

}  // namespace skerry::published
