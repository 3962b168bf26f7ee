// SPDX-License-Identifier: Apache-2.0
// Stage 1, CUDA, where pixels join by value or axes are periodic: pixels to bits of the foreground, and of the pairs that join.
//
//   lane   a pixel, and those left and right of it, by way of its neighbours in the warp
//   warp   32 columns, 16 rows from the top: each row is read once, and in volumes again for the slice behind it
//   block  8 successive words of a row
//
// Reads   the image, any type, any strides
// Writes  pair_bits. Pairs that others imply are left out: those that two runs have had one pixel before, and diagonal ones
//         between which two sides of the square join
#pragma once
#include <type_traits>

#include "core/near_values.hpp"
#include "core/pixel_range.hpp"
#include "engine/cuda/intensity_image.cuh"
#include "label/cuda/joins/nodes.cuh"

namespace skerry::label_stages::on_device {

// ---- values -------------------------------------------------------------------------------------------------------

template <class Pixel>
struct value_source {
  using value = std::conditional_t<std::is_same_v<Pixel, f16>, float, Pixel>;
  const char* data;
  source_strides step;  // bytes
  pixel_range<Pixel> rule;

  __device__ bool read(const char* row, i64 x, value& out) const {
    const Pixel pixel = intensity_image::read<Pixel>(row + x * step.x);
    if constexpr (std::is_same_v<Pixel, f16>) out = number_of(pixel);
    else out = pixel;
    return rule.holds(pixel);
  }
};

/// Pixels that are 0 or 1: bits, or bytes, of which all but 0 are 1.
struct truth_source {
  using value = u8;
  const char* data;
  source_strides step;
  truth_rule rule;
  bool packed;

  __device__ bool read(const char* row, i64 x, value& out) const {
    const u32 byte = static_cast<u8>(packed ? row[x / 8] : row[x * step.x]);
    out = packed ? byte >> (x % 8) & 1 : byte != 0;
    return out != 0 ? rule.one : rule.zero;
  }
};

/// Which values join.
template <class Value>
struct value_joining {
  enum class rule : u8 { all, equal, near };
  using distance = std::conditional_t<sizeof(Value) == 8, u64, u32>;
  rule kind = rule::all;
  distance whole = 0;  // between integers
  double real = 0;

  __host__ static value_joining of(const joining& how) {
    if (how.kind == joining::rule::foreground) return {};
    if (how.kind == joining::rule::equal || how.delta == 0) return {rule::equal};
    if constexpr (std::is_floating_point_v<Value>) {
      if (std::isinf(how.delta)) return {};
      return {rule::near, 0, how.delta};
    } else {
      if (how.delta >= std::ldexp(1.0, 8 * sizeof(distance))) return {};
      return {rule::near, static_cast<distance>(how.delta)};
    }
  }
  __device__ bool operator()(Value a, Value b) const {
    if (kind == rule::all || a == b) return true;
    if (kind == rule::equal) return false;
    if constexpr (std::is_floating_point_v<Value>) return differ_by_at_most(a, b, real);
    else
      return (a > b ? static_cast<distance>(a) - static_cast<distance>(b)
                    : static_cast<distance>(b) - static_cast<distance>(a)) <= whole;
  }
};

// ---- lane ---------------------------------------------------------------------------------------------------------

/// A pixel and its neighbours along the row. Without `holds` there is none, or it is background.
template <class Value>
struct row_pixels {
  Value left{}, own{}, right{};
  bool left_holds = false, own_holds = false, right_holds = false;
};

template <class Source>
class pair_encoder {
 public:
  using value = typename Source::value;
  using pixels = row_pixels<value>;

  __device__ pair_encoder(const node_grid& grid, const Source& source, const value_joining<value>& joins, bool diagonal,
                          i32 word)
      : grid_(grid), source_(source), joins_(joins), diagonal_(diagonal), x_(word * 32 + lane()) {}

  /// What this lane itself reads of a row: its pixel, and what lies left of the warp's first one and right of its last one.
  __device__ pixels read(i32 z, i32 y) const {
    pixels row;
    if (z < 0 && grid_.wraps_z) z += grid_.depth;
    if (y < 0 && grid_.wraps_y) y += grid_.height;
    if (y >= grid_.height && grid_.wraps_y) y -= grid_.height;
    if (z < 0 || y < 0 || y >= grid_.height || x_ >= grid_.width) return row;
    const char* const at = source_.data + z * source_.step.z + y * source_.step.y;
    row.own_holds = source_.read(at, x_, row.own);
    if (lane() == 0 && (x_ > 0 || grid_.wraps_x))
      row.left_holds = source_.read(at, x_ > 0 ? x_ - 1 : grid_.width - 1, row.left);
    const bool last = x_ + 1 == grid_.width;
    if (diagonal_ && (last ? grid_.wraps_x : lane() == 31))
      row.right_holds = source_.read(at, last ? 0 : x_ + 1, row.right);
    return row;
  }

  /// Takes the rest from the other lanes.
  __device__ void complete(pixels& row) const {
    const value left = __shfl_up_sync(~0u, row.own, 1);
    const bool left_holds = __shfl_up_sync(~0u, row.own_holds, 1);
    if (lane() > 0) row.left = left, row.left_holds = left_holds;
    if (!diagonal_) return;
    const value right = __shfl_down_sync(~0u, row.own, 1);
    const bool right_holds = __shfl_down_sync(~0u, row.own_holds, 1);
    if (lane() < 31 && x_ + 1 < grid_.width) row.right = right, row.right_holds = right_holds;
  }

