// SPDX-License-Identifier: Apache-2.0
// Stage 2, CUDA: what a thread of a tile links alone, and which pairs with others it keeps; 4, 6 and 26 neighbours.
//
//   thread  a run of 16 pixels below each other
//
// Reads   keys of the tile
// Writes  links within each run; a bit for each pixel whose pair with one beside it is kept
// Method  the run itself is the stack. A pair is left out where a neighbouring pair, or a pixel that touches both, connects
//         the two at a level that is not lower. 2_strips.cuh is the same for 8 neighbours.
#pragma once
#include "max_tree/cuda/hooks/links.cuh"
#include "max_tree/cuda/tree_grid.cuh"

namespace skerry::tree_stages::on_device {

struct place_pair {
  u32 a, b;
};

template <int Connectivity>
class column_runs {
 public:
  static constexpr int rank = rank_of<Connectivity>;
  using grid_type = tree_grid<rank>;
  // Straight pairs can be kept at every second pixel and where runs follow each other, where runs have pairs, too; others everywhere.
  static constexpr int most_listed = Connectivity == 4 ? 2560 : tile_pixels;

  __device__ column_runs(const u8* keys, tile_links<u32> links, const tile_box& inside)
      : keys_(keys), links_(links), inside_(inside), x_(grid_type::x_of(threadIdx.x)) {
    const int row = threadIdx.x >> grid_type::shift;
    constexpr int runs = grid_type::side / run_pixels;
    y_ = row % runs * run_pixels;
    z_ = row / runs;
    valid_ = inside.holds(x_, y_, z_);
  }

  // Links always lead to the first pixel of a level of this run. Threads of a warp go from pixel to pixel together.
  __device__ void link() const {
    const int pixels = valid_ ? min(run_pixels, inside_.height - y_) : 0;
    u32 top = word_at(place(0));  // the first pixel of the level of the pixel before
    if (pixels > 0) links_.store(place(0), 0);
    for (int i = 1; i < run_pixels; ++i) {
      const u32 here = word_at(place(i));
      u32 above = 0, below = top;
      if (i < pixels)
        while (key_in(below) > key_in(here)) {
          above = below;
          below = links_.load(place_in(below));
        }
      __syncwarp();
      if (i >= pixels) continue;
      top = key_in(below) == key_in(here) ? below : here;
      if (above != 0 && top == here) links_.store(place_in(above), here);
      links_.store(place(i), below);
    }
  }

  // The run has a pair with the one above it, bit 0 in the list.
  __device__ u32 follows() const { return u32{valid_ && y_ > 0}; }
  // A bit for each pixel of the run whose pair with the pixel that many steps from it is kept: in images from bit 1 on.
  template <int Dx, int Dy, int Dz>
  __device__ u32 kept() const {
    if (!valid_) return 0;
    if constexpr (Dy != 0 || (Dx != 0 && Dz != 0)) return kept_slanted<Dx, Dy, Dz>();
    const u32 kept = kept_straight<Dx, Dz>();
    return rank == 2 ? kept << 1 : kept;
  }
  template <int Dx>
  __device__ bool late() const {
    return (Dx != 0 ? x_ : z_) % 2 != 0;
  }

  __device__ u16 listed(int bit) const {
    return static_cast<u16>(rank == 3 ? place(bit) : bit > 0 ? place(bit - 1) : place(0) | upward);
  }
  template <int Dx, int Dy, int Dz>
  __device__ static place_pair pair_of(u32 listed) {
    const u32 beside = static_cast<u32>(grid_type::place(Dx, Dy, Dz));
    if (rank == 2 && listed >= upward) return {listed - upward, listed - upward - grid_type::side};
    return {listed, listed + beside};
  }

 private:
  static constexpr u32 upward = tile_pixels;  // in the list

  __device__ u32 place(int i) const { return static_cast<u32>(grid_type::place(x_, y_ + i, z_)); }
  __device__ u32 word_at(u32 place) const { return word_of<u32>(keys_[place] + 1u, place); }

  // The lower key of the pair has a local maximum along the run, one per plateau.
  template <int Dx, int Dz>
  __device__ u32 kept_straight() const {
    if (!inside_.holds(x_ + Dx, y_, z_ + Dz)) return 0;
    constexpr int beside = grid_type::place(Dx, 0, Dz);
    const u8* const keys = keys_ + place(0);
    const auto lower_at = [&](int i) -> int {
      if (y_ + i < 0 || y_ + i >= inside_.height) return -1;
      const u8 *const a = keys + i * grid_type::side, *const b = a + beside;
      return *a < *b ? *a : *b;
    };
    u32 kept = 0;
    int before = lower_at(-1), here = lower_at(0);
#pragma unroll
    for (int i = 0; i < run_pixels; ++i) {
      const int after = lower_at(i + 1);
      kept |= u32{here > before && here >= after} << i;
      before = here;
      here = after;
    }
    return kept;
  }

  // For pairs that differ on several axes, with 26 neighbours: kept where every pixel that touches both is lower than both.
  template <int Dx, int Dy, int Dz>
  __device__ u32 kept_slanted() const {
    u32 kept = 0;
#pragma unroll 4
    for (int i = 0; i < run_pixels; ++i) {
      if (y_ + i >= inside_.height || !inside_.holds(x_ + Dx, y_ + i + Dy, z_ + Dz)) continue;
      const u8* const a = keys_ + place(i);
      const u8 b = a[grid_type::place(Dx, Dy, Dz)], lower = *a < b ? *a : b;
      bool keep = true;
      each_between<Dx, Dy, Dz>([&](int x, int y, int z) { keep &= a[grid_type::place(x, y, z)] < lower; });
      kept |= u32{keep} << i;
    }
    return kept;
  }

  const u8* keys_;
  tile_links<u32> links_;
  const tile_box& inside_;
  int x_, y_, z_;  // of the run, in the tile
  bool valid_;
};

}  // namespace skerry::tree_stages::on_device
