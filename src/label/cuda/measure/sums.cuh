// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA: the features that are sums over pixels of labelled components: second moments, intensity.
//
//   thread  one word of a row: stretches of one label, summed by closed forms or along the intensities
//   warp    the label that most threads meet is joined here first
//   grid    everything else joins the row of its label by atomics; sums of integers know no order
//
// Reads   bits, prefix, component, first, info, parent, root_bits, root_rank, offset; intensities
// Writes  rows of features, of the components whose label is at most `capacity`
// Needs   one launch before the sums to empty the rows
// Method  closed-form sums per run [Lacassagne2011]. Other features: reals.cuh
#pragma once
#include "core/intensity.hpp"
#include "engine/cuda/empty_rows.cuh"
#include "engine/cuda/four_bytes.cuh"
#include "engine/cuda/intensity_image.cuh"
#include "engine/cuda/join_rows.cuh"
#include "label/cuda/measure/tile_labels.cuh"
#include "label/cuda/tiles/readable_bytes.cuh"

namespace skerry::label_stages::on_device {

// ---- thread ---------------------------------------------------------------------------------------

/// Second moments of a stretch of pixels.
struct moments_of_stretch {
  using row = second_moments;
  using part = second_moments;
  bool volume;

  struct kept {};
  __device__ kept kept_by(const row&) const { return {}; }
  __device__ void add(part& to, kept, const row_word& at, u32 bits) const {
    const i64 z = volume ? at.z : 0;  // the frames of a batch do not know their number
    while (bits != 0) {
      const stretch pixels = stretch::lowest(bits);
      bits ^= pixels.bits;
      join(to, second_moments_of_stretch(z, at.y, at.x + pixels.begin, at.x + pixels.end), join_alone());
    }
  }
};

/// Intensities under a stretch of pixels, integers of at most 32 bits.
struct intensity_of_stretch {
  using row = intensity;
  using part = intensity;
  intensity_image image;

  struct kept {};
  __device__ kept kept_by(const row&) const { return {}; }
  __device__ void add(part& to, kept, const row_word& at, u32 bits) const {
    if (bits == 0) return;
    if (image.is_narrow()) {
      narrow_sums sums;
      each_bit(bits, [&](int k) { sums.add(static_cast<i32>(image.at(at.z, at.y, at.x + k))); });
      sums.add_to(to);
    } else {
      each_bit(bits, [&](int k) { add_integer(to, static_cast<i64>(image.at(at.z, at.y, at.x + k))); });
    }
  }
};

/// The same of bytes that are neighbours in a row, 16 at a time at multiples of 16. Sums know no order: where rows begin
/// elsewhere, not the bytes are shifted but the bits that say which of them are wanted.
struct intensity_of_bytes {
  using row = intensity;
  using part = intensity;
  intensity_image image;
  readable_bytes readable;

  struct kept {};
  __device__ kept kept_by(const row&) const { return {}; }

  /// Of two places of 16 bits each in extrema.
  struct byte_sums {
    u32 least = ~0u, most = 0, sum = 0, squares = 0;

    /// Of four bytes those whose bits are set.
    __device__ void add(u32 bytes, u32 wanted) {
      const u32 mask = bytes_of_bits(wanted), kept = bytes & mask, raised = bytes | ~mask;
      sum = __dp4a(kept, 0x01010101u, sum);
      squares = __dp4a(kept, kept, squares);
      most = __vmaxu2(__vmaxu2(most, kept & 0x00ff00ffu), kept >> 8 & 0x00ff00ffu);
      least = __vminu2(__vminu2(least, raised & 0x00ff00ffu), raised >> 8 & 0x00ff00ffu);
    }
    __device__ narrow_sums joined() const {
      return {static_cast<i32>(min(least & 0xffff, least >> 16)), static_cast<i32>(max(most & 0xffff, most >> 16)), sum,
              squares};
    }
  };

