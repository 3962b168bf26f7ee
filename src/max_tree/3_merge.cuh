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
//         two pairs are left out for each other.
#pragma once
#include "max_tree/1_encode.cuh"
#include "max_tree/links.cuh"
#include "max_tree/tree_grid.cuh"

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

  // For 8 neighbours: four pixels around a border, of two tiles, need one pair, as in stage 2. Four tiles have slanted pairs.
  __device__ void join_four(const spot& p, bool is_first, i32 left) const {
    if (is_first) join_slanted<-1, 0>(p);
    if (left == 1) {
      join_slanted<1, 0>(p);
      if (is_first) join_pair(p, moved<1, 0, 0>(p));
      return;
    }
    const spot next = moved<0, 1, 0>(p);
    const u32 here = level_of_four(p);
    if (!is_first && here == lower_of_pair(p)) return;
    if (here > lower_of_pair(next) || left == 2 || level_of_four(next) <= here)
      join_pair(lowest_along(p, here), lowest_along(moved<1, 0, 0>(p), here));
  }
  // Of a pixel and the next along the border the lower one that is not below the level: the way down to it is shortest.
  __device__ spot lowest_along(const spot& p, u32 level) const {
    const spot next = moved<0, 1, 0>(p);
    const u32 here = key(p), there = key(next);
    return (min(here, there) >= level ? there < here : here < there) ? next : p;
  }
  __device__ u32 level_of_four(const spot& p) const {
    const spot beside = moved<1, 0, 0>(p);
    return min(max(key(p), key(moved<0, 1, 0>(p))), max(key(beside), key(moved<0, 1, 0>(beside))));
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
__global__ void __launch_bounds__(merge_threads)
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
