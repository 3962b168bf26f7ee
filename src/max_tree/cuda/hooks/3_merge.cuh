// SPDX-License-Identifier: Apache-2.0
// Stage 3, CUDA, merge: joins the trees of neighbouring tiles.
//
//   thread  a pixel of a border, and those that it touches across it
//   grid    all borders, those across one axis after those across another
//
// Reads   keys along the borders
// Writes  links of the chains that are joined, in device memory
// Method  as in stage 2: pairs of pixels that another way connects at no lower level are left out. A straight pair is left
//         out for its neighbours between the same two tiles, a slanted one for pixels that touch both of its pixels; so no
//         two pairs are left out for each other. With 8 neighbours two rows of pixels across a border have one pair, which is
//         left out for that of the row before or after where the row they share connects both, in the two pixels of each side.
#pragma once
#include "max_tree/cuda/1_encode.cuh"
#include "max_tree/cuda/hooks/links.cuh"
#include "max_tree/cuda/tree_grid.cuh"

namespace skerry::tree_stages::on_device {

inline constexpr int merge_threads = 128;

// Trees of tiles whose pixels are linked.
template <class Key>
struct joined_links {
  grey_source<Key> image;
  image_links links;

  __device__ u32 height(i32 x, i32 y, i32 z, u32) const { return image.key(x, y, z); }
  __device__ void join(u32 a, u32 height_a, u32 b, u32 height_b) const {
    chain_walk<image_links, u64> walk;
    walk.begin(links, word_of<u64>(height_a + 1, a), word_of<u64>(height_b + 1, b));
    while (walk.step(links)) {}
  }
};

// Axes are x, y, z. Borders across one axis are made of lines along another.
template <int Connectivity, class Trees, int Axis>
class border_merger {
 public:
  static constexpr int rank = rank_of<Connectivity>;
  static constexpr int along = Axis == 1 ? 0 : 1, across = Axis == 2 ? 0 : 2;
  using grid_type = tree_grid<rank>;

  struct spot {
    i32 at[3];
  };

  __device__ border_merger(const grid_type& grid, const Trees& trees) : grid_(grid), trees_(trees) {}

  // One pixel of a line, with those across the border.
  __device__ void join(i32 border, i32 line, i32 place) const {
    spot p{};
    p.at[Axis] = (border + 1) * grid_type::side - 1;
    p.at[across] = line;
    p.at[along] = place;
    const i32 first = place >> grid_type::shift << grid_type::shift;
    const i32 last = min(first + grid_type::side, grid_.size_along(along));
    if constexpr (Connectivity == 8) return join_four(p, place == first, last - place);
    const u32 here = lower_of_pair(p);
    const bool above_before = place == first || here > lower_of_pair(moved<0, -1, 0>(p));
    if (above_before && (place + 1 == last || here >= lower_of_pair(moved<0, 1, 0>(p))))
      join_pair(p, moved<1, 0, 0>(p));
    if constexpr (Connectivity == 26) join_slanted(p);
  }

 private:
  // Steps in the directions of the axis, along and across.
  template <int A, int B, int C>
  __device__ static spot moved(spot p) {
    p.at[Axis] += A;
    p.at[along] += B;
    p.at[across] += C;
    return p;
  }
  __device__ u32 pixel(const spot& p) const { return grid_.pixel(p.at[0], p.at[1], p.at[2]); }
  __device__ u32 key(const spot& p) const { return trees_.height(p.at[0], p.at[1], p.at[2], pixel(p)); }
  __device__ u32 lower_of_pair(const spot& p) const { return min(key(p), key(moved<1, 0, 0>(p))); }
  __device__ void join_pair(const spot& p, const spot& q) const { trees_.join(pixel(p), key(p), pixel(q), key(q)); }

  // For 8 neighbours: a pair of each two rows of pixels across the border, as in stage 2 between strips; where four tiles meet
  // also slanted pairs. One loop, so that there is one walk in the kernel.
  __device__ void join_four(const spot& p, bool is_first, i32 left) const {
#pragma unroll 1
    for (int k = 0; k < 3; ++k) {
      spot a = p, b = moved<1, 0, 0>(p);
      if (k == 0 ? !find_pair(a, b, is_first, left) : !(k == 1 ? is_first : left == 1)) continue;
      if (k != 0) {
        const int step = k == 1 ? -1 : 1;
        b.at[along] += step;
        if (!is_kept_slanted(p, b, step)) continue;
      }
      join_pair(a, b);
    }
  }

  // Two pixels of the border and beyond, from one tile to the other.
  struct row_across {
    u32 outer_a, a, b, outer_b;
    // At which the row connects both sides.
    __device__ u32 level() const { return min(max(outer_a, a), max(b, outer_b)); }
    __device__ u32 level_with(const row_across& next) const { return min(max(a, next.a), max(b, next.b)); }
  };
  __device__ row_across row(spot p, i32 step) const {
    p.at[along] += step;
    const spot b = moved<1, 0, 0>(p);
    const bool ends = b.at[Axis] + 1 >= grid_.size_along(Axis);  // the tile has one pixel, which stands for two
    return {key(moved<-1, 0, 0>(p)), key(p), key(b), key(ends ? b : moved<1, 0, 0>(b))};
  }

