// SPDX-License-Identifier: Apache-2.0
// Stage 2, CUDA: label each tile by itself, in shared memory. The kernel swallows stage 1, and the part of stage 5 that
// needs the runs.
//
//   thread  one word of one group of rows: finds the runs that start there and the pairs of runs that touch
//   block   one tile: numbers its runs, unites them, numbers its components
//   grid    tiles do not meet here, stage 3 joins their borders
//
// Reads   the image
// Writes  bits, prefix, component, first, info, parent (each border component alone), root_bits, features of components
// Needs   4 bytes of shared memory per possible run, 22 or 26 more per component for features
// Method  a run's first link to an earlier run is a plain store, links are shortened by pointer jumping, and only the
//         pairs that are left are united; [PlayneHawick2018], [Jaiganesh2018]
#pragma once
#include "label/cuda/tiles/memory.cuh"

namespace skerry::label_stages::on_device {

template <class Shape, class Features>
struct local_block {
  using memory = local_memory<Shape, Features>;
  using word = typename Shape::word;
  static constexpr int words = Shape::words, word_bits = Shape::word_bits;
  const tiling& grid;
  const label_tables& tables;
  const u32 tile;
  const tile_place at;
  memory& shared;
  const int thread, lane, warp, group, column;
  const block_words parent;
  group_word<Shape> here;                 // the pixels of this thread's word
  u32 runs = 0;                           // of the tile
  word starts = 0;                        // in this thread's word
  u32 runs_before = 0;                    // this thread's word
  word unlinked = 0;                      // starts of the runs without a first link
  word open[Shape::earlier_groups] = {};  // pairs with earlier groups that no first link has taken
  runs_of_word<word> earlier[Shape::earlier_groups];
  word roots = 0;  // starts of the runs that became roots
  word lone = 0;   // of `roots`, those of components of one piece
  u32 border_components = 0, summed_components = 0, components = 0;

  __device__ local_block(const tiling& g, const label_tables& t, u32 tile_number, memory& m)
      : grid(g), tables(t), tile(tile_number), at(tile_place::of(g, tile_number)), shared(m), thread(threadIdx.x),
        lane(threadIdx.x % 32), warp(threadIdx.x / 32), group(threadIdx.x / words),
        column(threadIdx.x % words), parent{m.parent} {}

  /// Numbers the runs of the tile, in the order of groups.
  __device__ void number_runs() {
    here = group_word<Shape>::of(shared.bits, group, column);
    starts = here.starts();
    runs_before = sum_before_thread<Shape::group_words>(count_bits(starts), shared.warp_total, runs);
    shared.starts[thread] = starts;
    shared.prefix[thread] = static_cast<u16>(runs_before);
    u16* prefix = tables.prefix + u64{tile} * Shape::prefix_pitch;
    prefix[thread] = static_cast<u16>(runs_before);
    if (thread == 0) prefix[Shape::group_words] = static_cast<u16>(runs);
    u32* bits = tables.bits + u64{tile} * (tile_rows * tile_words);
    for (int k = thread; k < tile_rows; k += Shape::group_words)
      reinterpret_cast<uint4*>(bits)[k] = reinterpret_cast<const uint4*>(shared.bits)[k];
    if (thread < tile_rows) {
      const uint4 row = reinterpret_cast<const uint4*>(shared.bits)[thread];
      const u32 left = __ballot_sync(~0u, row.x & 1), right = __ballot_sync(~0u, row.w >> 31);
      u32* edges = reinterpret_cast<u32*>(tables.edges) + u64{tile} * 4 + warp;
      if (lane == 0) edges[0] = left, edges[2] = right;
    }
  }

