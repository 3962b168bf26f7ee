// SPDX-License-Identifier: Apache-2.0
// Stages 2 and 3, CUDA, where pixels join by value or axes are periodic: joined bits to sets of nodes.
//
//   thread  a word of 32 pixels: its runs, and the pairs that they are part of
//   block   a tile of 128 x 64 pixels, or 128 x 8 x 8: sets in shared memory, then the parent of each pixel
//   grid    pairs of pixels in different tiles, and across the borders of periodic axes, in device memory
//
// Reads   pair_bits
// Writes  parent, tile_bits, root_bits
// Needs   36 KB of shared memory per block
// Method  the root of a set is its first pixel, whatever the order of unions
#pragma once
#include "label/cuda/joins/nodes.cuh"
#include "label/cuda/tiles/memory.cuh"
#include "label/cuda/tiles/rows.cuh"

namespace skerry::label_stages::on_device {

inline constexpr int solve_threads = tile_rows * tile_words;

// ---- block ----------------------------------------------------------------------------------------

/// A run is named by its first pixel: bit b of word w of the tile is 33 w + b, so that the same bit of several words lies in several
/// banks.
struct solve_memory {
  static constexpr u32 pitch = 33;
  u32 foreground[solve_threads], starts[solve_threads];
  u16 incoming[solve_threads];  // of the run that begins in an earlier word of the row
  u32 parent[solve_threads * pitch];

  /// The name of the run at a pixel of the foreground.
  [[nodiscard]] __device__ u32 run_at(u32 word, u32 bit) const {
    const u32 begun = starts[word] & up_to(1u << bit);
    return begun != 0 ? word * pitch + highest_bit(begun) : incoming[word];
  }
};

/// The tile of a block, and the word of it that a thread has.
template <int Rank>
struct tile_word {
  using tile = join_tile<Rank>;
  i32 z, y, x;  // of the tile's first pixel
  const node_grid& grid;

  __device__ explicit tile_word(const node_grid& of) : grid(of) {
    const u32 tiles_y = (of.height + tile::height - 1) / tile::height, row = of.by_units_x.quotient(blockIdx.x);
    x = static_cast<i32>((blockIdx.x - row * of.units_x) * tile_width);
    z = static_cast<i32>(row / tiles_y) * tile::depth;
    y = static_cast<i32>(row % tiles_y) * tile::height;
  }
  [[nodiscard]] __device__ i32 z_of(u32 word) const { return z + static_cast<i32>(word / unit_words) / tile::height; }
  [[nodiscard]] __device__ i32 y_of(u32 word) const { return y + static_cast<i32>(word / unit_words) % tile::height; }
  [[nodiscard]] __device__ i32 x_of(u32 word) const { return x + static_cast<i32>(word % unit_words) * 32; }
  [[nodiscard]] __device__ bool inside(u32 word) const { return z_of(word) < grid.depth && y_of(word) < grid.height; }
  /// The node of the word's first pixel.
  [[nodiscard]] __device__ u32 node(u32 word) const { return grid.node(z_of(word), y_of(word), x_of(word)); }
};

template <int Rank>
__device__ void unite_in_tile(const tile_word<Rank>& at, const pair_bits& pairs, solve_memory& shared) {
  const u32 word = threadIdx.x;
  if (!at.inside(word)) return;
  const i32 z = at.z_of(word), y = at.y_of(word), x = at.x_of(word);
  const u32 from = at.node(word) / 32;
  const auto same = [](u32 run) { return run; };
#pragma unroll
  for (int k = 1; k < (Rank == 2 ? 4 : most_steps); ++k) {
    if (pairs.joined[k] == nullptr) continue;
    const pixel_step step = step_of(k);
    u32 bits = pixels_joined_inside<Rank>(at.grid, step, z, y, x);
    if (bits != 0) bits &= pairs.joined[k][from];
    for (; bits != 0; bits &= bits - 1) {
      const int bit = lowest_bit(bits), other = bit + step.dx;
      const int other_word = static_cast<int>(word) + (step.dz * join_tile<Rank>::height + step.dy) * tile_words +
                             (other < 0 ? -1 : other / 32);
      unite_by_splicing(block_words{shared.parent}, shared.run_at(word, static_cast<u32>(bit)),
                        shared.run_at(static_cast<u32>(other_word), static_cast<u32>(other & 31)), same);
    }
  }
}

/// Links the runs that begin in this thread's word to their roots; returns which are roots.
__device__ inline u32 flatten_runs(solve_memory& shared) {
  const block_words parent{shared.parent};
  u32 roots = 0;
  for (u32 rest = shared.starts[threadIdx.x]; rest != 0; rest &= rest - 1) {
    const u32 bit = lowest_bit(rest), run = threadIdx.x * solve_memory::pitch + bit;
    u32 root = parent.load(run);
    if (root == run) roots |= 1u << bit;
    for (u32 above = parent.load(root); above != root; above = parent.load(root)) root = above;
    parent.store(run, root);
  }
  return roots;
}

// ---- grid -----------------------------------------------------------------------------------------

template <int Rank>
__global__ __launch_bounds__(solve_threads) void solve_tiles_kernel(const node_grid grid, const pair_bits pairs,
                                                                    const node_tables tables) {
  __shared__ solve_memory shared;
  const tile_word<Rank> at(grid);
  const u32 word = threadIdx.x, lane = word % 32;
  const bool inside = at.inside(word);
  const u32 from = inside ? at.node(word) / 32 : 0;
  const u32 foreground = inside ? pairs.foreground[from] : 0;
  u32 along = inside ? pairs.joined[step_along_row][from] : 0;
  if (word % unit_words == 0) along &= ~1u;
  shared.foreground[word] = foreground;
  shared.starts[word] = foreground & ~along;
  for (u32 k = word; k < solve_threads * solve_memory::pitch; k += solve_threads) shared.parent[k] = k;
  __syncthreads();
  u32 before = word;
  if (along & 1) {  // not in the first word of a row, and then a word to the left has its beginning
    do --before;
    while (shared.starts[before] == 0);
    shared.incoming[word] = static_cast<u16>(before * solve_memory::pitch + highest_bit(shared.starts[before]));
  }
  __syncthreads();
  unite_in_tile<Rank>(at, pairs, shared);
  __syncthreads();
  const u32 roots = flatten_runs(shared);
  if (inside) tables.tile_bits[from] = tables.root_bits[from] = roots;
  __syncthreads();
#pragma unroll 4
  for (u32 k = word - lane; k < word - lane + 32; ++k) {
    if (!at.inside(k)) continue;
    u32 parent = named;
    if (shared.foreground[k] >> lane & 1) {
      const u32 root = shared.parent[shared.run_at(k, lane)], of = root / solve_memory::pitch;
      parent = at.node(of) + root % solve_memory::pitch;
    }
    tables.parent[at.node(k) + lane] = parent;
  }
}

/// Sets of nodes in device memory. A root that gets a parent loses its bit.
struct node_sets {
  device_words parent;
  u32* root_bits;

