// SPDX-License-Identifier: Apache-2.0
// Stage 1, CPU: pixels become bits.
//
//   lane   64 pixels to 64 bits, by vector compares        (compiled once per instruction set)
//   row    any strides: pixels of a row are gathered 64 at a time
//   image  the foreground rule becomes a closed range of the pixel type, once per call; f16 pixels are compared as integers in
//          the order of their numbers, which is exact and keeps 16 bits to a lane
//
// Reads   an image of any type and strides
// Writes  rows of bits, 0 past the width
// Method  bit packing by compare and mask extraction, [Lemaitre2020]
#include <algorithm>
#include <cstring>

#include "core/pixel_range.hpp"
#include "core/pixel_type.hpp"
#include "label/cpu/spaced_pixels.hpp"
#include "label/cpu/stages.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "label/cpu/1_encode.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

// ---- lane ---------------------------------------------------------------------------------------------------------
HWY_BEFORE_NAMESPACE();
namespace skerry::label_stages::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Pixel>
struct except_lanes {
  Pixel background;
  template <class D, class V>
  HWY_INLINE auto operator()(D d, V pixels) const {
    const auto left_out = hn::Set(d, background);
    if constexpr (std::is_floating_point_v<Pixel>) return hn::Or(hn::Lt(pixels, left_out), hn::Gt(pixels, left_out));
    else return hn::Ne(pixels, left_out);
  }
};

template <class Pixel>
struct range_lanes {
  Pixel low, high;
  template <class D, class V>
  HWY_INLINE auto operator()(D d, V pixels) const {
    const auto least = hn::Set(d, low), most = hn::Set(d, high);
    if constexpr (std::is_floating_point_v<Pixel>) return hn::And(hn::Ge(pixels, least), hn::Le(pixels, most));
    else return hn::Not(hn::Or(hn::Lt(pixels, least), hn::Gt(pixels, most)));
  }
};

// Bits of f16 as in core/float16.hpp.
struct nonzero_f16_lanes {
  template <class D, class V>
  HWY_INLINE auto operator()(D d, V bits) const {
    const auto magnitude = hn::And(bits, hn::Set(d, 0x7fff));
    return hn::And(hn::Gt(magnitude, hn::Zero(d)), hn::Not(hn::Gt(magnitude, hn::Set(d, f16_key_of_infinity))));
  }
};

struct range_f16_lanes {
  std::int16_t low, high;
  template <class D, class V>
  HWY_INLINE auto operator()(D d, V bits) const {
    const auto key = hn::Xor(bits, hn::And(hn::ShiftRight<15>(bits), hn::Set(d, 0x7fff)));
    return hn::Not(hn::Or(hn::Lt(key, hn::Set(d, low)), hn::Gt(key, hn::Set(d, high))));
  }
};

struct except_f16_lanes {
  std::int16_t low, high;
  template <class D, class V>
  HWY_INLINE auto operator()(D d, V bits) const {
    return hn::And(hn::Not(range_f16_lanes{low, high}(d, bits)),
                   range_f16_lanes{f16_key_of_minus_infinity, f16_key_of_infinity}(d, bits));
  }
};

template <class Pixel, class Lanes>
HWY_INLINE u64 bits_of_64(const Pixel* HWY_RESTRICT pixels, Lanes passes) {
  const hn::CappedTag<Pixel, 64> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  u64 bits = 0;
  for (std::size_t x = 0; x < 64; x += lanes) {
    u64 part = 0;
    hn::StoreMaskBits(d, passes(d, hn::LoadU(d, pixels + x)), reinterpret_cast<u8*>(&part));
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86
    // g++ 12 can keep a widened mask in a mask register, spill its 4 bytes, and load 8: hold it in a general one.
    if constexpr (lanes < 64) asm("" : "+r"(part));
#endif
    bits |= part << x;
  }
  return bits;
}

template <class Pixel, class Lanes>
HWY_INLINE void pack_with(const Pixel* HWY_RESTRICT pixels, std::size_t width, u64* HWY_RESTRICT words, Lanes passes) {
  std::size_t word = 0;
  for (; (word + 1) * 64 <= width; ++word) words[word] = bits_of_64(pixels + word * 64, passes);
  Pixel last[64] = {};
  const std::size_t rest = width - word * 64;
  if (rest != 0) std::memcpy(last, pixels + word * 64, rest * sizeof(Pixel));
  words[word] = rest == 0 ? 0 : bits_of_64(last, passes) & ((u64{1} << rest) - 1);
}

template <class Pixel>
void pack_row(const Pixel* pixels, std::size_t width, u64* words, const pixel_range<Pixel>& range) {
  if (range.inside) pack_with(pixels, width, words, range_lanes<Pixel>{range.low, range.high});
  else pack_with(pixels, width, words, except_lanes<Pixel>{range.low});
}

