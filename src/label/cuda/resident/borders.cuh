// SPDX-License-Identifier: Apache-2.0
// A frame whose tiles all run at once, CUDA: components of neighbouring tiles become one.
//
// Reads   the borders that tiles have told
// Writes  parent; root_node; takes from the first pixels of a tile, and from the counts, those that are none in the frame
// Needs   a barrier of the grid before and in between
// Method  a pair of border pixels is united by the tile below or to the right, if no pair beside it joins the same components
#pragma once
#include "label/cuda/resident/block.cuh"

namespace skerry::label_stages::on_device {

template <class Shape, class Features>
struct resident_borders {
  static constexpr int threads = Shape::group_words;
  const resident_block<Shape, Features>& block;

  /// Border components across a border: before, at and after a place of it.
  struct three {
    u32 tile[3], number[3];
    [[nodiscard]] __device__ bool has(int k) const { return number[k] != no_border_component; }
    [[nodiscard]] __device__ u64 node(int k) const { return u64{tile[k]} * Shape::border_capacity + number[k]; }
  };
  static constexpr int asked_for = Shape::axes > 1 ? 3 : 2;

  __device__ three above(int x) const {
    three found;
#pragma unroll
    for (int k = 0; k < asked_for; ++k) {
      const int other = x + k - 1, step = other < 0 ? -1 : other >= tile_width ? 1 : 0;
      found.tile[k] = block.tile - block.grid.tiles_x + step;
      found.number[k] = no_border_component;
      if (block.at.x + step >= 0 && block.at.x + step < block.grid.tiles_x)
        found.number[k] = __ldcg(block.out.bottom + u64{found.tile[k]} * tile_width + (other & (tile_width - 1)));
    }
    return found;
  }
  __device__ three left(int y) const {
    three found;
#pragma unroll
    for (int k = 0; k < asked_for; ++k) {
      const int other = y + k - 1;
      found.tile[k] = block.tile - 1;
      found.number[k] = no_border_component;
      if (other >= 0 && other < tile_rows)
        found.number[k] = __ldcg(block.out.right + u64{block.tile - 1} * tile_rows + other);
    }
    return found;
  }

  /// A word of a root that is none any more: its first pixel is none of the frame. `lost` counts those of this row of tiles.
  __device__ void take_from_counts(u64 word, u32& lost) const {
    const auto [y, x] = pixel_order::of(word);
    atomicSub(block.out.in_rows + block.out.four_rows(block.grid, x / tile_width, y), 1u << y % 4 * 8);
    if (y / tile_rows == block.at.y) ++lost;
    else block.out.in_band.take(y / tile_rows, 1);
  }

  /// Unites a pixel of this tile's border with those across that touch it, but for what its neighbours along the border do:
  /// `before` and `after` say whether they are set. By a whole warp, which unites each pair of components once: threads that
  /// unite the same pair wait for each other.
  __device__ void unite_with(const three& across, int row, int x, bool before, bool after, u32& lost) const {
    const resident_sets sets{{block.out.parent}};
    const bool set = block.is_set(row, x);
    const u32 number = set ? block.number_at(row, x) : 0;
#pragma unroll
    for (int k = 0; k < asked_for; ++k) {
      bool touches = set && across.has(k);
      if (k == 1) touches &= !before || !across.has(0);
      else touches &= Shape::axes > 1 && !across.has(1) && !(k == 0 ? before : after);
      if (!__any_sync(~0u, touches)) continue;
      const u32 pair = touches ? (across.tile[k] - block.tile) << 16 | number << 8 | across.number[k] : ~0u;
      if (is_first_of(__match_any_sync(~0u, pair)) && touches)
        unite_by_lowering(
            sets, sets.load(block.first_node() + number), sets.load(across.node(k)),
            [&](u64 word) { take_from_counts(word, lost); }, resident_sets::node_of);
    }
  }

  __device__ void unite() const {
    const auto set = [&](int y, int x) {
      return y >= 0 && y < tile_rows && x >= 0 && x < tile_width && block.is_set(y, x);
    };
    u32 lost = 0;
    for (int k = block.thread; k < tile_width + tile_rows; k += threads) {  // whole warps are at one side
      const int x = k, y = k - tile_width;
      if (y < 0 && block.at.y > 0) unite_with(above(x), 0, x, set(0, x - 1), set(0, x + 1), lost);
      if (y >= 0 && block.at.x > 0) unite_with(left(y), y, 0, set(y - 1, 0), set(y + 1, 0), lost);
    }
    lost = __reduce_add_sync(~0u, lost);
    if (block.lane == 0) block.out.in_band.take(block.at.y, lost);
  }

  /// Moves border components towards the roots of their sets, while others unite.
  __device__ void climb() const {
    for (u32 number = block.thread; number < block.border; number += threads) {
      const u64 node = block.first_node() + number;
      block.memory.root_node[number] = root_from(node, node);
    }
  }
  /// Finds the component of the frame of each border component. What is not its root is no component.
  __device__ void find_roots() const {
    for (u32 number = block.thread; number < block.border; number += threads) {
      const u32 node = block.first_node() + number, root = root_from(node, block.memory.root_node[number]);
      block.memory.root_node[number] = root;
      if (root == node) continue;
      const u32 first = block.parent.load(block.memory.border_run[number]) & 0x1fff;
      atomicAnd(&block.memory.tile.roots[first / 32], ~(1u << first % 32));
    }
  }

 private:
  __device__ u32 root_from(u64 node, u64 ancestor) const {
    return static_cast<u32>(link_to_root(resident_sets{{block.out.parent}}, node, ancestor, resident_sets::node_of));
  }
};

}  // namespace skerry::label_stages::on_device
