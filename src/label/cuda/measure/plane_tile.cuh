// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA, planes: what a block knows of its tile before it sums, and which component each pixel of a patch belongs to.
//
//   thread  a word of a row of the tile, then a patch of 4 x 8 pixels
//   block   one tile
//
// Reads   bits, prefix, component, info, parent
#pragma once
#include "label/cuda/measure/patch_runs.cuh"
#include "label/cuda/measure/tile_labels.cuh"

namespace skerry::label_stages::on_device {

template <class Shape>
struct plane_tile {
  static constexpr u32 none = 2;  // so many words before the first run: there, too, something may be read
  uint4
      words[Shape::group_words];  // both rows of a word of a group, starts of runs in it, and how many runs come before
  alignas(4) u16 run_component[none + Shape::run_capacity];
};

/// What a thread reads of the tables of its tile: all that follows from the counts of the tile at once.
template <class Shape>
class tile_reads {
 public:
  static_assert(Shape::rank == 2 && Shape::word_bits == 32 && Shape::group_rows == 2);
  static_assert(label_threads == tile_rows * tile_words && label_threads >= Shape::border_capacity);

  __device__ explicit tile_reads(const placed_tile& tile) : of_(tile), thread_(threadIdx.x) {
    const label_tables& tables = tile.tables;
    const u16* const prefix = tables.prefix + u64{tile.number} * Shape::prefix_pitch;
    runs_ = prefix[Shape::group_words];
    own_ = tables.bits[u64{tile.number} * (tile_rows * tile_words) + thread_];
    before_ = prefix[word_of_thread()];
    if (thread_ < tile.info.border) parent_ = tables.parent[tile.number * Shape::border_capacity + thread_];
    two_components_ = components_of_runs(thread_);
  }
  /// Where the component with the number of this thread has its root.
  [[nodiscard]] __device__ border_component root() const {
    return thread_ < of_.info.border
               ? border_component{parent_ / Shape::border_capacity, parent_ % Shape::border_capacity}
               : border_component{of_.number, thread_};
  }
  /// By all threads of the block.
  __device__ void write_to(plane_tile<Shape>& tile) const {
    const bool is_lower = thread_ / tile_words % 2 != 0;
    const u32 other = __shfl_xor_sync(~0u, own_, tile_words);
    group_word<Shape> here{{is_lower ? other : own_, is_lower ? own_ : other}, {}};
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      const u32 left = __shfl_up_sync(~0u, here.row[row], 1);
      here.left[row] = thread_ % tile_words > 0 ? left : 0;
    }
    if (!is_lower) tile.words[word_of_thread()] = make_uint4(here.row[0], here.row[1], here.starts(), before_);
    u32* const pairs = reinterpret_cast<u32*>(tile.run_component + tile.none);
    if (2 * thread_ < runs_) pairs[thread_] = two_components_;
#pragma unroll 1
    for (u32 k = thread_ + label_threads; 2 * k < runs_; k += label_threads) pairs[k] = components_of_runs(k);
  }

 private:
  [[nodiscard]] __device__ u32 word_of_thread() const {
    return thread_ / (2 * tile_words) * tile_words + thread_ % tile_words;
  }
  /// Of the runs 2 k and 2 k + 1, if they exist.
  [[nodiscard]] __device__ u32 components_of_runs(u32 k) const {
    const u16* const component = of_.tables.component + u64{of_.number} * Shape::run_capacity;
    if (2 * k + 1 < runs_) return reinterpret_cast<const u32*>(component)[k];
    return 2 * k < runs_ ? component[2 * k] : 0;
  }

  const placed_tile& of_;
  u32 thread_, own_, before_, runs_;
  u32 parent_ = 0, two_components_ = 0;
};

/// The foreground of a thread's patch, and which component its pixels belong to.
template <class Shape>
class component_patch {
 public:
  /// Of a tile of one component only the pixels are known.
  __device__ component_patch(const plane_tile<Shape>& tile, u32 components) : tile_(tile) {
    u32 upper[patch_groups], lower[patch_groups];
#pragma unroll
    for (u32 g = 0; g < patch_groups; ++g) upper[g] = tile.words[word_of(g)].x, lower[g] = tile.words[word_of(g)].y;
    const u32 above = nibbles_of_patch(upper), below = nibbles_of_patch(lower);
    if (components == 1) runs_.pixels = above | below << patch_width;
    else find_runs(above, below);
  }
  [[nodiscard]] __device__ u32 pixels() const { return runs_.pixels; }
  [[nodiscard]] __device__ u32 component_of(u32 pixel) const {
    if (runs_.first >> pixel & 1) return of_group(first_, pixel / 8);
    if (Shape::axes > 1 || runs_.second >> pixel & 1) return of_group(second_, pixel / 8);
    const uint4 word = tile_.words[word_of(pixel / 8)];
    const u32 up_to_pixel = (2u << (patch_x() % 32 + pixel % 4)) - 1;
    return tile_.run_component[tile_.none - 1 + word.w + ones(word.z & up_to_pixel)];
  }
  /// Pixels of a component; of runs that are neither the first nor the second of their group only this one.
  [[nodiscard]] __device__ u32 pixels_of(u32 component, u32 pixel) const {
    u32 found = runs_.first & groups_of(first_, component);
    if (runs_.second != 0) found |= runs_.second & groups_of(second_, component);
    return found | 1u << pixel;
  }

 private:
  __device__ void find_runs(u32 above, u32 below) {
    u32 starts[patch_groups], run[patch_groups];
    const u32 earlier_columns = (1u << patch_x() % 32) - 1;
#pragma unroll
    for (u32 g = 0; g < patch_groups; ++g) {
      const uint4 word = tile_.words[word_of(g)];
      starts[g] = word.z;
      run[g] = word.w + ones(word.z & earlier_columns);
    }
    runs_ = patch_runs<Shape>::of(above, below, nibbles_of_patch(starts));
    const u16* const component = tile_.run_component + tile_.none - 1;
#pragma unroll
    for (u32 g = 0; g < patch_groups; ++g) {
      run[g] += runs_.first_begins >> 8 * g & 0xff;
      first_[g] = component[run[g]];
      second_[g] = 0;
    }
    if (runs_.second != 0)
#pragma unroll
      for (u32 g = 0; g < patch_groups; ++g) second_[g] = component[run[g] + 1];
  }
  /// Word of the g-th group.
  __device__ static u32 word_of(u32 g) { return (patch_y() / 2 + g) * tile_words + patch_x() / 32; }
  __device__ static u32 of_group(const u32 (&components)[patch_groups], u32 group) {
    const u32 low = group % 2 == 0 ? components[0] : components[1],
              high = group % 2 == 0 ? components[2] : components[3];
    return group < 2 ? low : high;
  }
  __device__ static u32 groups_of(const u32 (&components)[patch_groups], u32 component) {
    u32 found = 0;
#pragma unroll
    for (u32 g = 0; g < patch_groups; ++g) found += components[g] == component ? 0xffu << 8 * g : 0;
    return found;
  }

  const plane_tile<Shape>& tile_;
  patch_runs<Shape> runs_;
  u32 first_[patch_groups], second_[patch_groups];  // components; anything where there is no pixel of the run
};

}  // namespace skerry::label_stages::on_device
