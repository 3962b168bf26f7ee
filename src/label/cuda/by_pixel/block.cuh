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

/// What a thread knows of a pixel.
struct one_pixel {
  u32 row = 0, y = 0;        // of the tile, of the frame
  u32 here = 0;              // pixels of the row
  u32 run = 0;               // that it is of
  u32 component = no_pixel;  // that it is of, by the first pixel in the tile
  u32 firsts = 0;            // first pixels in the row
};

/// A tile, whose threads have `Rows` pixels each.
template <int Connectivity, int Rows>
struct pixel_block {
  static constexpr int rounds_of_shortening = 3;
  static constexpr u32 warps = pixel_side / Rows, threads = 32 * warps;
  static constexpr u32 counting_warp = 6;  // those before it have more to do
  const pixel_grid& grid;
  const pixel_tables& out;
  pixel_memory& memory;
  const block_words parent;
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, tile = blockIdx.x;
  u32 tile_y, tile_x;
  one_pixel pixels[Rows];
  u32 at_side =
      no_pixel;  // of the first warps: the component of a pixel of their side, by its first pixel in the frame

  __device__ pixel_block(const pixel_grid& g, const pixel_tables& t, pixel_memory& m)
      : grid(g), out(t), memory(m), parent{m.parent} {
    tile_y = grid.by_columns.quotient(tile);
    tile_x = tile - tile_y * grid.columns;
  }

  __device__ bool is_set(const one_pixel& own) const { return own.here >> lane & 1; }
  __device__ bool begins_run(const one_pixel& own) const { return is_set(own) && own.run == own.row * 32 + lane; }
  __device__ bool begins_component(const one_pixel& own) const { return own.firsts >> lane & 1; }
  __device__ bool is_in_frame(const one_pixel& own) const { return own.y < static_cast<u32>(grid.frame.height); }

  template <class Source>
  __device__ void load(const Source& source) {
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      one_pixel& own = pixels[k];
      own.row = warp + k * warps;
      own.y = tile_y * pixel_side + own.row;
      own.here = source.row_word(grid.frame, static_cast<i32>(own.y), static_cast<i32>(tile_x * pixel_side));
      if (lane == 0) memory.rows[own.row + 1] = own.here;
    }
    if (threadIdx.x == 0) memory.rows[0] = 0;
  }

  __device__ static u32 run_at(u32 word, u32 bit) { return 31 - __clz(word & ~(word << 1) & ~0u >> (31 - bit)); }

  /// Links that a pixel has besides the first link of its run: by the runs above.
  struct more_links {
    u32 one = no_pixel, other = no_pixel;
  };

  /// Names the run of a pixel, and gives it its first link.
  __device__ more_links link(one_pixel& own) const {
    const u32 above = memory.rows[own.row], bit = 1u << lane;
    const pixel_links<Connectivity> links(own.here, above);
    const auto run_above = [&](u32 at) { return (own.row - 1) * 32 + run_at(above, at); };
    const auto linked_at = [&](u32 at) {
      return run_above(links.across >> at & 1 ? at : links.before >> at & 1 ? at - 1 : at + 1);
    };
    u32 first_link = 32;
    if (is_set(own)) {
      const u32 begin = run_at(own.here, lane), gaps = ~own.here & ~0u << begin;
      const u32 run = (gaps == 0 ? ~0u : (gaps & -gaps) - 1) & ~0u << begin;
      own.run = own.row * 32 + begin;
      if ((links.any() & run) != 0) first_link = first_of(links.any() & run);
    }
    if (begins_run(own)) parent.store(own.run, first_link < 32 ? linked_at(first_link) : own.run);
    more_links more;
    if ((links.any() & bit) && first_link != lane) more.one = linked_at(lane);
    if (links.before & links.after & bit) more.other = run_above(lane + 1);
    return more;
  }

  /// Links the first pixels of runs, and unites what they touch besides. With barriers.
  __device__ void solve() {
    more_links more[Rows];
#pragma unroll
    for (int k = 0; k < Rows; ++k) more[k] = link(pixels[k]);
    __syncthreads();
#pragma unroll
    for (int round = 0; round < rounds_of_shortening; ++round)
#pragma unroll
      for (int k = 0; k < Rows; ++k)
        if (begins_run(pixels[k])) jump(parent, pixels[k].run);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      if (more[k].one != no_pixel) unite_by_splicing(parent, pixels[k].run, more[k].one);
      if (Connectivity == 8 && more[k].other != no_pixel) unite_by_splicing(parent, pixels[k].run, more[k].other);
    }
    __syncthreads();
  }

  /// Each thread finds the components of its pixels.
  __device__ void find_components() {
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      one_pixel& own = pixels[k];
      u32 root = own.run;
      if (begins_run(own)) root = link_to_root(parent, own.run, parent.load(own.run));
      root = __shfl_sync(~0u, root, own.run % 32);
      if (is_set(own)) own.component = root;
      own.firsts = __ballot_sync(~0u, own.component == own.row * 32 + lane);
    }
  }

  /// Tells others the borders and first pixels; and gives the threads of the first warps what they have of a side. With a barrier.
  __device__ void tell(bool by_place) {
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      const one_pixel& own = pixels[k];
      if (own.row == 0) memory.sides[0][lane] = own.component;
      if (lane == 0) memory.sides[1][own.row] = own.component;
      if (own.row == 31) memory.sides[2][lane] = own.component;
      if (lane == 31) memory.sides[3][own.row] = own.component;
      if (lane == 0) memory.in_row[own.row] = count_of(own.firsts);
      if (lane == 0 && is_in_frame(own)) device_words{out.firsts}.store(own.y * grid.columns + tile_x, own.firsts);
    }
    __syncthreads();
    if (warp >= 4) return;
    at_side = component_at(static_cast<tile_side>(warp));
    if (at_side != no_pixel) {
      pixel_sets{{out.parent}}.store(at_side, at_side);
      if (!by_place) device_words{out.labels}.store(at_side / 2, 0);
    }
    if (has(tile_side::bottom)) device_words{out.bottom}.store(tile * 32 + lane, at_side);
    if (has(tile_side::right)) device_words{out.right}.store(tile * 32 + lane, at_side);
  }
  /// Of this thread's pixel of a side, by its first pixel in the frame; or no_pixel.
  __device__ u32 component_at(tile_side side) const {
    const u32 first = memory.sides[static_cast<u32>(side)][lane];
    return first == no_pixel ? no_pixel : grid.place(tile_y * pixel_side + first / 32, tile_x, first % 32);
  }
  __device__ bool has(tile_side side) const { return warp == static_cast<u32>(side); }

  /// Adds the first pixels to those of the row of tiles; after a barrier behind clear_counts().
  __device__ void count() const {
    if (warp != counting_warp) return;
    const u32 all = components();
    if (lane == 0) out.in_band.add(tile_y, all);
  }
  /// Of the tile; by a whole warp, behind tell().
  __device__ u32 components() const { return __reduce_add_sync(~0u, memory.in_row[lane]); }
  __device__ void clear_counts() const {
    if (threadIdx.x == 0) device_words{out.united}.store(tile, 0);
    if (tile == 0 && threadIdx.x < grid.bands()) out.in_band.clear(threadIdx.x);
  }
};

}  // namespace skerry::label_stages::on_device
