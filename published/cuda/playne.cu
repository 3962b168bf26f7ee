// SPDX-License-Identifier: Apache-2.0
// The equivalence labelling of Playne and Hawick, without iterations.
//
//   initialise    each pixel takes a neighbour before it for its parent
//   resolve       each pixel takes its root
//   reduce        where a second neighbour is not joined through other pixels, the two are merged by atomicMin
//   resolve
//
// `playne-direct` does so on the image. `playne-block` does so in blocks of 32 x 32 pixels in shared memory first, and
// reduces at their borders after.
//
// Method  [PlayneHawick2018], direct and block method; the step `reduce` is [Lemaitre2021], algorithm 5
#include "published/cuda/border_links.cuh"
#include "published/cuda/equivalences.cuh"
#include "published/cuda/methods.hpp"

namespace skerry::published {
namespace {

constexpr u32 side = 32;  // of a block

// Which of the neighbours before a pixel are foreground. Two neighbours that touch are joined by their own pixels.
struct neighbours {
  bool north_west, north, north_east, west;

  // The one to begin with: 0 is the pixel itself, else how far it lies before it in lines of `pitch`.
  [[nodiscard]] __device__ u32 first(u32 pitch) const {
    if (north) return pitch;
    if (north_west) return pitch + 1;
    if (west) return 1;
    return north_east ? pitch - 1 : 0;
  }
  // One more that is to be merged; 0 is none. All others touch the first.
  [[nodiscard]] __device__ u32 second(bool diagonal, u32 pitch) const {
    if (diagonal) return !north && north_east && (north_west || west) ? pitch - 1 : 0;
    return north && west && !north_west ? 1 : 0;
  }
};

// Of pixel (y, x) among pixels of rows from `top` and columns from `left` on.
__device__ neighbours look(const device_image& image, i64 y, i64 x, i64 top, i64 left, i64 right, bool diagonal) {
  const auto is_set = [&](i64 row, i64 column) {
    return row >= top && column >= left && column < right && image.at(row, column);
  };
  neighbours found{};
  found.north = is_set(y - 1, x);
  found.west = is_set(y, x - 1);
  found.north_west = is_set(y - 1, x - 1);
  found.north_east = diagonal && is_set(y - 1, x + 1);
  return found;
}

__device__ u32 parent_of(const neighbours& near, bool diagonal, u32 i, u32 pitch) {
  if (diagonal) return i - near.first(pitch);
  return near.north ? i - pitch : near.west ? i - 1 : i;
}

// ---- direct -----------------------------------------------------------------------------------------------------------

__global__ void initialise(device_image image, label_table table, bool diagonal) {
  const u32 i = blockIdx.x * usual_threads + threadIdx.x;
  if (i >= image.size()) return;
  const u32 y = i / image.width, x = i % image.width;
  if (image.at(y, x)) table.set(i, parent_of(look(image, y, x, 0, 0, image.width, diagonal), diagonal, i, image.width));
}

__global__ void resolve(device_image image, label_table table) {
  const u32 i = blockIdx.x * usual_threads + threadIdx.x;
  if (i < image.size() && image.at(i / image.width, i % image.width)) table.set(i, table.close(i));
}

__global__ void reduce(device_image image, label_table table, bool diagonal) {
  const u32 i = blockIdx.x * usual_threads + threadIdx.x;
  if (i >= image.size()) return;
  const u32 y = i / image.width, x = i % image.width;
  if (!image.at(y, x)) return;
  const u32 far = look(image, y, x, 0, 0, image.width, diagonal).second(diagonal, image.width);
  if (far != 0) table.merge(i, i - far);
}

// ---- blocks -----------------------------------------------------------------------------------------------------------

// Links of pixels in the shared memory of a block. The same as label_table, on its words.
struct block_table {
  block_words parents;
  __device__ u32 find(u32 e) const {
    for (u32 above = parents.load(e); above != e; above = parents.load(e)) e = above;
    return e;
  }
  // The root, which becomes the parent of e; each step is stored, so that ways get shorter for all threads.
  __device__ u32 close(u32 e) const {
    u32 above = parents.load(e);
    if (above == e) return e;
    for (u32 next = parents.load(above); next != above; next = parents.load(above)) {
      parents.store(e, next);
      above = next;
    }
    return above;
  }
  __device__ void merge(u32 e1, u32 e2) const {
    e1 = find(e1);
    e2 = find(e2);
    while (e1 != e2) {
      if (e2 < e1) {
        const u32 larger = e1;
        e1 = e2;
        e2 = larger;
      }
      const u32 e = atomicMin(parents.words + e2, e1);
      if (e == e2) return;
      e2 = e;
    }
  }
};

// The pixels of a block, a word of bits for each row.
struct block_rows {
  const u32* rows;

