// SPDX-License-Identifier: Apache-2.0
// A small frame by its pixels, CUDA: the components of a tile.
//
// Reads   the rows of the tile
// Writes  bits at first pixels; the border of the tile; a set for each component there
// Method  a run is named by its first pixel, and first linked to the earliest run that it touches in the row above; links are
//         shortened; then runs that touch several are united
#pragma once
#include "core/union_find.hpp"
#include "engine/cuda/warp.cuh"
#include "label/cuda/by_pixel/memory.cuh"

namespace skerry::label_stages::on_device {

/// What the thread of a pixel knows.
template <int Connectivity>
struct pixel_block {
  static constexpr int rounds_of_shortening = 3;
  const pixel_grid& grid;
  const pixel_tables& out;
  pixel_memory& memory;
  const block_words parent;
  const u32 lane = threadIdx.x % 32, row = threadIdx.x / 32, tile = blockIdx.x;
  u32 tile_y, tile_x, y;     // y of the frame
  u32 here = 0;              // pixels of the row
  u32 run = 0;               // of the pixel
  u32 component = no_pixel;  // of the pixel, by its first pixel in the tile
  u32 firsts = 0;            // first pixels in the row

  __device__ pixel_block(const pixel_grid& g, const pixel_tables& t, pixel_memory& m)
      : grid(g), out(t), memory(m), parent{m.parent} {
    tile_y = grid.by_columns.quotient(tile);
    tile_x = tile - tile_y * grid.columns;
    y = tile_y * pixel_side + row;
  }

  __device__ bool is_set() const { return here >> lane & 1; }
  __device__ bool begins_run() const { return is_set() && run == row * 32 + lane; }
  __device__ bool is_first() const { return firsts >> lane & 1; }
  __device__ bool is_in_frame() const { return y < static_cast<u32>(grid.frame.height); }
  __device__ u32 place() const { return grid.place(y, tile_x, lane); }
  /// The place in the frame of a component's first pixel.
  __device__ u32 place_of(u32 first) const {
    return first == no_pixel ? no_pixel : grid.place(tile_y * pixel_side + first / 32, tile_x, first % 32);
  }

  template <class Source>
  __device__ void load(const Source& source) {
    here = source.row_word(grid.frame, static_cast<i32>(y), static_cast<i32>(tile_x * pixel_side));
    if (lane == 0) memory.rows[row + 1] = here;
    if (threadIdx.x == 0) memory.rows[0] = 0;
  }

  /// Links the first pixels of runs, and unites what they touch besides. With barriers.
  __device__ void solve() {
    const u32 above = memory.rows[row];
    const pixel_links<Connectivity> links(here, above);
    const auto run_at = [](u32 word, u32 bit) {
      const u32 up_to = ~0u >> (31 - bit);
      return 31 - __clz(word & ~(word << 1) & up_to);
    };
    const auto run_above = [&](u32 bit) { return (row - 1) * 32 + run_at(above, bit); };
    u32 first_link = 32;
    if (is_set()) {
      const u32 begin = run_at(here, lane), gaps = ~here & ~0u << begin;
      const u32 own = (gaps == 0 ? ~0u : (gaps & -gaps) - 1) & ~0u << begin;
      run = row * 32 + begin;
      if ((links.any() & own) != 0) first_link = first_of(links.any() & own);
    }
    const auto linked_at = [&](u32 bit) {
      return run_above(links.across >> bit & 1 ? bit : links.before >> bit & 1 ? bit - 1 : bit + 1);
    };
    if (begins_run()) parent.store(run, first_link < 32 ? linked_at(first_link) : run);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < rounds_of_shortening; ++k)
      if (begins_run()) jump(parent, run);
    const u32 bit = 1u << lane;
    const auto unite = [&](u32 other) { unite_by_splicing(parent, run, other); };
    const bool is_linked = first_link == lane;
    if ((links.any() & bit) && !is_linked) unite(linked_at(lane));
    if ((links.before & links.after & bit) != 0) unite(run_above(lane + 1));
    __syncthreads();
  }

  /// Each thread finds the component of its pixel.
  __device__ void find_components() {
    u32 root = run;
    if (begins_run()) root = link_to_root(parent, run, parent.load(run));
    root = __shfl_sync(~0u, root, run % 32);
    if (is_set()) component = root;
    firsts = __ballot_sync(~0u, component == row * 32 + lane);
  }

  __device__ void tell() const {
    const u32 own = place_of(component);
    if (lane == 0) {
      memory.left[row] = own;
      if (is_in_frame()) device_words{out.firsts}.store(y * grid.row_words + tile_x, firsts);
    }
    if (row != 0 && row != 31 && lane != 0 && lane != 31) return;
    if (own != no_pixel) pixel_sets{{out.parent}}.store(own, own);
    if (row == 31) device_words{out.bottom}.store(tile * 32 + lane, own);
    if (lane == 31) device_words{out.right}.store(tile * 32 + row, own);
  }
};

}  // namespace skerry::label_stages::on_device
