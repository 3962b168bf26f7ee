// SPDX-License-Identifier: Apache-2.0
// Segments of lines on the GPU: whole runs of foreground, found by a warp that walks along its line.
//
// Method  [Lemaitre2021], algorithm 7
#pragma once
#include <type_traits>

#include "published/cuda/device_task.hpp"
#include "published/cuda/line_bits.cuh"

namespace skerry::published {

constexpr u32 word_pixels = 32;

// 32 pixels of ER: an entry of the text's table is `before` and the edges up to its pixel.
struct edge_word {
  u32 edges, before;
  __device__ u32 up_to(u32 x) const { return before + __popc(edges & ~0u >> (word_pixels - 1 - x % word_pixels)); }
};

// What the first kernel finds. Places is u16 for lines of less than 2^16 pixels: half as much to be written.
template <class Places>
struct segment_tables {
  device_image image;
  edge_word* er;  // of each 32 pixels of a line: where edges are, and how many come before; up to a pixel inside a segment is an odd number
  Places* rlc;    // of each line: where segments begin and end, in turns
  u32* edges;     // N: of each line, an even number
  u32 er_pitch, rlc_pitch, label_pitch;

  __device__ u32 segments(u32 y) const { return edges[y] / 2; }
  __device__ u32 label(u32 y, u32 segment) const { return y * label_pitch + segment; }
  __device__ u32 er_at(u32 y, u32 x) const { return er[u64{y} * er_pitch + x / word_pixels].up_to(x); }
  __device__ void bounds(u32 y, u32 segment, u32& begin, u32& end) const {
    using pair = std::conditional_t<sizeof(Places) == 2, ushort2, uint2>;
    const pair both = reinterpret_cast<const pair*>(rlc + u64{y} * rlc_pitch)[segment];
    begin = both.x;
    end = both.y;
  }
};

// The segments of a line. Every thread of the warp has 16 neighbouring pixels of a stretch; the places of edges are
// gathered in shared memory, so that they are written side by side.
template <class Places, bool Aligned>
__device__ u32 detect_line(const segment_tables<Places>& tables, u32 y, u32 lane, Places* staged) {
  const u8* const row = tables.image.row(y);
  const u32 width = tables.image.width;
  edge_word* const er = tables.er + u64{y} * tables.er_pitch;
  Places* const rlc = tables.rlc + u64{y} * tables.rlc_pitch;
  u32 n = 0, last = 0;
  line_reader<Aligned> next(row, width, lane);
  for (u32 x0 = 0; x0 < width; x0 += stretch) {
    const u32 own = next.take(x0 + stretch), x = x0 + lane * lane_pixels;
    const u32 before = __shfl_up_sync(~0u, own, 1);
    const u32 left = lane == 0 ? last : before >> (lane_pixels - 1);
    u32 edges = own ^ ((own << 1 | left) & lane_mask);
    last = __shfl_sync(~0u, own, 31) >> (lane_pixels - 1);
    u32 up_to = __popc(edges);
#pragma unroll
    for (u32 step = 1; step < 32; step *= 2) {
      const u32 others = __shfl_up_sync(~0u, up_to, step);
      if (lane >= step) up_to += others;
    }
    u32 at = up_to - __popc(edges);
    const u32 right = __shfl_down_sync(~0u, edges, 1);
    if (lane % 2 == 0 && x < width) er[x / word_pixels] = {edges | right << lane_pixels, n + at};
    for (; edges != 0; edges &= edges - 1) staged[at++] = static_cast<Places>(x + __ffs(edges) - 1);
    const u32 found = __shfl_sync(~0u, up_to, 31);
    __syncwarp();  // all of them are staged
    for (u32 i = lane; i < found; i += 32) rlc[n + i] = staged[i];
    __syncwarp();  // and read, before the next
    n += found;
  }
  if (n % 2 != 0) {
    if (lane == 0) rlc[n] = static_cast<Places>(width);
    ++n;
  }
  if (lane == 0) tables.edges[y] = n;
  return n / 2;
}

// ---- kernels: a warp for each line --------------------------------------------------------------------------------------

constexpr u32 lines = 4;  // of a block

__device__ inline u32 this_line() { return blockIdx.x * lines + threadIdx.y; }

template <class Places>
__global__ void __launch_bounds__(32 * lines) relabel(segment_tables<Places> tables, const u32* roots, u32* labels) {
  const u32 y = this_line(), width = tables.image.width;
  if (y >= tables.image.height) return;
  for (u32 x = threadIdx.x; x < width; x += 32) {
    const u32 here = tables.er_at(y, x);
    labels[u64{y} * width + x] = here % 2 != 0 ? roots[tables.label(y, here / 2)] + 1 : 0;
  }
}

template <class Places>
__global__ void __launch_bounds__(32 * lines)
    mark_roots(segment_tables<Places> tables, const u32* parents, u32* is_component) {
  const u32 y = this_line();
  if (y >= tables.image.height) return;
  const u32 segments = tables.segments(y);
  for (u32 s = threadIdx.x; s < segments; s += 32) {
    const u32 label = tables.label(y, s);
    if (parents[label] == label) is_component[label] = 1;
  }
}

// ---- memory -------------------------------------------------------------------------------------------------------------

template <class Places>
segment_tables<Places> tables_of(const device_task& work) {
  segment_tables<Places> tables;
  tables.image = work.image;
  const u32 width = work.image.width, height = work.image.height;
  tables.er_pitch = (width + word_pixels - 1) / word_pixels;
  tables.label_pitch = width / 2 + width % 2;
  tables.rlc_pitch =
      2 * tables.label_pitch;  // an odd line that begins and ends in segments has one edge more than pixels
  tables.er = work.memory.take<edge_word>(u64{tables.er_pitch} * height, "ER");
  tables.rlc = work.memory.take<Places>(u64{tables.rlc_pitch} * height, "RLC");
  tables.edges = work.memory.take<u32>(height, "N");
  return tables;
}

}  // namespace skerry::published