  [[nodiscard]] __device__ bool is(u32 y, u32 x) const {  // -1 is outside as well
    return y < side && x < side && (rows[y] >> x & 1) != 0;
  }
  [[nodiscard]] __device__ neighbours look(u32 y, u32 x, bool diagonal) const {
    return {is(y - 1, x - 1), is(y - 1, x), diagonal && is(y - 1, x + 1), is(y, x - 1)};
  }
};

// A warp has a row of the block.
__global__ void __launch_bounds__(side* side) label_blocks(device_image image, label_table table, bool diagonal) {
  __shared__ u32 links[side * side], rows[side];
  const block_table local{{links}};
  const u32 across = blocks_of(image.width, side);
  const i64 top = i64{blockIdx.x / across} * side, left = i64{blockIdx.x % across} * side;
  const i64 y = top + threadIdx.y, x = left + threadIdx.x;
  const u32 i = threadIdx.y * side + threadIdx.x;
  const bool is_set = image.at(y, x);
  const u32 row = __ballot_sync(~0u, is_set);
  if (threadIdx.x == 0) rows[threadIdx.y] = row;
  __syncthreads();
  neighbours near{};
  if (is_set) near = block_rows{rows}.look(threadIdx.y, threadIdx.x, diagonal);
  local.parents.store(i, is_set ? parent_of(near, diagonal, i, side) : i);
  __syncthreads();
  local.parents.store(i, local.close(i));
  __syncthreads();
  const u32 far = is_set ? near.second(diagonal, side) : 0;
  if (far != 0) local.merge(i, i - far);
  __syncthreads();
  if (!is_set) return;
  const u32 last = local.find(i);
  table.set(static_cast<u32>(y * image.width + x),
            static_cast<u32>((top + last / side) * image.width + left + last % side));
}

// Pixels of the first row and column of each block with their neighbours in other blocks; 64 threads to a block.
__global__ void reduce_borders(device_image image, label_table table, bool diagonal) {
  const u32 across = blocks_of(image.width, side);
  const i64 top = i64{blockIdx.x / across} * side, left = i64{blockIdx.x % across} * side;
  const auto place = [&](i64 y, i64 x) { return static_cast<u32>(y * image.width + x); };
  each_border_link(image, side, top, left, diagonal, [&](i64 y, i64 x, i64 other_y, i64 other_x) {
    table.merge(place(y, x), place(other_y, other_x));
  });
}

// ---- both -------------------------------------------------------------------------------------------------------------

__global__ void write_labels(device_image image, label_table table, u32* labels) {
  const u32 i = blockIdx.x * usual_threads + threadIdx.x;
  if (i >= image.size()) return;
  labels[i] = image.at(i / image.width, i % image.width) ? table.close(i) + 1 : 0;
}

}  // namespace

device_answer playne_direct(const device_task& work) {
  const device_image& image = work.image;
  const u32 blocks = blocks_of(image.size(), usual_threads);
  const label_table table{work.memory.take<u32>(image.size(), "the equivalences")};
  const bool diagonal = work.connectivity == 8;
  work.phase("initialise", [&] { initialise<<<blocks, usual_threads, 0, work.stream>>>(image, table, diagonal); });
  work.phase("resolve", [&] { resolve<<<blocks, usual_threads, 0, work.stream>>>(image, table); });
  work.phase("reduce", [&] { reduce<<<blocks, usual_threads, 0, work.stream>>>(image, table, diagonal); });
  work.phase("resolve", [&] { write_labels<<<blocks, usual_threads, 0, work.stream>>>(image, table, work.labels); });
  return {.label_slots = image.size()};
}

device_answer playne_block(const device_task& work) {
  const device_image& image = work.image;
  const u64 tiles = u64{blocks_of(image.width, side)} * blocks_of(image.height, side);
  const auto blocks = static_cast<u32>(tiles);
  const label_table table{work.memory.take<u32>(image.size(), "the equivalences")};
  const bool diagonal = work.connectivity == 8;
  work.phase("label blocks",
             [&] { label_blocks<<<blocks, dim3(side, side), 0, work.stream>>>(image, table, diagonal); });
  work.phase("reduce borders", [&] { reduce_borders<<<blocks, 2 * side, 0, work.stream>>>(image, table, diagonal); });
  work.phase("resolve", [&] {
    write_labels<<<blocks_of(image.size(), usual_threads), usual_threads, 0, work.stream>>>(image, table, work.labels);
  });
  return {.label_slots = image.size()};
}

}  // namespace skerry::published
