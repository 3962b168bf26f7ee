// SPDX-License-Identifier: Apache-2.0
// Where the tables of jobs lie whose pixels join by value or whose axes are periodic.
#pragma once
#include "engine/cuda/pieces.cuh"
#include "label/cuda/joins/select.cuh"
#include "label/cuda/launch.cuh"
#include "label/select.hpp"

namespace skerry::label_stages::on_device {

using cuda::label_job;

inline bool is_volume(const label_job& work) { return rank_of_connectivity(work.connectivity) == 3; }

inline node_grid node_grid_of(const label_job& work) {
  const extent& size = work.image.size;
  const auto units_x = static_cast<u64>((size.width + tile_width - 1) / tile_width);
  const u64 units = units_x * static_cast<u64>(size.rows());
  if (units > ((u64{1} << 31) - 1) / tile_width)
    throw invalid_argument("image: more pixels than the cuda engine can join by value or around axes");
  node_grid grid{};
  grid.depth = static_cast<i32>(size.depth);
  grid.height = static_cast<i32>(size.height);
  grid.width = static_cast<i32>(size.width);
  grid.units_x = static_cast<u32>(units_x);
  grid.units = static_cast<u32>(units);
  grid.frames = is_volume(work) ? 1 : static_cast<u32>(size.depth);
  if (units != 0) grid.by_units_x = divisor(grid.units_x), grid.by_height = divisor(static_cast<u32>(grid.height));
  using plane = join_tile<2>;
  using volume = join_tile<3>;
  grid.depth_bits = is_volume(work) ? volume::depth_bits : plane::depth_bits;
  grid.height_bits = is_volume(work) ? volume::height_bits : plane::height_bits;
  grid.wraps_z = work.periodic.z, grid.wraps_y = work.periodic.y, grid.wraps_x = work.periodic.x;
  return grid;
}

struct joined_tables {
  pair_bits pairs;
  node_tables nodes;
  area_and_border* areas;  // [units][128]
  select_tables select;
  u32* runs_before;  // [units]
  u64* run_offsets;  // [frames + 1]
};

inline joined_tables lay_out_joined(pieces& scratch, const node_grid& grid, const label_job& work) {
  joined_tables t{};
  const u64 words = grid.words(), units = grid.units;
  scratch.take(t.pairs.foreground, words);
  for (int k = 0; k < most_steps; ++k)
    if (has_step(k, work.connectivity)) scratch.take(t.pairs.joined[k], words);
  scratch.take(t.nodes.parent, units * tile_width);
  scratch.take(t.nodes.tile_bits, words);
  scratch.take(t.nodes.root_bits, words);
  scratch.take(t.nodes.root_rank, units);
  scratch.take(t.nodes.block_total, most_blocks);
  scratch.take(t.nodes.runs_before, words);
  scratch.take(t.nodes.run_first, units * tile_width);
  if (work.offsets != nullptr) t.nodes.offset = work.offsets;
  else scratch.take(t.nodes.offset, grid.frames + u64{1});
  if (selects(work.selection)) scratch.take(t.areas, units * tile_width);
  if (work.selection.largest != 0) t.select.lay_out(scratch, grid.frames, units);
  if (work.runs != nullptr || work.run_offsets != nullptr) {
    scratch.take(t.runs_before, units);
    if (work.run_offsets != nullptr) t.run_offsets = work.run_offsets;
    else scratch.take(t.run_offsets, grid.frames + u64{1});
  }
  return t;
}

inline u32 blocks_for(u64 count, u32 of_block) { return static_cast<u32>((count + of_block - 1) / of_block); }

}  // namespace skerry::label_stages::on_device
