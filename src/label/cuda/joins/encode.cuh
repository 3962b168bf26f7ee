// SPDX-License-Identifier: Apache-2.0
// Stage 1, CUDA, where pixels join by value or axes are periodic: pixels to bits of the foreground, and of the pairs that join.
//
//   thread  eight columns, of bytes sixteen, 16 rows from the top: each row is read once, and in volumes three more of the slice
//           behind it
//
// Reads   the image, any type, any strides
// Writes  pair_bits, a byte or two at a time: 32 threads of a warp write successive ones
#pragma once
#include <type_traits>

#include "core/near_values.hpp"
#include "core/pixel_range.hpp"
#include "engine/cuda/intensity_image.cuh"
#include "label/cuda/joins/nodes.cuh"
#include "label/cuda/joins/row_pixels.cuh"

namespace skerry::label_stages::on_device {

// ---- values -------------------------------------------------------------------------------------------------------

template <class Pixel>
struct value_source {
  using value = std::conditional_t<std::is_same_v<Pixel, f16>, float, Pixel>;
  static constexpr u32 load_bytes = sizeof(Pixel) == 1 ? 8 : 16;
  const char* data;
  source_strides step;  // bytes
  pixel_range<Pixel> rule;
  bool side_by_side;  // pixels of a row, whose first of each thread is at a multiple of load_bytes

  [[nodiscard]] __host__ static value_source of(const image_view& image, const source_strides& step,
                                                const skerry::foreground& foreground) {
    const bool aligned = reinterpret_cast<u64>(image.data) % load_bytes == 0 &&
                         (image.size.height < 2 || step.y % load_bytes == 0) &&
                         (image.size.depth < 2 || step.z % load_bytes == 0);
    return {static_cast<const char*>(image.data), step, range_of<Pixel>(foreground),
            aligned && step.x == sizeof(Pixel)};
  }
  __device__ bool read(const char* row, i64 x, value& out) const {
    const Pixel pixel = intensity_image::read<Pixel>(row + x * step.x);
    if constexpr (std::is_same_v<Pixel, f16>) out = number_of(pixel);
    else out = pixel;
    return rule.holds(pixel);
  }
  /// Which of four bytes are foreground.
  [[nodiscard]] __device__ u32 holds_of_four(u32 bytes) const requires(sizeof(Pixel) == 1) {
    constexpr u32 bias = std::is_signed_v<Pixel> ? 0x80808080u : 0;  // to the order of unsigned bytes
    if (!rule.inside && rule.low == rule.high) return gather_signs(signs_of_ones(bytes ^ repeated(rule.low)));
    const u32 moved = bytes ^ bias;
    const u32 in = __vcmpgeu4(moved, repeated(rule.low) ^ bias) & __vcmpleu4(moved, repeated(rule.high) ^ bias);
    return gather_signs(rule.inside ? in : ~in);
  }
  __device__ static u32 repeated(Pixel pixel) { return static_cast<u8>(pixel) * 0x01010101u; }