void pack_row_f16(const f16* pixels, std::size_t width, u64* words, const pixel_range<f16>& range) {
  const auto* const bits = reinterpret_cast<const std::int16_t*>(pixels);
  // A range that holds nothing can end below all keys or begin above them, by 1: both fit.
  const auto low = static_cast<std::int16_t>(range.low), high = static_cast<std::int16_t>(range.high);
  if (range.inside) pack_with(bits, width, words, range_f16_lanes{low, high});
  else if (low == f16_key({0x8000}) && high == f16_key({0})) pack_with(bits, width, words, nonzero_f16_lanes());
  else pack_with(bits, width, words, except_f16_lanes{low, high});
}

#define SKERRY_PACK_ROW(Pixel)                                                                                 \
  void pack_row_##Pixel(const Pixel* pixels, std::size_t width, u64* words, const pixel_range<Pixel>& range) { \
    pack_row(pixels, width, words, range);                                                                     \
  }
using f32 = float;
using f64 = double;
using i8 = std::int8_t;
using i16 = std::int16_t;
SKERRY_PACK_ROW(u8)
SKERRY_PACK_ROW(u16)
SKERRY_PACK_ROW(u32)
SKERRY_PACK_ROW(u64)
SKERRY_PACK_ROW(i8)
SKERRY_PACK_ROW(i16)
SKERRY_PACK_ROW(i32)
SKERRY_PACK_ROW(i64)
SKERRY_PACK_ROW(f32)
SKERRY_PACK_ROW(f64)
#undef SKERRY_PACK_ROW

}  // namespace skerry::label_stages::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skerry::label_stages {
namespace {

HWY_EXPORT(pack_row_u8);
HWY_EXPORT(pack_row_u16);
HWY_EXPORT(pack_row_u32);
HWY_EXPORT(pack_row_u64);
HWY_EXPORT(pack_row_i8);
HWY_EXPORT(pack_row_i16);
HWY_EXPORT(pack_row_i32);
HWY_EXPORT(pack_row_i64);
HWY_EXPORT(pack_row_f16);
HWY_EXPORT(pack_row_f32);
HWY_EXPORT(pack_row_f64);

template <class Pixel>
using pack_function = void (*)(const Pixel*, std::size_t, u64*, const pixel_range<Pixel>&);

template <class Pixel>
pack_function<Pixel> pack_function_for() {
  if constexpr (std::is_same_v<Pixel, u8>) return HWY_DYNAMIC_DISPATCH(pack_row_u8);
  else if constexpr (std::is_same_v<Pixel, u16>) return HWY_DYNAMIC_DISPATCH(pack_row_u16);
  else if constexpr (std::is_same_v<Pixel, u32>) return HWY_DYNAMIC_DISPATCH(pack_row_u32);
  else if constexpr (std::is_same_v<Pixel, u64>) return HWY_DYNAMIC_DISPATCH(pack_row_u64);
  else if constexpr (std::is_same_v<Pixel, std::int8_t>) return HWY_DYNAMIC_DISPATCH(pack_row_i8);
  else if constexpr (std::is_same_v<Pixel, std::int16_t>) return HWY_DYNAMIC_DISPATCH(pack_row_i16);
  else if constexpr (std::is_same_v<Pixel, i32>) return HWY_DYNAMIC_DISPATCH(pack_row_i32);
  else if constexpr (std::is_same_v<Pixel, i64>) return HWY_DYNAMIC_DISPATCH(pack_row_i64);
  else if constexpr (std::is_same_v<Pixel, f16>) return HWY_DYNAMIC_DISPATCH(pack_row_f16);
  else if constexpr (std::is_same_v<Pixel, float>) return HWY_DYNAMIC_DISPATCH(pack_row_f32);
  else return HWY_DYNAMIC_DISPATCH(pack_row_f64);
}

// ---- row ----------------------------------------------------------------------------------------------------------

// Packs a row whose pixels are not neighbours in memory, or misaligned.
template <class Pixel>
void pack_strided_row(const std::byte* row, i64 stride, i64 width, u64* words, const pixel_range<Pixel>& range) {
  const auto pack = pack_function_for<Pixel>();
  const bool aligned = reinterpret_cast<std::uintptr_t>(row) % alignof(Pixel) == 0;
  const i64 done = aligned && stride == 2 * i64{sizeof(Pixel)}
                       ? pack_every_second(reinterpret_cast<const Pixel*>(row), width, words, pack, range)
                       : 0;
  for (i64 x = done; x <= width; x += 64) {
    Pixel pixels[64];
    const i64 count = std::min<i64>(64, width - x);
    if (count == 64) gather_word(row + x * stride, stride, pixels);
    else gather(row + x * stride, stride, count, pixels);
    u64 packed[2];  // a full word is followed by an empty one
    pack(pixels, static_cast<std::size_t>(count), packed, range);
    words[x / 64] = packed[0];
  }
}

template <class Pixel>
void pack_rows(const image_view& image, i64 row_begin, i64 row_end, bit_window& bits, const pixel_range<Pixel>& range) {
  const auto pack = pack_function_for<Pixel>();
  const i64 width = image.size.width;
  const bool neighbours = image.strides.x == static_cast<i64>(sizeof(Pixel));
  for (i64 r = row_begin; r < row_end; ++r) {
    const std::byte* row = start_of_row(image, r);
    const bool aligned = reinterpret_cast<std::uintptr_t>(row) % alignof(Pixel) == 0;
    if (neighbours && aligned)
      pack(reinterpret_cast<const Pixel*>(row), static_cast<std::size_t>(width), bits.row(r), range);
    else pack_strided_row(row, image.strides.x, width, bits.row(r), range);
  }
}

void clear_past_width(u64* words, i64 width) { words[width / 64] &= (u64{1} << (width % 64)) - 1; }

// Packed pixels are 0 or 1: the rule can only keep them, invert them, or make them all the same.
void copy_rows(const image_view& image, i64 row_begin, i64 row_end, bit_window& bits, u64 if_zero, u64 if_one) {
  const i64 bytes = (image.size.width + 7) / 8;
  for (i64 r = row_begin; r < row_end; ++r) {
    u64* words = bits.row(r);
    words[bits.words_per_row() - 1] = 0;
    std::memcpy(words, start_of_row(image, r), static_cast<std::size_t>(bytes));
    for (i64 w = 0; w < bits.words_per_row(); ++w) words[w] = (words[w] & if_one) | (~words[w] & if_zero);
    clear_past_width(words, image.size.width);
  }
}

// ---- image --------------------------------------------------------------------------------------------------------

template <class Pixel>
void encode_as(const pixel_source& source, i64 row_begin, i64 row_end, bit_window& bits) {
  pack_rows<Pixel>(source.image, row_begin, row_end, bits, range_of<Pixel>(source.foreground));
}

// Pixels that can only be 0 or 1.
void encode_truth(const pixel_source& source, i64 row_begin, i64 row_end, bit_window& bits) {
  const truth_rule truth = truth_rule::of(source.foreground);
  const u64 if_zero = truth.zero ? ~u64{0} : 0, if_one = truth.one ? ~u64{0} : 0;
  if (source.image.type == dtype::bit) return copy_rows(source.image, row_begin, row_end, bits, if_zero, if_one);
  pack_rows<u8>(source.image, row_begin, row_end, bits, range_of<u8>(foreground::nonzero()));
  if (if_zero == 0 && if_one != 0) return;
  for (i64 r = row_begin; r < row_end; ++r) {
    u64* words = bits.row(r);
    for (i64 w = 0; w < bits.words_per_row(); ++w) words[w] = (words[w] & if_one) | (~words[w] & if_zero);
    clear_past_width(words, source.image.size.width);
  }
}

}  // namespace