  /// Shortens the way up: a node that has a parent keeps one, since only roots are hooked.
  __device__ u32 root_of(u32 node) const {
    for (u32 above = parent.load(node); above != node;) {
      const u32 next = parent.load(above);
      if (next != above) parent.store(node, next);
      node = above;
      above = next;
    }
    return node;
  }
  __device__ void unite(u32 a, u32 b) const {
    for (;;) {
      a = root_of(a);
      b = root_of(b);
      if (a == b) return;
      const u32 later = max(a, b), earlier = min(a, b);
      const u32 seen = parent.exchange_if(later, later, earlier);
      if (seen == later) {
        atomicAnd(root_bits + later / 32, ~(1u << later % 32));
        return;
      }
      a = seen;
      b = earlier;
    }
  }
};

/// A coordinate that may be one step outside of an axis that wraps around.
__device__ inline i32 wrapped(i32 at, i32 side) { return at < 0 ? at + side : at >= side ? at - side : at; }

template <int Rank>
__global__ __launch_bounds__(256) void merge_tiles_kernel(const node_grid grid, const pair_bits pairs,
                                                          const node_tables tables) {
  const u32 word = blockIdx.x * 256 + threadIdx.x;
  if (word >= grid.words()) return;
  const node_place at = node_place::of(grid, word * 32);
  if (at.x >= grid.width) return;
  const node_sets sets{{tables.parent}, tables.root_bits};
#pragma unroll
  for (int k = 0; k < (Rank == 2 ? 4 : most_steps); ++k) {
    if (pairs.joined[k] == nullptr) continue;
    const pixel_step step = step_of(k);
    u32 bits = ~pixels_joined_inside<Rank>(grid, step, at.z, at.y, at.x);
    if (bits != 0) bits &= pairs.joined[k][word];
    for (; bits != 0; bits &= bits - 1) {
      const int bit = lowest_bit(bits);
      sets.unite(word * 32 + bit, grid.node(wrapped(at.z + step.dz, grid.depth), wrapped(at.y + step.dy, grid.height),
                                            wrapped(at.x + bit + step.dx, grid.width)));
    }
  }
}

}  // namespace skerry::label_stages::on_device