  template <int K>
  __device__ void find_pairs() {
    constexpr int dz = earlier_dz<Shape>(K), dy = earlier_dy<Shape>(K);
    const int z = group / Shape::groups_y + dz, y = group % Shape::groups_y + dy;
    const bool inside = z >= 0 && y >= 0 && y < Shape::groups_y;
    word touch = 0;
    earlier[K] = {0, 0};
    if (inside) {
      const int other = z * Shape::groups_y + y;
      touch = touching<Shape, dz, dy>(group_word<Shape>::of(shared.bits, other, column), here);
      earlier[K] = {shared.starts[other * words + column], shared.prefix[other * words + column]};
    }
    const word left = __shfl_up_sync(~0u, touch, 1);
    open[K] = first_touches<word>(touch, earlier[K].starts | starts, column > 0 ? left >> (word_bits - 1) : 0);
  }

  /// Gives each run that starts in this word its first link: to a run that it touches, or to itself.
  __device__ void link_runs() {
    each_earlier([&](auto k) { find_pairs<k.value>(); });
    const word border = border_pixels();
    if (border & ((starts & -starts) - 1)) mark(shared.flags.on_border, runs_before - 1);
    unlinked = first_links(
        own(), open, [&](int k, word bit) { return earlier[k].at(bit); },
        [&](u32 run, u32 to, word reach) {
          if (border & reach) mark(shared.flags.on_border, run);
          shared.parent[run] = to;
        });
  }

  /// Each link is moved by its own thread alone.
  __device__ void shorten_links(int rounds) {
    for (int round = 0; round < rounds; ++round)
      for (u32 run = thread; run < runs; run += Shape::group_words) jump(parent, run);
  }

  /// The runs of this thread's word.
  __device__ runs_of_word<word> own() const { return {starts, runs_before}; }

  __device__ void unite_runs() {
    unite_open(
        parent, open, [&](word bit) { return own().at(bit); }, [&](int k, word bit) { return earlier[k].at(bit); });
  }

  /// Pixels of this word that have a neighbour in another tile.
  __device__ word border_pixels() const {
    const bool above = at.y > 0, below = at.y + 1 < grid.tiles_y;
    const bool front = Shape::rank == 3 && at.z > 0, back = Shape::rank == 3 && at.z + 1 < grid.tiles_z;
    const word sides = word{column == 0 && at.x > 0} | word{column == words - 1 && at.x + 1 < grid.tiles_x}
                                                           << (word_bits - 1);
    return here.pixels_of(group, sides, [&](int row) {
      const int z = row / Shape::height, y = row % Shape::height;
      return (y == 0 && above) || (y == Shape::height - 1 && below) || (z == 0 && front) ||
             (z == Shape::depth - 1 && back);
    });
  }

  __device__ static void mark(u32* flags, u32 run) { atomicOr(flags + run / 32, 1u << run % 32); }
  __device__ static bool marked(const u32* flags, u32 run) { return flags[run / 32] >> run % 32 & 1; }

  /// Links each run to its root, and tells the roots what they must know.
  __device__ void flatten() {
    shorten_links(link_tuning::jump_rounds_after);
    for (u32 run = thread; run < runs; run += Shape::group_words) {
      u32 root = parent.load(run);
      if (root == run) continue;
      root = link_to_root(parent, run, root);
      if (marked(shared.flags.on_border, run)) mark(shared.flags.on_border, root);
      if constexpr (Features::wanted) mark(shared.flags.joined, root);
    }
  }

  __device__ void clear_roots() const {
    for (int k = thread; k < tile_rows * tile_words; k += Shape::group_words) shared.roots[k] = 0;
  }

  /// First pixel, in raster order, of the run at `start` within this word: row << 7 | x.
  __device__ u32 first_pixel(word reach) const {
    u32 place = 0x1fff;
#pragma unroll
    for (int k = Shape::group_rows - 1; k >= 0; --k) {
      const word part = here.row[k] & reach;
      if (part != 0) place = group_word<Shape>::row_of(group, k) << 7 | (column * word_bits + lowest_bit(part));
    }
    return place;
  }

  /// Whether a run goes on in the word to the right.
  __device__ bool ends_here(word reach) const {
    return column == words - 1 || (here.any() & reach) >> (word_bits - 1) == 0;
  }