void bit_window::take_rows(i64 width, i64 rows) {
  words_per_row_ = words_for(width);
  rows_ = rows;
  words_.reserve(static_cast<std::size_t>((rows + 1) * words_per_row_));
  std::fill_n(words_.data() + rows * words_per_row_, words_per_row_, 0);
}

void bit_window::shape(i64 width, i64 rows) {
  take_rows(width, static_cast<i64>(std::bit_ceil(static_cast<u64>(rows))));
  first_row_ = 0;
  row_mask_ = rows_ - 1;
}

void bit_window::shape_whole(i64 width, i64 first, i64 end) {
  take_rows(width, end - first);
  first_row_ = first;
  row_mask_ = -1;
}

void strip::keep_first_rows(i64 begin, i64 end, bool broken) {
  for (i64 r = begin; r < std::min(end, row_begin + kept_rows); ++r) {
    std::copy_n(bits.row(r), bits.words_per_row(), kept_bits.row(r));
    if (broken) std::copy_n(starts.row(r), starts.words_per_row(), kept_starts.row(r));
  }
}

void encode(const pixel_source& source, i64 row_begin, i64 row_end, bit_window& bits) {
  if (source.image.type == dtype::bit || source.image.type == dtype::boolean)
    encode_truth(source, row_begin, row_end, bits);
  else
    with_pixel_type(source.image.type,
                    [&]<class Pixel>(pixel_type<Pixel>) { encode_as<Pixel>(source, row_begin, row_end, bits); });
  if (!source.inverted) return;
  for (i64 r = row_begin; r < row_end; ++r) {
    for (i64 w = 0; w < bits.words_per_row(); ++w) bits.row(r)[w] = ~bits.row(r)[w];
    clear_past_width(bits.row(r), source.image.size.width);
  }
}

}  // namespace skerry::label_stages
#endif
