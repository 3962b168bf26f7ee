// SPDX-License-Identifier: Apache-2.0
// Where the tables of a CUDA job lie in the caller's scratch memory.
#pragma once
#include <algorithm>

#include "core/label_type.hpp"
#include "engine/cuda/pieces.cuh"
#include "label/cuda/resolve/select.cuh"
#include "label/cuda/tiles/encode_wide.cuh"
#include "label/select.hpp"
#include "skerry/cuda.hpp"
#include "skerry/error.hpp"

namespace skerry::label_stages::on_device {

inline constexpr u32 most_blocks = 4096, fixed_pool_tiles = 1024;

/// The image as packed bits, when it is not labelled as it comes: rows padded to whole tiles.
inline bit_rows lay_out_bits(pieces& scratch, const extent& size) {
  bit_rows bits{nullptr, (size.width + tile_width - 1) / tile_width * tile_words, size.height, size.width, size.rows()};
  scratch.take(bits.words, static_cast<u64>(bits.rows * bits.words_per_row));
  return bits;
}

struct job_tables {
  label_tables labels;
  select_tables select;
  u32* runs_before;  // [units]
  u64* run_offsets;  // [frames + 1]
};

[[nodiscard]] inline bool needs_features(const cuda::label_job& work) {
  return work.rows != nullptr || (selects(work.selection) && !selects_by_border_alone(work.selection));
}

/// Whether a job labels one plane by one kernel, and asks for nothing but labels, rows, offsets and overflow.
[[nodiscard]] inline bool is_one_plain_frame(const cuda::label_job& work) {
  const extent& size = work.image.size;
  return work.one_kernel && rank_of_connectivity(work.connectivity) == 2 && size.depth == 1 && size.pixels() != 0 &&
         !selects(work.selection) && !work.moments && !work.intensities && !work.real_intensities && !work.runs &&
         !work.run_offsets && !work.packed.bits;
}

/// Whether the table of a frame may have many rows. How many it can have is all that is known before a frame is looked at; tables
/// of few components are made sooner by one cluster (small_frame).
[[nodiscard]] inline bool may_have_many_rows(const cuda::label_job& work) {
  constexpr u64 pixels_of_few = 64;
  return work.row_capacity > static_cast<u64>(work.image.size.pixels()) / pixels_of_few;
}

/// The largest label of the label image, or no limit.
[[nodiscard]] inline u64 label_limit(const cuda::label_job& work) {
  const bool limited = work.labels.data != nullptr && work.numbering == cuda::numbering::consecutive;
  return limited ? largest_label(work.labels.type) : ~u64{0};
}

template <class Shape>
job_tables lay_out_tables(pieces& scratch, const tiling& grid, const cuda::label_job& work) {
  job_tables all{};
  label_tables& t = all.labels;
  const u64 tiles = grid.tiles, frames = frames_in<Shape>(grid);
  scratch.take(t.bits, tiles * tile_rows * tile_words);
  scratch.take(t.prefix, tiles * Shape::prefix_pitch);
  scratch.take(t.component, tiles * Shape::run_capacity);
  scratch.take(t.first, tiles * Shape::run_capacity);
  scratch.take(t.parent, tiles * Shape::border_capacity);
  scratch.take(t.info, tiles);
  scratch.take(t.edges, tiles * 16);
  scratch.take(t.root_bits, grid.units * tile_words);
  scratch.take(t.root_rank, grid.units);
  scratch.take(t.block_total, most_blocks);
  scratch.take(t.pool_used, 1);
  if (work.offsets != nullptr) t.offset = work.offsets;
  else scratch.take(t.offset, frames + 1);
  if (needs_features(work)) {
    // Few tiles have fixed pieces of the pool, which saves the counter and the node of a graph that clears it. So have
    // selections: every component must be seen, however few rows there are.
    const bool fixed = tiles <= fixed_pool_tiles || selects(work.selection);
    if (fixed && tiles * Shape::run_capacity > 0xffffffffu)
      throw invalid_argument("selection: more pixels than the cuda engine can select from");
    t.pool_capacity = static_cast<u32>(fixed ? tiles * Shape::run_capacity : std::min<u64>(work.row_capacity, ~0u - 1));
    if (fixed) t.pool_used = nullptr;
    scratch.take(t.border_features, tiles * Shape::border_capacity);
    scratch.take(t.pool, t.pool_capacity);
  }
  if (work.selection.largest != 0) all.select.lay_out(scratch, frames, grid.units);
  if (work.runs != nullptr || work.run_offsets != nullptr) {
    scratch.take(all.runs_before, grid.units);
    if (work.run_offsets != nullptr) all.run_offsets = work.run_offsets;
    else scratch.take(all.run_offsets, frames + 1);
  }
  return all;
}

}  // namespace skerry::label_stages::on_device
