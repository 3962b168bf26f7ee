// SPDX-License-Identifier: Apache-2.0
// Stage 1, CPU, where pixels join by value: comparisons of two rows become rows of bits.
//
//   row    pixels that are not side by side, not aligned, or of a type that is not compared itself, are gathered first;
//          1_compare.cpp compares them
//
// Reads   an image of any type and strides, rows of bits of its foreground
// Writes  rows of bits: where runs begin, and which pixels of two rows join
#include <algorithm>
#include <cstring>

#include "core/float16.hpp"
#include "label/cpu/by_value/joins.hpp"

namespace skerry::label_stages {
namespace {

// The type that pixels of a type are compared as.
dtype compared_type(dtype type) {
  switch (type) {
    case dtype::bit:
    case dtype::boolean: return dtype::u8;
    case dtype::f16: return dtype::f32;
    default: return type;
  }
}

template <class Pixel, class Convert>
void gather_pixels(const std::byte* at, i64 stride, i64 count, std::byte* out, Convert convert) {
  for (i64 x = 0; x < count; ++x, at += stride) {
    Pixel pixel;
    std::memcpy(&pixel, at, sizeof pixel);
    const auto number = convert(pixel);
    std::memcpy(out + x * static_cast<i64>(sizeof number), &number, sizeof number);
  }
}

template <class Pixel>
void gather_pixels(const std::byte* at, i64 stride, i64 count, std::byte* out) {
  gather_pixels<Pixel>(at, stride, count, out, [](Pixel pixel) { return pixel; });
}

// The pixel right of each of a row of bits.
u64 right_of(const u64* row, i64 word, i64 words) {
  return row[word] >> 1 | (word + 1 < words ? row[word + 1] << 63 : 0);
}

void move_right(u64* row, i64 words) {
  for (i64 word = words - 1; word > 0; --word) row[word] = row[word] << 1 | row[word - 1] >> 63;
  row[0] <<= 1;
}

}  // namespace

void pixel_joins::gather(i64 r, i64 x, i64 count, std::byte* out) const {
  const std::byte* const row = start_of_row(image_, r);
  const std::byte* const at = row + x * image_.strides.x;
  const i64 stride = image_.strides.x;
  switch (image_.type) {
    case dtype::bit:
      for (i64 i = 0; i < count; ++i) out[i] = row[(x + i) / 8] >> ((x + i) % 8) & std::byte{1};
      return;
    case dtype::boolean:
      return gather_pixels<u8>(at, stride, count, out, [](u8 pixel) { return static_cast<u8>(pixel != 0); });
    case dtype::f16: return gather_pixels<f16>(at, stride, count, out, [](f16 pixel) { return number_of(pixel); });
    default: break;
  }
  switch (size_of(image_.type)) {
    case 1: return gather_pixels<u8>(at, stride, count, out);
    case 2: return gather_pixels<u16>(at, stride, count, out);
    case 4: return gather_pixels<u32>(at, stride, count, out);
    default: return gather_pixels<u64>(at, stride, count, out);
  }
}

const std::byte* pixel_joins::pixels(i64 r, buffer<std::byte>& room) const {
  if (!converted_ && image_.strides.x == pixel_bytes_) {
    const std::byte* const row = start_of_row(image_, r);
    if (reinterpret_cast<std::uintptr_t>(row) % static_cast<std::uintptr_t>(pixel_bytes_) == 0) return row;
  }
  room.reserve(static_cast<std::size_t>(image_.size.width * pixel_bytes_));
  gather(r, 0, image_.size.width, room.data());
  return room.data();
}

bool pixel_joins::same_pixels(const std::byte* a, const std::byte* b) const {
  return std::memcmp(a, b, static_cast<std::size_t>(image_.size.width * pixel_bytes_)) == 0;
}

void pixel_joins::compare(const std::byte* a, const std::byte* b, i64 count, const u64* wanted, i64 words,
                          u64* joined) const {
  if (compare_ == nullptr) std::copy_n(wanted, words, joined);
  else compare_(a, b, count, wanted, words, joined, limit_);
}

void pixel_joins::encode_starts(i64 row_begin, i64 row_end, const bit_window& bits, const bit_window& starts,
                                join_scratch& scratch) const {
  const i64 words = bits.words_per_row();
  u64* const wanted = scratch.masks.data();
  buffer<std::byte>* room[2] = {&scratch.own, &scratch.earlier};
  const std::byte* above = nullptr;
  scratch.repeats.reserve(static_cast<std::size_t>(row_end - row_begin));
  for (i64 r = row_begin; r < row_end; ++r, std::swap(room[0], room[1])) {
    const std::byte* const row = pixels(r, *room[0]);
    const u64* const own = bits.row(r);
    u64* const begins = starts.row(r);
    const bool repeats = above != nullptr && same_pixels(row, above);
    scratch.repeats[static_cast<std::size_t>(r - row_begin)] = repeats;
    if (repeats) {
      std::copy_n(starts.row(r - 1), words, begins);
      above = row;
      continue;
    }
    above = row;
    for (i64 w = 0; w < words; ++w) wanted[w] = own[w] & right_of(own, w, words);
    compare(row, row + pixel_bytes_, image_.size.width - 1, wanted, words, begins);
    move_right(begins, words);
    for (i64 w = 0; w < words; ++w) begins[w] = own[w] & ~begins[w];
  }
}

joined_pairs pixel_joins::pairs(const joined_row& own, const joined_row& earlier, int reach, const u64* open,
                                join_scratch& scratch) const {
  const i64 words = words_for(image_.size.width);
  u64* const wanted = scratch.masks.data();
  u64* const straight = wanted + words;
  u64* const left = straight + words;
  u64* const right = left + words;
  const u64* const others = earlier.runs.words;
  u64 any = 0;
  const auto compare_wanted = [&](i64 step_a, i64 step_b, auto wanted_of, u64* joined) {
    u64 asked = 0;
    for (i64 w = 0; w < words; ++w) asked |= wanted[w] = wanted_of(w);
    if (asked == 0) return false;
    const i64 count = image_.size.width - std::max(step_a, step_b);
    compare(own.pixels + step_a * pixel_bytes_, earlier.pixels + step_b * pixel_bytes_, count, wanted, words, joined);
    return true;
  };
  joined_pairs found;
  if (compare_wanted(
          0, 0, [&](i64 w) { return open[w] & others[w]; }, straight))
    found.straight = straight;
  else std::fill_n(straight, words, 0);
  if (reach == 0) return found;

  // A pixel that joins the one straight before it joins that one's neighbours by it, if joining is transitive.
  const u64 done = transitive_ ? ~u64{0} : 0;
  for (i64 w = 0; w < words; ++w) any |= open[w] & ~(straight[w] & done);
  if (any == 0) return found;
  const auto open_right = [&](i64 w) { return right_of(open, w, words) & ~(right_of(straight, w, words) & done); };
  if (compare_wanted(
          1, 0, [&](i64 w) { return open_right(w) & others[w]; }, left)) {
    move_right(left, words);
    found.left = left;
  }
  const auto still_open = [&](i64 w) { return open[w] & ~(straight[w] & done) & right_of(others, w, words); };
  if (compare_wanted(0, 1, still_open, right)) {
    move_right(right, words);
    found.right = right;
  }
  if (found.straight == nullptr && (found.left != nullptr || found.right != nullptr)) found.straight = straight;
  return found;
}

bool pixel_joins::join(i64 row_a, i64 x_a, i64 row_b, i64 x_b) const {
  alignas(8) std::byte a[8], b[8];
  gather(row_a, x_a, 1, a);
  gather(row_b, x_b, 1, b);
  const u64 wanted = 1;
  u64 joined = 0;
  compare(a, b, 1, &wanted, 1, &joined);
  return joined != 0;
}

pixel_joins::pixel_joins(const pixel_source& source) : image_(source.image) {
  const dtype kept = compared_type(image_.type);
  converted_ = kept != image_.type;
  pixel_bytes_ = static_cast<i64>(size_of(kept));
  if (source.joining.kind == joining::rule::equal) choose_equal(kept);
  if (source.joining.kind == joining::rule::within) choose_within(kept, source.joining.delta);
}

}  // namespace skerry::label_stages