  /// The pixels from x on; bits of those that are foreground.
  __device__ u32 read_all(const char* row, i32 x, i32 width, row_pixels<value>& out) const {
    constexpr int count = row_pixels<value>::count;
    u32 holds = 0;
    if (side_by_side && x + count <= width) {
      using word = std::conditional_t<load_bytes == 8, uint2, uint4>;
      constexpr u32 loads = count * sizeof(Pixel) / load_bytes;
      union {
        word raw[loads];
        Pixel pixel[count];
        u32 four[count * sizeof(Pixel) / sizeof(u32)];
      };
#pragma unroll
      for (u32 k = 0; k < loads; ++k) raw[k] = __ldg(reinterpret_cast<const word*>(row + x * i64{sizeof(Pixel)}) + k);
      if constexpr (sizeof(Pixel) == 1) {
#pragma unroll
        for (int k = 0; k < count / 4; ++k) holds |= holds_of_four(out.word[k] = four[k]) << 4 * k;
      } else {
#pragma unroll
        for (int k = 0; k < count; ++k) {
          if constexpr (std::is_same_v<Pixel, f16>) out.set(k + 1, number_of(pixel[k]));
          else out.set(k + 1, pixel[k]);
          holds |= u32{rule.holds(pixel[k])} << k;
        }
      }
      return holds;
    }
#pragma unroll
    for (int k = 0; k < count; ++k)
      if (x + k < width) holds |= u32{read_into(out, k + 1, row, x + k)} << k;
    return holds;
  }
  /// Pixel x of a row, as the k-th.
  __device__ bool read_into(row_pixels<value>& out, int k, const char* row, i64 x) const {
    value found{};
    const bool holds = read(row, x, found);
    out.set(k, found);
    return holds;
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
  __device__ u32 read_all(const char* row, i32 x, i32 width, row_pixels<value>& out) const {
    u32 holds = 0;
#pragma unroll
    for (int k = 0; k < row_pixels<value>::count; ++k)
      if (x + k < width) holds |= u32{read_into(out, k + 1, row, x + k)} << k;
    return holds;
  }
  __device__ bool read_into(row_pixels<value>& out, int k, const char* row, i64 x) const {
    value found{};
    const bool holds = read(row, x, found);
    out.set(k, found);
    return holds;
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

// ---- thread -------------------------------------------------------------------------------------------------------

/// Of sources of bytes only those that are told so know near values: it costs the others registers.
template <class Source, bool Near>
class pair_encoder {
 public:
  using value = typename Source::value;
  using pixels = row_pixels<value>;
  static constexpr int count = pixels::count;

  __device__ pair_encoder(const node_grid& grid, const Source& source, const value_joining<value>& joins, bool diagonal,
                          i32 x)
      : grid_(grid), source_(source), joins_(joins), diagonal_(diagonal), x_(x) {}

  __device__ pixels read(i32 z, i32 y) const {
    pixels row;
    if (z < 0 && grid_.wraps_z) z += grid_.depth;
    if (y < 0 && grid_.wraps_y) y += grid_.height;
    if (y >= grid_.height && grid_.wraps_y) y -= grid_.height;
    if (z < 0 || y < 0 || y >= grid_.height || x_ >= grid_.width) return row;
    row.at = source_.data + z * source_.step.z + y * source_.step.y;
    row.holds = source_.read_all(row.at, x_, grid_.width, row) << 1;
    if (x_ > 0 || grid_.wraps_x) row.holds |= u32{source_.read_into(row, 0, row.at, x_ > 0 ? x_ - 1 : grid_.width - 1)};
    if (diagonal_ && x_ + count < grid_.width)
      row.holds |= u32{source_.read_into(row, count + 1, row.at, x_ + count)} << (count + 1);
    return row;
  }

  [[nodiscard]] __device__ u32 along(const pixels& row) const { return joined<-1>(row, row); }

  /// Writes the pairs of a row and an earlier one. Bit x of `straight` is both pixels x; of `left`, pixel x and the other row's
  /// x - 1; of `right`, its x + 1.
  __device__ void pairs(const pixels& own, const pixels& other, u32 place, u32* straight, u32* left, u32* right) const {
    write(straight, place, joined<0>(own, other));
    if (left == nullptr) return;
    write(left, place, joined<-1>(own, other));
    write(right, place, joined<1>(own, other) | around(own, other));
  }
  __device__ static void write(u32* plane, u32 place, u32 bits) {
    using bits_of_thread = std::conditional_t<count == 8, u8, u16>;
    reinterpret_cast<bits_of_thread*>(plane)[place] = static_cast<bits_of_thread>(bits);
  }

 private:
  /// Bit k: pixel k of `a` and k + Shift of `b` join.
  template <int Shift>
  [[nodiscard]] __device__ u32 joined(const pixels& a, const pixels& b) const {
    u32 bits = 0;
    if (Near && joins_.kind == value_joining<value>::rule::near) {
#pragma unroll
      for (int k = 1; k <= count; ++k) bits |= u32{joins_(a.get(k), b.get(k + Shift))} << k;
    } else {
      bits = joins_.kind == value_joining<value>::rule::all ? ~0u : a.template equal<Shift>(b);
    }
    return (bits & a.holds & (b.holds << 1 >> (1 + Shift))) >> 1 & ((1u << count) - 1);
  }
  /// The last pixel of the row and the first of the other, where the axis wraps around.
  [[nodiscard]] __device__ u32 around(const pixels& own, const pixels& other) const {
    const i32 last = grid_.width - 1 - x_;
    if (!grid_.wraps_x || last < 0 || last >= count || own.at == nullptr || other.at == nullptr) return 0;
    value a{}, b{};
    const bool hold = source_.read(own.at, grid_.width - 1, a) & source_.read(other.at, 0, b);
    return u32{hold && joins_(a, b)} << last;
  }

  const node_grid& grid_;
  const Source& source_;
  const value_joining<value>& joins_;
  bool diagonal_;
  i32 x_;
};

// ---- grid ---------------------------------------------------------------------------------------------------------

inline constexpr int pair_threads = 256, pair_rows = 16;
/// Rows whose reads are under way at once.
template <class Value>
inline constexpr int pair_reads = sizeof(Value) == 8   ? 1
                                  : sizeof(Value) == 2 ? 4
                                                       : 2;
/// Blocks of a processor.
template <class Value, bool Volume>
inline constexpr int pair_blocks = sizeof(Value) == 1 && !Volume ? 3 : 1;

template <class Source, bool Volume, bool Near>
__global__ __launch_bounds__(pair_threads, pair_blocks<typename Source::value, Volume>) void encode_pairs_kernel(
    const node_grid grid, const Source source, const value_joining<typename Source::value> joins, const pair_bits out,
    const bool diagonal) {
  using encoder = pair_encoder<Source, Near>;
  using pixels = typename encoder::pixels;
  constexpr int reads = pair_reads<typename Source::value>;
  const u32 across = grid.units_x * (tile_width / encoder::count), bands = (grid.height + pair_rows - 1) / pair_rows;
  const u32 number = blockIdx.x * pair_threads + threadIdx.x, band = number / across, byte = number % across;
  const u32 z = band / bands;
  if (z >= static_cast<u32>(grid.depth)) return;
  const i32 first_row = static_cast<i32>(band % bands * pair_rows), end_row = min(first_row + pair_rows, grid.height);
  const encoder encode(grid, source, joins, diagonal, static_cast<i32>(byte * encoder::count));
  pixels above = encode.read(static_cast<i32>(z), first_row - 1);
  for (i32 begin = first_row; begin < end_row; begin += reads) {
    pixels rows[reads];
#pragma unroll
    for (int k = 0; k < reads; ++k) rows[k] = encode.read(static_cast<i32>(z), begin + k);
#pragma unroll
    for (int k = 0; k < reads; ++k) {
      const i32 y = begin + k;
      if (y >= end_row) break;
      const u32 place = (z * grid.height + y) * across + byte;
      encoder::write(out.foreground, place, rows[k].holds >> 1);
      encoder::write(out.joined[step_along_row], place, encode.along(rows[k]));
      encode.pairs(rows[k], above, place, out.joined[step_above], out.joined[step_above_left],
                   out.joined[step_above_right]);
      if constexpr (Volume)
        for (int dy = -1; dy <= 1; ++dy) {
          const int straight = step_behind(dy);
          if (out.joined[straight] == nullptr) continue;
          encode.pairs(rows[k], encode.read(static_cast<i32>(z) - 1, y + dy), place, out.joined[straight],
                       out.joined[straight - 1], out.joined[straight + 1]);
        }
      above = rows[k];
    }
  }
}

}  // namespace skerry::label_stages::on_device
