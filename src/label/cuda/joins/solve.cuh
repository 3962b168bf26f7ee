// SPDX-License-Identifier: Apache-2.0
// Stage 2, CUDA, where pixels join by value or axes are periodic: each tile by itself, in shared memory.
//
//   thread  a word of 32 pixels: the runs that begin there, and the pairs that they are part of
//   block   a tile of 128 x 64 pixels, or 128 x 8 x 8: numbers its runs in raster order, and unites them
//   grid    tiles do not meet here: merge.cuh
//
// Reads   pair_bits
// Writes  runs_before, run_first, tile_bits, root_bits, and parent of each component of the tile, which is alone
// Needs   35 KB of shared memory per block
// Method  as tiles/solve.cuh: a run's first link to an earlier one is a plain store, links are shortened by pointer jumping, and
//         only the pairs that are left are united. The root of a set is its first run
#pragma once
#include "label/cuda/joins/pairs.cuh"
#include "label/cuda/tiles/memory.cuh"

namespace skerry::label_stages::on_device {

inline constexpr int solve_threads = tile_rows * tile_words;

struct solve_memory {
  u32 along[solve_threads];  // pairs along the rows
  u32 starts[solve_threads];
  u16 prefix[solve_threads];  // runs before the word
  u32 warp_total[solve_threads / 32];
  u32 parent[tile_rows * tile_width];  // of each run; later `settled`, with the first pixel of a component

  /// The run at a pixel of the foreground.
  [[nodiscard]] __device__ u32 run_at(u32 word, u32 bit) const {
    return prefix[word] + __popc(starts[word] & up_to(1u << bit)) - 1;
  }
};

template <int Rank>
class solved_tile {
 public:
  using tile = join_tile<Rank>;

  __device__ solved_tile(const node_grid& grid, const pair_bits& pairs, const node_tables& tables, solve_memory& shared)
      : grid_(grid), pairs_(pairs), tables_(tables), shared_(shared), parent_{shared.parent}, thread_(threadIdx.x) {
    const u32 tiles_y = (grid.height + tile::height - 1) / tile::height, row = grid.by_units_x.quotient(blockIdx.x);
    const i32 zz = static_cast<i32>(thread_ / unit_words) / tile::height,
              yy = static_cast<i32>(thread_ / unit_words) % tile::height;
    at_.z = static_cast<i32>(row / tiles_y) * tile::depth + zz;
    at_.y = static_cast<i32>(row % tiles_y) * tile::height + yy;
    at_.x = static_cast<i32>((blockIdx.x - row * grid.units_x) * tile_width + thread_ % unit_words * 32);
    inside_ = at_.z < grid.depth && at_.y < grid.height;
    at_.number = inside_ ? grid.node(at_.z, at_.y, at_.x) / 32 : 0;
    if (!inside_) return;
    foreground_ = pairs.foreground[at_.number], along_ = pairs.joined[step_along_row][at_.number];
    above_ = row_pairs::read(pairs, at_.number, step_above);
  }

  /// Numbers the runs of the tile in raster order. Ends with a barrier.
  __device__ void number_runs() {
    starts_ = foreground_ & ~(thread_ % unit_words == 0 ? along_ & ~1u : along_);
    shared_.along[thread_] = along_;
    before_ = sum_before_thread<solve_threads>(__popc(starts_), shared_.warp_total, runs_);
    shared_.starts[thread_] = starts_;
    shared_.prefix[thread_] = static_cast<u16>(before_);
    if (inside_) tables_.runs_before[at_.number] = static_cast<u16>(before_);
    __syncthreads();
  }

  /// Gives each run that begins in this word its first link: to an earlier run that it joins, or to itself.
  __device__ void link_runs() {
    open_pairs(step_above, above_);
    if constexpr (Rank == 3)
#pragma unroll
      for (int dy = -1; dy <= 1; ++dy) {
        const int k = step_behind(dy);
        open_pairs(k, inside_ && pairs_.joined[k] != nullptr ? row_pairs::read(pairs_, at_.number, k) : row_pairs{});
      }
    unlinked_ = first_links(
        runs_of_word<u32>{starts_, before_}, open_, [&](int k, u32 bit) { return run_across(k + 1, lowest_bit(bit)); },
        [&](u32 run, u32 to, u32) { shared_.parent[run] = to; });
  }

  /// Each link is moved by its own thread alone.
  __device__ void shorten_links(int rounds) {
    for (int round = 0; round < rounds; ++round)
      for (u32 run = thread_; run < runs_; run += solve_threads) jump(parent_, run);
  }

  __device__ void unite_runs() {
    unite_open(
        parent_, open_, [&](u32 bit) { return shared_.run_at(thread_, lowest_bit(bit)); },
        [&](int k, u32 bit) { return run_across(k + 1, lowest_bit(bit)); });
  }