  // Whether the row at a and b and the next one need a pair, and from where: the lowest pixels that are not below its level, since
  // the way down from these is shortest.
  __device__ bool find_pair(spot& a, spot& b, bool is_first, i32 left) const {
    if (left == 1) return is_first;
    const row_across here = row(a, 0), next = row(a, 1);
    const u32 level = here.level_with(next);
    if (!is_first && here.level() >= level && row(a, -1).level_with(here) >= level) return false;
    if (left > 2 && next.level() >= level && next.level_with(row(a, 2)) > level) return false;
    lower(a, level, here.a, here.outer_a, next.a, next.outer_a, -1);
    lower(b, level, here.b, here.outer_b, next.b, next.outer_b, 1);
    return true;
  }
  __device__ static void lower(spot& p, u32 level, u32 here, u32 outer, u32 next, u32 outer_next, i32 outward) {
    u32 least = here - level;  // what is below the level becomes larger than all others
    i32 out = 0, step = 0;
    const auto look = [&](u32 key, i32 new_out, i32 new_step) {
      const bool better = key - level < least;
      least = better ? key - level : least;
      out = better ? new_out : out;
      step = better ? new_step : step;
    };
    look(next, 0, 1);
    look(outer, outward, 0);  // if there is none, that of the border, which has been looked at
    look(outer_next, outward, 1);
    p.at[Axis] += out;
    p.at[along] += step;
  }

  // Four tiles: the pair belongs to the border across the first axis.
  __device__ bool is_kept_slanted(const spot& p, const spot& q, i32 step) const {
    if (Axis != 0 || q.at[along] < 0 || q.at[along] >= grid_.size_along(along)) return false;
    const u32 lower = min(key(p), key(q));
    spot beside = p;
    beside.at[along] += step;
    return key(moved<1, 0, 0>(p)) < lower && key(beside) < lower;
  }

  __device__ void join_slanted(const spot& p) const {
    join_slanted<1, 0>(p);
    join_slanted<-1, 0>(p);
    join_slanted<0, 1>(p);
    join_slanted<0, -1>(p);
    join_slanted<1, 1>(p);
    join_slanted<1, -1>(p);
    join_slanted<-1, 1>(p);
    join_slanted<-1, -1>(p);
  }

  // Pairs that cross borders of several axes belong to the first of these.
  template <int B, int C>
  __device__ void join_slanted(const spot& p) const {
    const spot q = moved<1, B, C>(p);
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      if (q.at[axis] < 0 || q.at[axis] >= grid_.size_along(axis)) return;
      if (axis < Axis && q.at[axis] >> grid_type::shift != p.at[axis] >> grid_type::shift) return;
    }
    const u32 lower = min(key(p), key(q));
    bool keep = true;
    each_between<1, B, C>([&](int a, int b, int c) {
      spot between = p;
      between.at[Axis] += a;
      between.at[along] += b;
      between.at[across] += c;
      keep &= key(between) < lower;
    });
    if (keep) join_pair(p, q);
  }

  const grid_type& grid_;
  const Trees& trees_;
};

// Blocks of each axis.
template <int Rank>
struct border_blocks {
  u32 of_axis[3] = {};

  explicit border_blocks(const tree_grid<Rank>& grid) {
    for (int axis = 0; axis < Rank; ++axis) {
      const i64 line = axis == 1 ? grid.width : grid.height, lines = axis == 2 ? grid.width : grid.depth;
      of_axis[axis] =
          static_cast<u32>((line * lines * (grid.tiles_along(axis) - 1) + merge_threads - 1) / merge_threads);
    }
  }
};

template <int Connectivity, int Axis, class Trees>
__device__ void merge_across(const tree_grid<rank_of<Connectivity>>& grid, const Trees& trees, u32 block) {
  using merger = border_merger<Connectivity, Trees, Axis>;
  const i32 length = grid.size_along(merger::along), lines = grid.size_along(merger::across);
  const i64 number = i64{block} * merge_threads + threadIdx.x, line = number / length;
  const i32 border = static_cast<i32>(line / lines);
  if (border >= grid.tiles_along(Axis) - 1) return;
  merger(grid, trees).join(border, static_cast<i32>(line % lines), static_cast<i32>(number - line * length));
}

template <int Connectivity, class Trees>
__global__ void __launch_bounds__(merge_threads, Connectivity == 8 ? 2048 / merge_threads : 1)
    merge_kernel(tree_grid<rank_of<Connectivity>> grid, Trees trees, border_blocks<rank_of<Connectivity>> blocks) {
  u32 block = blockIdx.x;
  if (block < blocks.of_axis[0]) return merge_across<Connectivity, 0>(grid, trees, block);
  block -= blocks.of_axis[0];
  if (rank_of<Connectivity> == 2 || block < blocks.of_axis[1]) return merge_across<Connectivity, 1>(grid, trees, block);
  if constexpr (rank_of<Connectivity> == 3) merge_across<Connectivity, 2>(grid, trees, block - blocks.of_axis[1]);
}

// Borders across all axes at once: whoever waits for a long chain leaves the device to others.
template <int Connectivity, class Trees>
cudaError_t launch_merge(const tree_grid<rank_of<Connectivity>>& grid, const Trees& trees, cudaStream_t stream) {
  const border_blocks<rank_of<Connectivity>> blocks(grid);
  const u32 all = blocks.of_axis[0] + blocks.of_axis[1] + blocks.of_axis[2];
  if (all == 0) return cudaSuccess;
  merge_kernel<Connectivity><<<all, merge_threads, 0, stream>>>(grid, trees, blocks);
  return cudaGetLastError();
}

}  // namespace skerry::tree_stages::on_device
