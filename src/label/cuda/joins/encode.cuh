// SPDX-License-Identifier: Apache-2.0
// Stage 1, CUDA, where pixels join by value or axes are periodic: pixels to bits of the foreground, and of the pairs that join.
//
//   thread  eight columns, of bytes sixteen, 16 rows from the top: each row is read once, and in volumes three more of the slice
//           behind it
//
// Reads   the image, any type, any strides
// Writes  pair_bits, a byte or two at a time: 32 threads of a warp write successive ones
#pragma once
#include "core/near_values.hpp"
#include "label/cuda/joins/nodes.cuh"
#include "label/cuda/joins/row_sources.cuh"

namespace skerry::label_stages::on_device {

// ---- values -------------------------------------------------------------------------------------------------------

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
      : grid_(grid), source_(source), joins_(joins), x_(x), left_(x > 0          ? x - 1
                                                                  : grid.wraps_x ? grid.width - 1
                                                                                 : -1) {
    const i32 there = max(grid.width - x, 0);
    own_ = (2u << min(there, count)) - 2;
    const bool right = diagonal && there > 0 && (there > count || grid.wraps_x);
    exist_ = own_ | (left_ >= 0 ? 1 : 0) | (right ? 2u << min(there, count) : 0);
    if constexpr (Source::has_words) by_words_ = source.side_by_side && there >= count;
  }

  /// Rows from y on. All of them are asked for before one is looked at.
  template <int Rows>
  __device__ void read(i32 z, i32 y, pixels (&rows)[Rows]) const {
    const char* begin[Rows];  // null where there is no row
#pragma unroll
    for (int k = 0; k < Rows; ++k) begin[k] = begin_of(z, y + k);
    if constexpr (Source::has_words) {
      if (by_words_)
#pragma unroll
        for (int k = 0; k < Rows; ++k) load_words(begin[k], rows[k]);
      else
#pragma unroll
        for (int k = 0; k < Rows; ++k) load_bytes(begin[k], rows[k]);
#pragma unroll
      for (int k = 0; k < Rows; ++k) look_at(rows[k], begin[k] != nullptr);
    } else {
#pragma unroll
      for (int k = 0; k < Rows; ++k) read_one_by_one(begin[k], rows[k]);
    }
  }
  __device__ pixels read(i32 z, i32 y) const {
    pixels row[1];
    read(z, y, row);
    return row[0];
  }

  [[nodiscard]] __device__ u32 own(const pixels& row) const { return (row.holds & own_) >> 1; }
  [[nodiscard]] __device__ u32 along(const pixels& row) const { return joined<-1>(row, row); }

  /// Writes the pairs of a row and an earlier one. Bit x of `straight` is both pixels x; of `left`, pixel x and the other row's
  /// x - 1; of `right`, its x + 1.
  __device__ void pairs(const pixels& own, const pixels& other, u32 place, u32* straight, u32* left, u32* right) const {
    write(straight, place, joined<0>(own, other));
    if (left == nullptr) return;
    write(left, place, joined<-1>(own, other));
    write(right, place, joined<1>(own, other));
  }
  __device__ static void write(u32* plane, u32 place, u32 bits) {
    using bits_of_thread = std::conditional_t<count == 8, u8, u16>;
    reinterpret_cast<bits_of_thread*>(plane)[place] = static_cast<bits_of_thread>(bits);
  }

