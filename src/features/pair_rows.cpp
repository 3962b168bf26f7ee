// SPDX-License-Identifier: Apache-2.0
// Method: four vector compares of 64 pixels at a time; a row that repeats the one above takes over its bits.
#include "features/pair_rows.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/pair_rows.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace skerry::features::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Bit i is set where label i of one row is label i of the other.
template <class Label>
HWY_INLINE u64 equal_of_64(const Label* a, const Label* b) {
  const hn::CappedTag<Label, 64> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  u64 bits = 0;
  for (std::size_t x = 0; x < 64; x += lanes) {
    u64 part = 0;
    hn::StoreMaskBits(d, hn::Eq(hn::LoadU(d, a + x), hn::LoadU(d, b + x)), reinterpret_cast<u8*>(&part));
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86
    // As in label/cpu/1_encode.cpp: g++ 12 can spill 4 bytes of a widened mask and load 8.
    if constexpr (lanes < 64) asm("" : "+r"(part));
#endif
    bits |= part << x;
  }
  return bits;
}

// Both rows can be read from one label before these 64 to one after them.
template <class Label>
HWY_INLINE void find_word(const Label* row, const Label* above, std::size_t word, row_pairs& to) {
  to.left.data()[word] = equal_of_64(row, row - 1);
  to.above.data()[word] = equal_of_64(row, above);
  to.falling.data()[word] = equal_of_64(row, above - 1);
  to.rising.data()[word] = equal_of_64(row, above + 1);
}

// At an end of the rows: from copies that can be read on, whose bits outside of the row are cleared.
template <class Label>
HWY_INLINE void find_end_word(const Label* row, const Label* above, std::size_t width, std::size_t word,
                              row_pairs& to) {
  Label copies[2][66] = {};
  const std::size_t x = 64 * word, first = x == 0 ? 1 : 0, begin = x == 0 ? 0 : x - 1;
  const std::size_t count = std::min(width, x + 65) - begin;
  std::memcpy(copies[0] + first, row + begin, count * sizeof(Label));
  std::memcpy(copies[1] + first, above + begin, count * sizeof(Label));
  find_word(copies[0] + 1, copies[1] + 1, word, to);
  const auto clear = [&](bit_words& of, u64 bits) { of.data()[word] &= ~bits; };
  if (x == 0) clear(to.left, 1), clear(to.falling, 1);
  if (width - x > 64) return;
  const std::size_t end = width - x;  // of the row's bits, 1 to 64
  const u64 outside = end == 64 ? 0 : ~u64{0} << end;
  for (bit_words* of : {&to.left, &to.above, &to.falling, &to.rising}) clear(*of, outside);
  clear(to.rising, u64{1} << (end - 1));
}

template <class Label>
HWY_INLINE void find_all(const Label* row, const Label* above, std::size_t width, row_pairs& to) {
  const std::size_t words = (width + 63) / 64, inner = (width - 1) / 64;  // words whose pixels have one to their right
  find_end_word(row, above, width, 0, to);
  for (std::size_t word = 1; word < inner; ++word) find_word(row + 64 * word, above + 64 * word, word, to);
  for (std::size_t word = std::max<std::size_t>(1, inner); word < words; ++word)
    find_end_word(row, above, width, word, to);
}

#define SKERRY_FIND_ALL(Label)                                                                    \
  void find_all_##Label(const Label* row, const Label* above, std::size_t width, row_pairs& to) { \
    find_all(row, above, width, to);                                                              \
  }
SKERRY_FIND_ALL(u8)
SKERRY_FIND_ALL(u16)
SKERRY_FIND_ALL(u32)
SKERRY_FIND_ALL(u64)
#undef SKERRY_FIND_ALL

}  // namespace skerry::features::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skerry::features {
namespace {

HWY_EXPORT(find_all_u8);
HWY_EXPORT(find_all_u16);
HWY_EXPORT(find_all_u32);
HWY_EXPORT(find_all_u64);

void find_in_rows(const u8* row, const u8* above, std::size_t width, row_pairs& to) {
  HWY_DYNAMIC_DISPATCH(find_all_u8)(row, above, width, to);
}
void find_in_rows(const u16* row, const u16* above, std::size_t width, row_pairs& to) {
  HWY_DYNAMIC_DISPATCH(find_all_u16)(row, above, width, to);
}
void find_in_rows(const u32* row, const u32* above, std::size_t width, row_pairs& to) {
  HWY_DYNAMIC_DISPATCH(find_all_u32)(row, above, width, to);
}
void find_in_rows(const u64* row, const u64* above, std::size_t width, row_pairs& to) {
  HWY_DYNAMIC_DISPATCH(find_all_u64)(row, above, width, to);
}

// In equal rows, the pixel above is equal as well, and those beside it are those beside this one.
void take_over(const row_pairs& last, i64 width, row_pairs& to) {
  const std::size_t words = bit_words::count_of(width);
  const u64* const left = last.left.data();
  std::copy_n(left, words, to.left.data());
  std::copy_n(left, words, to.falling.data());
  std::fill_n(to.above.data(), words, ~u64{0});
  if (width % 64 != 0) to.above.data()[words - 1] = (u64{1} << (width % 64)) - 1;
  for (std::size_t word = 0; word < words; ++word) to.rising.data()[word] = left[word] >> 1 | left[word + 1] << 63;
}

}  // namespace

template <class Label>
void find_pairs(const two_rows<Label>& rows, const row_pairs* last, row_pairs& to) {
  const auto count = static_cast<std::size_t>(rows.width);
  const bool is_first = rows.above == nullptr;
  to.repeats = !is_first && std::memcmp(rows.row, rows.above, count * sizeof(Label)) == 0;
  if (to.repeats && last != nullptr) return take_over(*last, rows.width, to);
  find_in_rows(rows.row, is_first ? rows.row : rows.above, count, to);
  if (!is_first) return;
  for (bit_words* of : {&to.above, &to.falling, &to.rising})
    std::fill_n(of->data(), bit_words::count_of(rows.width), 0);
}
template void find_pairs(const two_rows<u8>&, const row_pairs*, row_pairs&);
template void find_pairs(const two_rows<u16>&, const row_pairs*, row_pairs&);
template void find_pairs(const two_rows<u32>&, const row_pairs*, row_pairs&);
template void find_pairs(const two_rows<u64>&, const row_pairs*, row_pairs&);

}  // namespace skerry::features
#endif
