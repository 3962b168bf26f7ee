// SPDX-License-Identifier: Apache-2.0
// A frame whose tiles all run at once, CUDA: what the block of a tile does.
//
// Reads   the runs of its tile, as stage 2 links them
// Writes  the border of the tile, and a set for each component that touches others; bits at the first pixels of all
// Method  as in stage 2, but links become nothing that other kernels read: a run is linked to the root of its component, and the
//         root's word holds the number of the border component, if it is one, and the first pixel
#pragma once
#include "label/cuda/resident/memory.cuh"

namespace skerry::label_stages::on_device {

template <class Shape, class Features>
struct resident_block : local_block<Shape, Features> {
  using base = local_block<Shape, Features>;
  using word = typename Shape::word;
  using base::at, base::grid, base::tile, base::thread, base::lane, base::warp, base::parent, base::starts, base::lone,
      base::roots;
  static constexpr int threads = Shape::group_words;
  const resident_tables& out;
  resident_memory<Shape, Features>& memory;
  u32 border = 0;  // components that touch other tiles
  u32 inner = 0;   // others, without those of one piece when features are wanted

  __device__ resident_block(const tiling& g, const label_tables& none, const resident_tables& t,
                            resident_memory<Shape, Features>& m)
      : base(g, none, blockIdx.x, m.tile), out(t), memory(m) {}

  __device__ u32 first_node() const { return tile * Shape::border_capacity; }

  /// Numbers the runs of the tile, in the order of groups.
  __device__ void number_runs() {
    this->here = group_word<Shape>::of(memory.tile.bits, this->group, this->column);
    starts = this->here.starts();
    this->runs_before = sum_before_thread<threads>(count_bits(starts), memory.warp_total, this->runs);
    memory.tile.starts[thread] = starts;
    memory.tile.prefix[thread] = static_cast<u16>(this->runs_before);
  }

  /// Nothing is counted yet, and what others wait for is not known.
  __device__ void clear_answers() const {
    if (thread < tile_rows / 4)
      device_words{out.in_rows}.store(out.four_rows(grid, at.x, at.y * tile_rows + thread * 4), 0);
    if (thread == 0 && at.x == 0) out.in_band.clear(at.y);
    if constexpr (!Features::wanted)
      for (int k = thread; k < Shape::border_capacity; k += threads)
        device_words{out.labels}.store(first_node() + k, 0);
  }

  __device__ u32 root_of(u32 run) const {
    const u32 link = parent.load(run);
    return link & settled ? run : link;
  }
  __device__ bool is_set(int row, int x) const { return memory.tile.bits[row * tile_words + x / 32] >> x % 32 & 1; }
  __device__ u32 run_at(int row, int x) const {
    const int place = row / Shape::group_height * Shape::words + x / Shape::word_bits;
    const word bit = static_cast<word>(word{1} << x % Shape::word_bits);
    return memory.tile.prefix[place] + count_bits(memory.tile.starts[place] & up_to(bit)) - 1;
  }
  /// The number of the border component of a pixel.
  __device__ u32 number_at(int row, int x) const { return number_in(parent.load(root_of(run_at(row, x)))); }

  /// Numbers the components that touch other tiles; labels need no numbers of the others.
  __device__ void number_border() {
    word touching = 0;
    for (word rest = this->unlinked; rest != 0; rest &= rest - 1) {
      const word bit = rest & -rest;
      const u32 run = this->own().at(bit);
      if (parent.load(run) != run) continue;
      roots |= bit;
      if (base::marked(memory.tile.flags.on_border, run)) touching |= bit;
      else parent.store(run, settled | no_number << 16 | this->first_pixel(reach_of(bit)));
    }
    if (!__any_sync(~0u, touching != 0)) return;
    const u32 count = count_bits(touching), sum = sum_up_to_thread(count);
    u32 number = 0;
    if (lane == 31) number = atomicAdd(&memory.tile.numbered, sum << 16);
    number = (__shfl_sync(~0u, number, 31) >> 16) + sum - count;
    for (word rest = touching; rest != 0; rest &= rest - 1, ++number) {
      const word bit = rest & -rest;
      parent.store(this->own().at(bit), settled | number << 16 | this->first_pixel(reach_of(bit)));
    }
  }
  static constexpr u32 no_number = 0xfff;
  __device__ word reach_of(word bit) const { return span<word>(bit, starts & ~up_to(bit)); }

  /// A component's first pixel may lie in another run of its first group of rows than its root, or in another word of that run.
  __device__ void lower_first_pixels() const {
    const word entering = this->here.any() & ~starts & 1;
    for (word rest = (this->unlinked & ~roots) | entering; rest != 0; rest &= rest - 1) {
      const word bit = rest & -rest;
      const u32 root = root_of(this->own().at(bit)), now = parent.load(root), place = this->first_pixel(reach_of(bit));
      if (place < (now & 0x1fff)) atomicMin(&memory.tile.parent[root], (now & ~0xffffu) | place);
    }
  }

  /// A pixel of the tile, in the frame.
  __device__ pixel_order in_frame(u32 first) const {
    return {at.y * tile_rows + (first >> 7), at.x * tile_width + (first & 127)};
  }

  __device__ void tell_borders() {
    border = memory.tile.numbered >> 16;
    inner = memory.tile.numbered & 0xffff;
    for (word rest = roots; rest != 0; rest &= rest - 1) {
      const u32 run = this->own().at(static_cast<word>(rest & -rest)), link = parent.load(run);
      const u32 number = number_in(link), first = link & 0x1fff;
      atomicOr(&memory.tile.roots[first / 32], 1u << first % 32);
      if ((link & alone) || number >= border) continue;
      const u32 node = first_node() + number;
      memory.border_run[number] = static_cast<u16>(run);
      words_of_device<u64>{out.parent}.store(node, in_frame(first).word(node));
    }
    for (int k = thread; k < tile_width + tile_rows; k += threads) {
      const bool at_bottom = k < tile_width;
      if (at_bottom ? at.y + 1 == grid.tiles_y : at.x + 1 == grid.tiles_x) continue;
      const int y = at_bottom ? tile_rows - 1 : k - tile_width, x = at_bottom ? k : tile_width - 1;
      u8* const to = at_bottom ? out.bottom + u64{tile} * tile_width : out.right + u64{tile} * tile_rows - tile_width;
      to[k] = static_cast<u8>(is_set(y, x) ? number_at(y, x) : no_border_component);
    }
  }
};

}  // namespace skerry::label_stages::on_device