  /// Links each run to its root.
  __device__ void flatten() {
    shorten_links(link_tuning::jump_rounds_after);
    for (u32 run = thread_; run < runs_; run += solve_threads) link_to_root(parent_, run, parent_.load(run));
  }

  /// Tells each root its first pixel; a root has no first link.
  __device__ void write_roots() {
    u32 roots = 0;
    for (u32 rest = unlinked_; rest != 0; rest &= rest - 1) {
      const u32 bit = lowest_bit(rest), run = shared_.run_at(thread_, bit);
      if (parent_.load(run) != run) continue;
      roots |= 1u << bit;
      parent_.store(run, settled | (thread_ * 32 + bit));
    }
    if (inside_) tables_.tile_bits[at_.number] = tables_.root_bits[at_.number] = roots;
    if (__all_sync(~0u, (roots & (roots - 1)) == 0)) {
      const u32 node = at_.number * 32 + lowest_bit(roots);
      if (roots != 0) tables_.parent[node] = node;
      return;
    }
    const u32 lane = thread_ % 32;  // threads of a warp write side by side
    for (u32 owners = __ballot_sync(~0u, roots != 0); owners != 0; owners &= owners - 1) {
      const int owner = static_cast<int>(lowest_bit(owners));
      const u32 bits = __shfl_sync(~0u, roots, owner), node = __shfl_sync(~0u, at_.number, owner) * 32 + lane;
      if (bits >> lane & 1) tables_.parent[node] = node;
    }
  }

  __device__ void write_runs() const {
    u16* const first = tables_.run_first + tile_frame::of(grid_, at_.z, at_.y, at_.x).first_place;
    for (u32 run = thread_; run < runs_; run += solve_threads) {
      const u32 link = parent_.load(run), root = link & settled ? link : parent_.load(link);
      first[run] = static_cast<u16>(root);
    }
  }

 private:
  static constexpr int steps = word_pairs<Rank>::steps;

  /// Word of the tile at a step from this one. Where there is none, some word.
  [[nodiscard]] __device__ u32 word_at(pixel_step step) const {
    return (thread_ + (step.dz * tile::height + step.dy) * static_cast<int>(tile_words)) % solve_threads;
  }
  /// Leaves those pairs open that join inside of the tile, and that others do not imply; by all of the warp.
  __device__ void open_pairs(int k, const row_pairs& found) {
    const u32 before = __shfl_up_sync(~0u, found.straight, 1) >> 31, other = word_at(step_of(k));
    if (!inside_ || found.none()) return;
    const row_pairs kept = found.without_implied({along_, shared_.along[other], thread_ % unit_words == 0 ? 0 : before,
                                                  shared_.along[(other + 1) % solve_threads]});
    const int k_left = k == step_above ? step_above_left : k - 1, k_right = k == step_above ? step_above_right : k + 1;
    const auto open = [&](int step, u32 bits) {
      open_[step - 1] = bits & pixels_joined_inside<Rank>(grid_, step_of(step), at_.z, at_.y, at_.x);
    };
    open(k, kept.straight), open(k_left, kept.left), open(k_right, kept.right);
  }

  /// The run of the neighbour that a pixel of this word has at a step.
  [[nodiscard]] __device__ u32 run_across(int k, int bit) const {
    const pixel_step step = step_of(k);
    const int other = bit + step.dx;
    const int word =
        static_cast<int>(thread_) + (step.dz * tile::height + step.dy) * tile_words + (other < 0 ? -1 : other / 32);
    return shared_.run_at(static_cast<u32>(word), static_cast<u32>(other & 31));
  }

  const node_grid& grid_;
  const pair_bits& pairs_;
  const node_tables& tables_;
  solve_memory& shared_;
  const block_words parent_;
  const u32 thread_;
  pixel_word at_;
  bool inside_;
  u32 foreground_ = 0, along_ = 0;  // of this thread's word
  row_pairs above_{};
  u32 runs_ = 0;              // of the tile
  u32 starts_ = 0;            // in this thread's word
  u32 before_ = 0;            // runs before it
  u32 unlinked_ = 0;          // starts of the runs without a first link
  u32 open_[steps - 1] = {};  // pairs that no first link has taken; the first step, along the row, makes runs
};

template <int Rank>
__global__ __launch_bounds__(solve_threads) void solve_tiles_kernel(const node_grid grid, const pair_bits pairs,
                                                                    const node_tables tables) {
  __shared__ solve_memory shared;
  solved_tile<Rank> tile(grid, pairs, tables, shared);
  tile.number_runs();
  solve_runs(tile);
  tile.write_roots();
  __syncthreads();
  tile.write_runs();
}

}  // namespace skerry::label_stages::on_device