  __device__ void add(part& to, kept, const row_word& at, u32 bits) const {
    if (bits == 0) return;
    const auto* const first = reinterpret_cast<const u8*>(image.place(at.z, at.y, at.x));
    const u32 off = reinterpret_cast<u64>(first) % 16;
    const u8* piece = first - off;
    byte_sums sums;
    for (u64 rest = u64{bits} << off; rest != 0; rest >>= 16, piece += 16) {
      const u32 wanted = rest & 0xffff;
      if (wanted == 0) continue;
      if (!readable.has(piece, 16)) {  // the first or the last bytes of the image
        each_bit(wanted, [&](int k) { sums.add(piece[k], 1); });
        continue;
      }
      const uint4 bytes = readable.sixteen_at(piece);
      sums.add(bytes.x, wanted & 0xf);
      sums.add(bytes.y, wanted >> 4 & 0xf);
      sums.add(bytes.z, wanted >> 8 & 0xf);
      sums.add(bytes.w, wanted >> 12);
    }
    sums.joined().add_to(to);
  }
};

// ---- warp -----------------------------------------------------------------------------------------

/// The label that most threads of the warp meet first, or 0.
__device__ inline u32 common_label(u32 label) {
  const u32 same = __match_any_sync(~0u, label);
  const u32 votes = label == 0 ? 0 : static_cast<u32>(__popc(same));
  const u32 most = __reduce_max_sync(~0u, votes);
  const u32 winners = __ballot_sync(~0u, votes == most && label != 0);
  return most < 2 ? 0 : __shfl_sync(~0u, label, __ffs(winners) - 1);
}

// ---- grid -----------------------------------------------------------------------------------------

template <class Row>
__global__ void empty_rows_kernel(Row* rows, const u64* count, u64 capacity) {
  write_empty_rows(rows, min(static_cast<u64>(*count), capacity), Row{});
}

/// A feature has `row`, a row of the table; `part`, what pixels add to it; kept_by(row), what add(part, …) must know of the row
/// that its part will join. Stretches of the common label are added together, so that threads with many short ones do not keep
/// the warp waiting.
template <class Shape, class Feature>
__global__ __launch_bounds__(label_threads) void sum_kernel(const tiling grid, const label_tables tables,
                                                            const Feature feature, typename Feature::row* rows,
                                                            const u64 capacity) {
  using part = typename Feature::part;
  __shared__ tile_labels<Shape> shared;
  const u32 tile = blockIdx.x;
  const tile_place at = tile_place::of(grid, tile);
  if (tables.info[tile].components == 0) return;
  shared.look_up(grid, tables, tile, at, cuda::numbering::consecutive);
  const u32 frame = Shape::rank == 2 ? at.z : 0;
  rows += tables.offset[frame];
  const u64 room = capacity < tables.offset[frame] ? 0 : capacity - tables.offset[frame];
  const row_word here = row_word::of_thread<Shape>(at);
  u32 rest = here.inside(grid) ? shared.bits[threadIdx.x] : 0;
  const auto label_here = [&] { return rest == 0 ? 0 : shared.label_at(here.row, here.column, rest & -rest); };
  u32 common = common_label(label_here());
  if (common > room) common = 0;
  typename Feature::kept kept_by_common{};
  if (common != 0) kept_by_common = feature.kept_by(rows[common - 1]);
  u32 of_common = 0;
  while (rest != 0) {
    const u32 bits = stretch::lowest(rest).bits, label = label_here();
    rest ^= bits;
    if (label == 0 || label > room) continue;
    if (label == common) {
      of_common |= bits;
    } else {
      part alone{};
      feature.add(alone, feature.kept_by(rows[label - 1]), here, bits);
      join(rows[label - 1], alone, join_at_once());
    }
  }
  __syncwarp();
  if (common == 0) return;
  part joined{};
  feature.add(joined, kept_by_common, here, of_common);
  __syncwarp();
#pragma unroll
  for (int step = 16; step > 0; step /= 2) join(joined, shuffled_down(joined, step), join_alone());
  if (threadIdx.x % 32 == 0) join(rows[common - 1], joined, join_at_once());
}

}  // namespace skerry::label_stages::on_device