  [[nodiscard]] __device__ u32 along(const pixels& row) const {
    return __ballot_sync(~0u, join(row.own, row.own_holds, row.left, row.left_holds));
  }

  /// Writes the pairs of a row and an earlier one; `along_own` and `along_other` are of their own pixels. Bit x of `straight` is
  /// both pixels x; of `left`, pixel x and the other row's x - 1; of `right`, its x + 1.
  __device__ void pairs(const pixels& own, u32 along_own, const pixels& other, u32 along_other, u32 at, u32* straight,
                        u32* left, u32* right) const {
    const u32 s = __ballot_sync(~0u, join(own.own, own.own_holds, other.own, other.own_holds));
    if (straight != nullptr && lane() == 0) straight[at] = s & ~(s << 1 & along_own & along_other);
    if (left == nullptr) return;
    const u32 l = __ballot_sync(~0u, join(own.own, own.own_holds, other.left, other.left_holds));
    const u32 r = __ballot_sync(~0u, join(own.own, own.own_holds, other.right, other.right_holds));
    if (lane() == 1) left[at] = l & ~((s & along_other) | (along_own & (s << 1 | (l << 1 & along_other << 1))));
    if (lane() == 2)
      right[at] = r & ~((s & along_other >> 1) | (along_own & s) >> 1 | (r << 1 & along_own & along_other >> 1));
  }

  __device__ static int lane() { return static_cast<int>(threadIdx.x % 32); }

 private:
  __device__ bool join(value a, bool a_holds, value b, bool b_holds) const {
    return a_holds && b_holds && joins_(a, b);
  }

  const node_grid& grid_;
  const Source& source_;
  const value_joining<value>& joins_;
  bool diagonal_;
  i32 x_;
};

// ---- grid ---------------------------------------------------------------------------------------------------------

inline constexpr int pair_threads = 256, pair_rows = 16, pair_reads = 4;  // reads of rows that are under way at once

template <class Source, bool Volume>
__global__ __launch_bounds__(pair_threads) void encode_pairs_kernel(const node_grid grid, const Source source,
                                                                    const value_joining<typename Source::value> joins,
                                                                    const pair_bits out, const bool diagonal) {
  using encoder = pair_encoder<Source>;
  using pixels = typename encoder::pixels;
  constexpr u32 warps = pair_threads / 32;
  const u32 across = (grid.words_of_row() + warps - 1) / warps, bands = (grid.height + pair_rows - 1) / pair_rows;
  const u32 word = blockIdx.x % across * warps + threadIdx.x / 32, band = blockIdx.x / across;
  if (word >= grid.words_of_row()) return;
  const i32 z = static_cast<i32>(band / bands), first_row = static_cast<i32>(band % bands * pair_rows);
  const i32 end_row = min(first_row + pair_rows, grid.height);
  const encoder encode(grid, source, joins, diagonal, static_cast<i32>(word));
  const auto completed = [&](i32 at_z, i32 at_y) {
    pixels row = encode.read(at_z, at_y);
    encode.complete(row);
    return row;
  };
  pixels above = completed(z, first_row - 1), behind[3];
  u32 along_above = encode.along(above), along_behind[3] = {};
  if constexpr (Volume)
    for (int k = 0; k < 2; ++k) {
      behind[k + 1] = completed(z - 1, first_row - 1 + k);
      along_behind[k + 1] = encode.along(behind[k + 1]);
    }
  for (i32 begin = first_row; begin < end_row; begin += pair_reads) {
    pixels rows[pair_reads], rows_behind[Volume ? pair_reads : 1];
#pragma unroll
    for (int k = 0; k < pair_reads; ++k) {
      rows[k] = encode.read(z, begin + k);
      if constexpr (Volume) rows_behind[k] = encode.read(z - 1, begin + k + 1);
    }
#pragma unroll
    for (int k = 0; k < pair_reads; ++k) {
      const i32 y = begin + k;
      pixels& row = rows[k];
      encode.complete(row);
      const u32 along = encode.along(row), holds = __ballot_sync(~0u, row.own_holds);
      if constexpr (Volume) {
        behind[0] = behind[1], behind[1] = behind[2], behind[2] = rows_behind[k];
        along_behind[0] = along_behind[1], along_behind[1] = along_behind[2];
        encode.complete(behind[2]);
        along_behind[2] = encode.along(behind[2]);
      }
      if (y >= end_row) break;
      const u32 at = (static_cast<u32>(z) * grid.height + y) * grid.words_of_row() + word;
      if (encoder::lane() == 3) out.foreground[at] = holds;
      if (encoder::lane() == 4) out.joined[step_along_row][at] = along;
      encode.pairs(row, along, above, along_above, at, out.joined[step_above], out.joined[step_above_left],
                   out.joined[step_above_right]);
      if constexpr (Volume)
#pragma unroll
        for (int dy = -1; dy <= 1; ++dy) {
          u32* const straight = out.joined[step_behind(dy)];
          if (straight != nullptr)
            encode.pairs(row, along, behind[dy + 1], along_behind[dy + 1], at, straight,
                         out.joined[step_behind(dy) - 1], out.joined[step_behind(dy) + 1]);
        }
      above = row;
      along_above = along;
    }
  }
}

}  // namespace skerry::label_stages::on_device
