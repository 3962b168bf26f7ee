// SPDX-License-Identifier: Apache-2.0
// Stage 1, CPU, where pixels join by value: two rows of pixels are compared.
//
//   lane   64 pairs of pixels to 64 bits, by vector compares        (compiled once per instruction set)
//   image  the rule becomes a comparison of the pixel type, once per call
//
// Reads   pixels side by side, and bits of those that are wanted
// Writes  bits of those that join
// Method  differences of floats are compared with the limit as real numbers: core/near_values.hpp
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/near_values.hpp"
#include "label/cpu/by_value/joins.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "label/cpu/by_value/1_compare.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

// ---- lane ---------------------------------------------------------------------------------------------------------
HWY_BEFORE_NAMESPACE();
namespace skerry::label_stages::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct equal_lanes {
  template <class D, class V>
  HWY_INLINE auto operator()(D, V a, V b) const {
    return hn::Eq(a, b);
  }
};

// Of integers without sign, or with, which `sign` moves to the same order.
template <class Pixel>
struct within_lanes {
  Pixel most, sign;
  template <class D, class V>
  HWY_INLINE auto operator()(D d, V a, V b) const {
    const auto flip = hn::Set(d, sign);
    const auto above = hn::Xor(a, flip), below = hn::Xor(b, flip);
    return hn::Not(hn::Gt(hn::Sub(hn::Max(above, below), hn::Min(above, below)), hn::Set(d, most)));
  }
};

template <class Pixel>
struct below_lanes {
  Pixel limit;
  template <class D, class V>
  HWY_INLINE auto operator()(D d, V a, V b) const {
    return hn::Or(hn::Eq(a, b), hn::Lt(hn::Abs(hn::Sub(a, b)), hn::Set(d, limit)));
  }
};

template <class Pixel>
struct up_to_lanes {
  Pixel limit;
  template <class D, class V>
  HWY_INLINE auto operator()(D d, V a, V b) const {
    return hn::Le(hn::Abs(hn::Sub(a, b)), hn::Set(d, limit));
  }
};

template <class Pixel, class Lanes>
HWY_INLINE u64 joined_of_64(const Pixel* HWY_RESTRICT a, const Pixel* HWY_RESTRICT b, Lanes join) {
  const hn::CappedTag<Pixel, 64> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  u64 bits = 0;
  for (std::size_t x = 0; x < 64; x += lanes) {
    u64 part = 0;
    hn::StoreMaskBits(d, join(d, hn::LoadU(d, a + x), hn::LoadU(d, b + x)), reinterpret_cast<u8*>(&part));
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86
    if constexpr (lanes < 64) asm("" : "+r"(part));  // as in ../1_encode.cpp
#endif
    bits |= part << x;
  }
  return bits;
}

// Calls bits_of(a, b, wanted) for each 64 pixels of which any are wanted.
template <class Pixel, class BitsOf>
HWY_INLINE void compare_rows(const std::byte* row_a, const std::byte* row_b, i64 count, const u64* wanted, i64 words,
                             u64* joined, BitsOf bits_of) {
  const auto* const a = reinterpret_cast<const Pixel*>(row_a);
  const auto* const b = reinterpret_cast<const Pixel*>(row_b);
  for (i64 word = 0, x = 0; word < words; ++word, x += 64) {
    u64 found = 0;
    if (wanted[word] != 0 && count - x >= 64) {
      found = bits_of(a + x, b + x, wanted[word]);
    } else if (wanted[word] != 0) {
      Pixel last_a[64] = {}, last_b[64] = {};
      std::memcpy(last_a, a + x, static_cast<std::size_t>(count - x) * sizeof(Pixel));
      std::memcpy(last_b, b + x, static_cast<std::size_t>(count - x) * sizeof(Pixel));
      found = bits_of(last_a, last_b, wanted[word]);
    }
    joined[word] = found & wanted[word];
  }
}

template <class Pixel>
void compare_equal(const std::byte* a, const std::byte* b, i64 count, const u64* wanted, i64 words, u64* joined) {
  compare_rows<Pixel>(a, b, count, wanted, words, joined, [](const Pixel* left, const Pixel* right, u64) {
    return joined_of_64(left, right, equal_lanes());
  });
}

template <class Pixel>
void compare_within(const std::byte* a, const std::byte* b, i64 count, const u64* wanted, i64 words, u64* joined,
                    const difference_limit& limit) {
  const within_lanes<Pixel> within{static_cast<Pixel>(limit.whole), static_cast<Pixel>(limit.sign)};
  compare_rows<Pixel>(a, b, count, wanted, words, joined,
                      [&](const Pixel* left, const Pixel* right, u64) { return joined_of_64(left, right, within); });
}

// Of rounded differences those below `least` are below the limit, and those above `most` are above it.
template <class Pixel>
void compare_real(const std::byte* a, const std::byte* b, i64 count, const u64* wanted, i64 words, u64* joined,
                  const difference_limit& limit) {
  constexpr Pixel largest = std::numeric_limits<Pixel>::max(), infinity = std::numeric_limits<Pixel>::infinity();
  Pixel least = limit.real > double{largest} ? largest : static_cast<Pixel>(limit.real);
  if (double{least} > limit.real) least = std::nextafter(least, Pixel{0});
  const Pixel most = double{least} == limit.real ? least : std::nextafter(least, infinity);
  compare_rows<Pixel>(a, b, count, wanted, words, joined, [&](const Pixel* left, const Pixel* right, u64 asked) {
    const u64 sure = joined_of_64(left, right, below_lanes<Pixel>{least});
    u64 found = sure;
    for (u64 open = joined_of_64(left, right, up_to_lanes<Pixel>{most}) & asked & ~sure; open != 0; open &= open - 1) {
      const int x = std::countr_zero(open);
      if (differ_by_at_most(left[x], right[x], limit.real)) found |= u64{1} << x;
    }
    return found;
  });
}

