// SPDX-License-Identifier: Apache-2.0
// Stage 4, CUDA, where pixels join by value or axes are periodic: names of sets.
//
//   thread  the components of a tile whose first pixels lie in a word of 32
//   warp    the roots among them
//
// Reads   parent, tile_bits; root_bits and root_rank for labels
// Writes  the names, in the words of `parent` at the first pixels that components have in tiles
#pragma once
#include "label/cuda/joins/nodes.cuh"
#include "label/cuda/measure/tile_labels.cuh"

namespace skerry::label_stages::on_device {

/// What a component is called: by its first pixel, 1 + its node, or by its label, counted over all frames, 0 if it was dropped.
enum class name_kind : u8 { node, label };

__device__ inline u32 label_of_root(const node_tables& tables, u32 root) {
  label_tables ranked{};
  ranked.root_bits = tables.root_bits;
  ranked.root_rank = tables.root_rank;
  tiling one_row_of_tiles{};
  one_row_of_tiles.tiles_x = 1;
  return rank_of(one_row_of_tiles, ranked, {root / tile_width, static_cast<i32>(root % tile_width)}) + 1;
}
static_assert(no_rank + 1 == 0, "what was dropped has the label 0");

template <class Visit>
__device__ void each_component_of_tiles(const node_grid& grid, const node_tables& tables, const Visit& visit) {
  const u32 word = blockIdx.x * 256 + threadIdx.x;
  if (word >= grid.words()) return;
  for (u32 rest = tables.tile_bits[word]; rest != 0; rest &= rest - 1) visit(word * 32 + lowest_bit(rest));
}

/// Roots know their names, which a warp writes word by word, so that its threads write side by side.
template <name_kind Kind>
__device__ void name_roots(const node_tables& tables, u32 word, u32 roots) {
  u32 before = word * 32;
  if constexpr (Kind == name_kind::label) {
    before = roots == 0 ? 0 : tables.root_rank[word / unit_words];
    for (u32 other = word / unit_words * unit_words; other < word; ++other)
      before += roots == 0 ? 0 : __popc(tables.root_bits[other]);
  }
  const u32 lane = threadIdx.x % 32;
  for (u32 owners = __ballot_sync(~0u, roots != 0); owners != 0; owners &= owners - 1) {
    const int owner = static_cast<int>(lowest_bit(owners));
    const u32 bits = __shfl_sync(~0u, roots, owner), first = __shfl_sync(~0u, before, owner);
    const u32 node = (word - lane + static_cast<u32>(owner)) * 32 + lane;
    const u32 rank = Kind == name_kind::node ? lane : __popc(bits & ((1u << lane) - 1));
    if (bits >> lane & 1) device_words{tables.parent}.store(node, named | (first + rank + 1));
  }
}

/// Whoever meets a name on the way up takes it: it is that of the set. `root_bits` are those of all sets still.
template <name_kind Kind>
__global__ __launch_bounds__(256) void name_kernel(const node_grid grid, const node_tables tables) {
  const device_words parent{tables.parent};
  const u32 word = blockIdx.x * 256 + threadIdx.x;
  const bool exists = word < grid.words();
  const u32 components = exists ? tables.tile_bits[word] : 0, roots = exists ? tables.root_bits[word] : 0;
  name_roots<Kind>(tables, word, roots);
  for (u32 rest = components & ~roots; rest != 0; rest &= rest - 1) {
    const u32 node = word * 32 + lowest_bit(rest);
    u32 at = node, above = parent.load(at);
    while (above != at && (above & named) == 0) {
      at = above;
      above = parent.load(at);
    }
    if ((above & named) == 0) above = named | (Kind == name_kind::node ? at + 1 : label_of_root(tables, at));
    parent.store(node, above);
  }
}

/// Names by first pixels become labels.
__global__ __launch_bounds__(256) inline void rename_kernel(const node_grid grid, const node_tables tables) {
  each_component_of_tiles(grid, tables, [&](u32 node) {
    tables.parent[node] = named | label_of_root(tables, (tables.parent[node] & ~named) - 1);
  });
}

}  // namespace skerry::label_stages::on_device
