// SPDX-License-Identifier: Apache-2.0
// Stage 2, CUDA: what a block keeps of its tile in shared memory, and what its words mean.
#pragma once
#include "engine/cuda/warp.cuh"
#include "label/cuda/tiles/encode.cuh"
#include "label/cuda/tiles/links.cuh"

namespace skerry::label_stages::on_device {

// A word of `parent` is a link (the number of an earlier run, or the run's own), or once the block has numbered its
// components: in a root, `settled | number << 16 | first pixel`; elsewhere, `settled | follower | component << 16 | root`.
inline constexpr u32 settled = 1u << 31, follower = 1u << 30, alone = 1u << 29;
__device__ inline u32 number_in(u32 word) { return word >> 16 & 0xfff; }

struct local_tuning {
  // Components of more than one piece in a tile of noise are at most 380 of 1440 runs (orthogonal neighbours, 35 %).
  template <class Shape>
  static constexpr int features_at_once = Shape::axes == 1 ? 384 : 496;
  // A processor waits less with more blocks, even where a few registers are spilled for them; with features it does not.
  template <class Shape, class Features>
  static constexpr int blocks_per_processor() {
    if (Features::wanted) return Shape::group_words <= 64 ? 16 : Shape::axes == 1 ? 8 : 10;
    constexpr int most = threads_at_once / Shape::group_words;
    constexpr int wanted = Shape::rank == 2 ? 12 : Shape::connectivity == 26 ? 20 : Shape::connectivity == 18 ? 14 : 10;
    return wanted < most ? wanted : most;
  }
};

struct no_features {
  static constexpr bool wanted = false;
};
struct with_features {
  static constexpr bool wanted = true;
};

template <class Shape>
struct run_flags {
  u32 on_border[Shape::run_capacity / 32];  // runs that touch the tile's surface, then also roots of such
  u32 joined[Shape::run_capacity / 32];     // roots of more than one run
};

template <class Shape>
struct sums_of_components {
  static constexpr int capacity = local_tuning::features_at_once<Shape>;
  static constexpr int rows = Shape::rank == 3 ? 6 : 5;
  u32 words[rows * capacity];
  u16 root[capacity];
};

/// Shared memory is what limits how many blocks run at once: what is not needed at the same time lies in one place.
template <class Shape, class Features>
struct local_memory {
  alignas(16) u32 bits[tile_rows * tile_words];
  union {
    run_flags<Shape> flags;                         // until the components are numbered
    alignas(16) u32 roots[tile_rows * tile_words];  // a bit at the first pixel of each component
  };
  u32 parent[Shape::run_capacity];
  typename Shape::word starts[Shape::group_words];
  u16 prefix[Shape::prefix_pitch];
  u32 warp_total[8];
  u32 numbered;        // border components << 16 | others, without those of one piece when features are wanted
  u32 numbered_alone;  // those of one piece, inside the tile: no sums are kept for them
  u32 pool_begin;
  std::conditional_t<Features::wanted, sums_of_components<Shape>, u32> sums;
  static_assert(sizeof(flags) <= sizeof(roots));
};

}  // namespace skerry::label_stages::on_device