 private:
  [[nodiscard]] __device__ const char* begin_of(i32 z, i32 y) const {
    if (z < 0 && grid_.wraps_z) z += grid_.depth;
    if (y < 0 && grid_.wraps_y) y += grid_.height;
    if (y >= grid_.height && grid_.wraps_y) y -= grid_.height;
    if (z < 0 || y < 0 || y >= grid_.height || x_ >= grid_.width) return nullptr;
    return source_.data + z * source_.step.z + y * source_.step.y;
  }
  __device__ void read_one_by_one(const char* begin, pixels& row) const {
    if (begin == nullptr) return;
    row.holds = source_.read_all(begin, x_, grid_.width, exist_ >> 1, row) << 1;
    if (exist_ & 1) row.holds |= u32{read_into(source_, row, 0, begin, left_)};
    if (exist_ >> (count + 1))
      row.holds |= u32{read_into(source_, row, count + 1, begin, column(count))} << (count + 1);
  }
  __device__ void load_words(const char* begin, pixels& row) const {
    if (begin == nullptr) return;
    const uint2 low = __ldg(reinterpret_cast<const uint2*>(begin + x_)),
                high = __ldg(reinterpret_cast<const uint2*>(begin + x_) + 1);
    row.word[0] = low.x, row.word[1] = low.y, row.word[2] = high.x, row.word[3] = high.y;
    load_sides(row, begin);
  }
  __device__ void load_bytes(const char* begin, pixels& row) const {
    if (begin == nullptr) return;
#pragma unroll 1
    for (int w = 0; w < pixels::words; ++w) {
      u32 four = 0;
#pragma unroll
      for (int k = 0; k < 4; ++k)
        if (exist_ >> (4 * w + k + 1) & 1) four |= byte_at(begin, column(4 * w + k)) << 8 * k;
#pragma unroll
      for (int other = 0; other < pixels::words; ++other) row.word[other] = other == w ? four : row.word[other];
    }
    load_sides(row, begin);
  }
  __device__ void load_sides(pixels& row, const char* begin) const {
    if (exist_ & 1) row.sides = byte_at(begin, left_);
    if (exist_ >> (count + 1)) row.right = byte_at(begin, column(count));
  }
  /// Of the k-th pixel. Behind the last one the row begins again.
  [[nodiscard]] __device__ i32 column(int k) const { return x_ + k == grid_.width ? 0 : x_ + k; }
  __device__ u32 byte_at(const char* row, i32 x) const { return static_cast<u8>(row[x * source_.step.x]); }
  __device__ void look_at(pixels& row, bool exists) const {
    row.sides |= row.right << 8;
    u32 signs[4];
#pragma unroll
    for (int w = 0; w < 4; ++w) signs[w] = source_.signs_of_foreground(row.word[w]);
    const u32 sides = gather_signs(source_.signs_of_foreground(row.sides));
    const u32 holds = gather_signs(signs) << 1 | (sides & 1) | (sides & 2) << count;
    row.holds = exists ? holds & exist_ : 0;
  }

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
    return (bits & a.holds & own_ & (b.holds << 1 >> (1 + Shift))) >> 1;
  }

  const node_grid& grid_;
  const Source& source_;
  const value_joining<value>& joins_;
  i32 x_, left_;     // the pixel to the left, or -1
  u32 own_, exist_;  // of the pixels of a row; and those to their sides, or around the axis
  bool by_words_ = false;
};

// ---- grid ---------------------------------------------------------------------------------------------------------

inline constexpr int pair_threads = 256, pair_rows = 16;
/// Rows whose reads are under way at once.
template <class Value>
inline constexpr int pair_reads = sizeof(Value) == 8   ? 1
                                  : sizeof(Value) == 2 ? 4
                                                       : 2;
/// Blocks of a processor.
template <class Source, bool Volume>
inline constexpr int pair_blocks = Volume || sizeof(typename Source::value) > 1 ? 1
                                   : Source::has_words                          ? 4
                                                                                : 2;

template <class Source, bool Volume, bool Near>
__global__ __launch_bounds__(pair_threads, pair_blocks<Source, Volume>) void encode_pairs_kernel(
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
    encode.read(static_cast<i32>(z), begin, rows);
#pragma unroll
    for (int k = 0; k < reads; ++k) {
      const i32 y = begin + k;
      if (y >= end_row) break;
      const u32 place = (z * grid.height + y) * across + byte;
      encoder::write(out.foreground, place, encode.own(rows[k]));
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