  /// Numbers the components. Which number a component gets depends on timing, what it gets in the end does not.
  __device__ void number_components() {
    word border = 0;
    for (word rest = unlinked; rest != 0; rest &= rest - 1) {
      const word bit = rest & -rest;
      const u32 run = own().at(bit);
      if (parent.load(run) != run) continue;
      roots |= bit;
      if (marked(shared.flags.on_border, run)) border |= bit;
      else if (Features::wanted && !marked(shared.flags.joined, run) &&
               ends_here(span<word>(bit, starts & ~up_to(bit))))
        lone |= bit;
    }
    if (!__any_sync(~0u, roots != 0)) return;
    const u32 count = count_bits(border) << 16 | count_bits(roots & ~border & ~lone), count_alone = count_bits(lone);
    u32 sum = count, sum_alone = count_alone;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const u32 other = __shfl_up_sync(~0u, sum, step),
                other_alone = Features::wanted ? __shfl_up_sync(~0u, sum_alone, step) : 0;
      if (lane >= step) sum += other, sum_alone += other_alone;
    }
    u32 begin = 0, next_alone = 0;
    if (lane == 31 && sum != 0) begin = atomicAdd(&shared.numbered, sum);
    begin = __shfl_sync(~0u, begin, 31) + sum - count;
    if constexpr (Features::wanted) {
      if (lane == 31 && sum_alone != 0) next_alone = atomicAdd(&shared.numbered_alone, sum_alone);
      next_alone = __shfl_sync(~0u, next_alone, 31) + sum_alone - count_alone;
    }
    u32 next_border = begin >> 16, next_inner = runs - 1 - (begin & 0xffff);
    for (word rest = roots; rest != 0;) {
      const word bit = rest & -rest;
      rest ^= bit;
      const u32 number = lone & bit ? alone | next_alone++ << 16 : (border & bit ? next_border++ : next_inner--) << 16;
      parent.store(own().at(bit), settled | number | first_pixel(span<word>(bit, starts & ~up_to(bit))));
    }
  }

  /// Inner components are numbered from the end while the number of border components is not known.
  __device__ u32 component_of(u32 link) const {
    const u32 number = number_in(link);
    if (link & alone) return summed_components + number;
    return number < border_components ? number : border_components + runs - 1 - number;
  }

  __device__ void write_components() {
    border_components = shared.numbered >> 16;
    summed_components = components = border_components + (shared.numbered & 0xffff);
    if constexpr (Features::wanted) components += shared.numbered_alone;
    u16* component = tables.component + u64{tile} * Shape::run_capacity;
    for (u32 run = thread; run < runs; run += Shape::group_words) {
      const u32 link = parent.load(run);
      const u32 answer = component_of(link & settled ? link : parent.load(link));
      component[run] = static_cast<u16>(answer);
      if (!(link & settled)) parent.store(run, settled | follower | answer << 16 | link);
    }
  }

  /// A component's first pixel may lie in another run of its first group of rows than its root.
  __device__ void lower_first_pixels() {
    if constexpr (Shape::group_rows > 1) {
      const word all = here.any();
      // In a group of two rows, a run that is linked has earlier rows above it. The run that comes in from the left may not.
      word rest = ((Shape::group_depth > 1 ? starts : unlinked) | (all & 1)) & ~lone;
      while (rest != 0) {
        const word bit = rest & -rest;
        rest ^= bit;
        const u32 run = own().at(bit), link = parent.load(run);
        const u32 root = link & follower ? link & 0xffff : run;
        const u32 place = first_pixel(span(bit, starts & ~up_to(bit)));
        const u32 now = root == run ? link : parent.load(root);
        if (place < (now & 0x1fff)) atomicMin(&shared.parent[root], (now & ~0xffffu) | place);
      }
    }
  }

  template <class Step>
  __device__ static void each_earlier(Step step) {
    step(std::integral_constant<int, 0>{});
    if constexpr (Shape::earlier_groups > 1) step(std::integral_constant<int, 1>{});
    if constexpr (Shape::earlier_groups > 2) {
      step(std::integral_constant<int, 2>{});
      step(std::integral_constant<int, 3>{});
    }
  }
};

}  // namespace skerry::label_stages::on_device