#define SKERRY_COMPARE(Name, Call)                                                                        \
  void Name(const std::byte* a, const std::byte* b, i64 count, const u64* wanted, i64 words, u64* joined, \
            [[maybe_unused]] const difference_limit& limit) {                                             \
    Call;                                                                                                 \
  }
SKERRY_COMPARE(compare_equal_u8, compare_equal<u8>(a, b, count, wanted, words, joined))
SKERRY_COMPARE(compare_equal_u16, compare_equal<u16>(a, b, count, wanted, words, joined))
SKERRY_COMPARE(compare_equal_u32, compare_equal<u32>(a, b, count, wanted, words, joined))
SKERRY_COMPARE(compare_equal_u64, compare_equal<u64>(a, b, count, wanted, words, joined))
SKERRY_COMPARE(compare_equal_f32, compare_equal<float>(a, b, count, wanted, words, joined))
SKERRY_COMPARE(compare_equal_f64, compare_equal<double>(a, b, count, wanted, words, joined))
SKERRY_COMPARE(compare_within_u8, compare_within<u8>(a, b, count, wanted, words, joined, limit))
SKERRY_COMPARE(compare_within_u16, compare_within<u16>(a, b, count, wanted, words, joined, limit))
SKERRY_COMPARE(compare_within_u32, compare_within<u32>(a, b, count, wanted, words, joined, limit))
SKERRY_COMPARE(compare_within_u64, compare_within<u64>(a, b, count, wanted, words, joined, limit))
SKERRY_COMPARE(compare_within_f32, compare_real<float>(a, b, count, wanted, words, joined, limit))
SKERRY_COMPARE(compare_within_f64, compare_real<double>(a, b, count, wanted, words, joined, limit))
#undef SKERRY_COMPARE

}  // namespace skerry::label_stages::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skerry::label_stages {
namespace {

HWY_EXPORT(compare_equal_u8);
HWY_EXPORT(compare_equal_u16);
HWY_EXPORT(compare_equal_u32);
HWY_EXPORT(compare_equal_u64);
HWY_EXPORT(compare_equal_f32);
HWY_EXPORT(compare_equal_f64);
HWY_EXPORT(compare_within_u8);
HWY_EXPORT(compare_within_u16);
HWY_EXPORT(compare_within_u32);
HWY_EXPORT(compare_within_u64);
HWY_EXPORT(compare_within_f32);
HWY_EXPORT(compare_within_f64);

}  // namespace

// ---- image --------------------------------------------------------------------------------------------------------

void pixel_joins::choose_equal(dtype kept) {
  if (kept == dtype::f32) compare_ = HWY_DYNAMIC_DISPATCH(compare_equal_f32);
  else if (kept == dtype::f64) compare_ = HWY_DYNAMIC_DISPATCH(compare_equal_f64);
  else if (pixel_bytes_ == 1) compare_ = HWY_DYNAMIC_DISPATCH(compare_equal_u8);
  else if (pixel_bytes_ == 2) compare_ = HWY_DYNAMIC_DISPATCH(compare_equal_u16);
  else if (pixel_bytes_ == 4) compare_ = HWY_DYNAMIC_DISPATCH(compare_equal_u32);
  else compare_ = HWY_DYNAMIC_DISPATCH(compare_equal_u64);
}

void pixel_joins::choose_within(dtype kept, double delta) {
  const bool real = kept == dtype::f32 || kept == dtype::f64;
  if (real ? delta == 0 : delta < 1) return choose_equal(kept);
  // Of 64 bits rounded to 2^64, below which no double is above the largest difference.
  const double largest_difference = std::ldexp(1.0, static_cast<int>(8 * pixel_bytes_)) - 1;
  if (real ? std::isinf(delta) : delta >= largest_difference) return;
  transitive_ = false;
  limit_.real = delta;
  if (kept == dtype::f32) {
    compare_ = HWY_DYNAMIC_DISPATCH(compare_within_f32);
  } else if (kept == dtype::f64) {
    compare_ = HWY_DYNAMIC_DISPATCH(compare_within_f64);
  } else {
    limit_.whole = static_cast<u64>(delta);
    const bool is_signed = kept == dtype::i8 || kept == dtype::i16 || kept == dtype::i32 || kept == dtype::i64;
    if (is_signed) limit_.sign = u64{1} << (8 * pixel_bytes_ - 1);
    if (pixel_bytes_ == 1) compare_ = HWY_DYNAMIC_DISPATCH(compare_within_u8);
    else if (pixel_bytes_ == 2) compare_ = HWY_DYNAMIC_DISPATCH(compare_within_u16);
    else if (pixel_bytes_ == 4) compare_ = HWY_DYNAMIC_DISPATCH(compare_within_u32);
    else compare_ = HWY_DYNAMIC_DISPATCH(compare_within_u64);
  }
}

}  // namespace skerry::label_stages
#endif
