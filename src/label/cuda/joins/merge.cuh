// SPDX-License-Identifier: Apache-2.0
// Stage 3, CUDA, where pixels join by value or axes are periodic: pairs of pixels in different tiles, and across the borders of
// periodic axes.
//
//   thread  a word of 32 pixels
//   grid    sets of components of tiles, in device memory
//
// Reads   pair_bits, runs_before, run_first
// Writes  parent, root_bits
// Method  the root of a set is its first pixel, whatever the order of unions
#pragma once
#include "core/union_find.hpp"
#include "label/cuda/joins/pairs.cuh"

namespace skerry::label_stages::on_device {

/// Sets of nodes in device memory. A root that gets a parent loses its bit.
struct node_sets {
  device_words parent;
  u32* root_bits;

  __device__ void unite(u32 a, u32 b) const {
    unite_roots(parent, a, b, [&](u32 node) { atomicAnd(root_bits + node / 32, ~(1u << node % 32)); });
  }
};

template <int Rank>
__global__ __launch_bounds__(256) void merge_tiles_kernel(const node_grid grid, const pair_bits pairs,
                                                          const node_tables tables) {
  constexpr int steps = word_pairs<Rank>::steps;
  const u32 word = blockIdx.x * 256 + threadIdx.x;
  if (word >= grid.words()) return;
  const node_place place = node_place::of(grid, word * 32);
  if (place.x >= grid.width) return;
  const pixel_word at{place.z, place.y, place.x, word};
  u32 across[steps], any = 0;
#pragma unroll
  for (int k = 0; k < steps; ++k) {
    across[k] = ~pixels_joined_inside<Rank>(grid, step_of(k), at.z, at.y, at.x);
    if (across[k] != 0 && pairs.joined[k] != nullptr) any |= across[k] & pairs.joined[k][word];
  }
  if (any == 0) return;
  const word_pairs<Rank> joined(grid, pairs, at);
  const node_sets sets{{tables.parent}, tables.root_bits};
  const named_word own = named_word::of(grid, pairs, tables, at.z, at.y, at.x);
#pragma unroll
  for (int k = 0; k < steps; ++k) {
    const pixel_step step = step_of(k);
    for (u32 bits = joined.bits[k] & across[k]; bits != 0; bits &= bits - 1) {
      const int bit = lowest_bit(bits);
      const i32 z = wrapped(at.z + step.dz, grid.depth), y = wrapped(at.y + step.dy, grid.height),
                x = wrapped(at.x + bit + step.dx, grid.width);
      const named_word other = named_word::of(grid, pairs, tables, z, y, x);
      sets.unite(own.node_of(grid, tables, static_cast<u32>(bit)),
                 other.node_of(grid, tables, static_cast<u32>(x % 32)));
    }
  }
}

}  // namespace skerry::label_stages::on_device
