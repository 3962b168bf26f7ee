// SPDX-License-Identifier: Apache-2.0
// Segments of lines on the GPU: whole runs of foreground, found by a warp that walks along its line.
//
// Method  [Lemaitre2021], algorithm 7
#pragma once
#include <type_traits>

#include "published/cuda/device_task.hpp"

namespace skerry::published {

constexpr u32 unroll = 8;  // stretches of pixels that are fetched at the same time
constexpr u32 vector = 4;  // pixels that a thread takes at a time, where lines allow it

// What the first kernel finds. Places is u16 for lines of less than 2^16 pixels: half as much to be written.
template <class Places>
struct segment_tables {
  device_image image;
  Places* er;   // of each pixel: how many edges there are up to it, so it is odd inside segments
  Places* rlc;  // of each line: where segments begin and end, in turns
  u32* edges;   // N: of each line, an even number
  u32 er_pitch, rlc_pitch, label_pitch;

  __device__ u32 segments(u32 y) const { return edges[y] / 2; }
  __device__ u32 label(u32 y, u32 segment) const { return y * label_pitch + segment; }
  __device__ void bounds(u32 y, u32 segment, u32& begin, u32& end) const {
    using pair = std::conditional_t<sizeof(Places) == 2, ushort2, uint2>;
    const pair both = reinterpret_cast<const pair*>(rlc + u64{y} * rlc_pitch)[segment];
    begin = both.x;
    end = both.y;
  }
};

// The number of edges of a line, after what is common to both ways of finding them.
template <class Places>
__device__ u32 close_line(const segment_tables<Places>& tables, u32 y, u32 lane, u32 n) {
  if (n % 2 != 0) {
    if (lane == 0) tables.rlc[u64{y} * tables.rlc_pitch + n] = static_cast<Places>(tables.image.width);
    ++n;
  }
  if (lane == 0) tables.edges[y] = n;
  return n / 2;
}

// Each thread of the warp has one pixel of each of `unroll` stretches of 32.
template <class Places>
__device__ u32 detect_line(const segment_tables<Places>& tables, u32 y, u32 lane) {
  const u8* const row = tables.image.row(y);
  const u32 width = tables.image.width, up_to_lane = 0xffffffffu >> (31 - lane);
  Places* const er = tables.er + u64{y} * tables.er_pitch;
  Places* const rlc = tables.rlc + u64{y} * tables.rlc_pitch;
  u32 n = 0, before = 0;
  for (u32 x0 = 0; x0 < width; x0 += 32 * unroll) {
    u8 pixels[unroll];
#pragma unroll
    for (u32 k = 0; k < unroll; ++k) {
      const u32 x = x0 + 32 * k + lane;
      pixels[k] = x < width ? row[x] : 0;
    }
#pragma unroll
    for (u32 k = 0; k < unroll; ++k) {
      const u32 x = x0 + 32 * k + lane;
      const u32 mask = __ballot_sync(~0u, pixels[k] != 0);
      const u32 edges = mask ^ __funnelshift_l(before, mask, 1);
      before = mask;
      const u32 here = n + __popc(edges & up_to_lane);
      if (x < width) er[x] = static_cast<Places>(here);
      if (edges >> lane & 1) rlc[here - 1] = static_cast<Places>(x);
      n += __popc(edges);
    }
  }
  return close_line(tables, y, lane, n);
}

// The same with four neighbouring pixels to a thread: ballot k has pixel k of each thread, so that all but the first are
// shifted against each other already.
template <class Places>
__device__ u32 detect_line_by_fours(const segment_tables<Places>& tables, u32 y, u32 lane) {
  using places4 = std::conditional_t<sizeof(Places) == 2, ushort4, uint4>;
  const u8* const row = tables.image.row(y);
  const u32 width = tables.image.width, below_lane = (1u << lane) - 1;
  Places* const er = tables.er + u64{y} * tables.er_pitch;
  Places* const rlc = tables.rlc + u64{y} * tables.rlc_pitch;
  u32 n = 0, before = 0;
  for (u32 x0 = 0; x0 < width; x0 += 32 * vector * unroll) {
    u32 pixels[unroll];
#pragma unroll
    for (u32 k = 0; k < unroll; ++k) {
      const u32 x = x0 + (32 * k + lane) * vector;
      pixels[k] = x < width ? *reinterpret_cast<const u32*>(row + x) : 0;
    }
#pragma unroll
    for (u32 k = 0; k < unroll; ++k) {
      const u32 x = x0 + (32 * k + lane) * vector;
      u32 edges[vector], here[vector];
      u32 mask = __ballot_sync(~0u, (pixels[k] & 0xff000000u) != 0);
      u32 left = __funnelshift_l(before, mask, 1);
      before = mask;
      u32 count = n;
#pragma unroll
      for (u32 j = 0; j < vector; ++j) {
        mask = __ballot_sync(~0u, (pixels[k] >> 8 * j & 0xff) != 0);
        edges[j] = mask ^ left;
        left = mask;
        count += __popc(edges[j] & below_lane);
        n += __popc(edges[j]);
      }
#pragma unroll
      for (u32 j = 0; j < vector; ++j) {
        const u32 is_edge = edges[j] >> lane & 1;
        here[j] = count += is_edge;
        if (is_edge != 0) rlc[count - 1] = static_cast<Places>(x + j);
      }
      using item = decltype(places4::x);
      if (x < width)
        *reinterpret_cast<places4*>(er + x) = {static_cast<item>(here[0]), static_cast<item>(here[1]),
                                               static_cast<item>(here[2]), static_cast<item>(here[3])};
    }
  }
  return close_line(tables, y, lane, n);
}

template <class Places>
segment_tables<Places> tables_of(const device_task& work) {
  segment_tables<Places> tables;
  tables.image = work.image;
  const u32 width = work.image.width, height = work.image.height;
  tables.er_pitch = (width + vector - 1) / vector * vector;
  tables.label_pitch = width / 2 + width % 2;
  tables.rlc_pitch =
      2 * tables.label_pitch;  // an odd line that begins and ends in segments has one edge more than pixels
  tables.er = work.memory.take<Places>(u64{tables.er_pitch} * height, "ER");
  tables.rlc = work.memory.take<Places>(u64{tables.rlc_pitch} * height, "RLC");
  tables.edges = work.memory.take<u32>(height, "N");
  return tables;
}

// Whether a thread can take four pixels by one read, and no four of them are of two lines.
inline bool is_for_fours(const device_image& image) {
  return image.width % vector == 0 && image.row_bytes % vector == 0 &&
         reinterpret_cast<std::uintptr_t>(image.pixels) % vector == 0;
}

}  // namespace skerry::published
