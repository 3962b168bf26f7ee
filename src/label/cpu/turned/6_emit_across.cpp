// SPDX-License-Identifier: Apache-2.0
// Stage 6, CPU: labels whose memory does not lie along rows. A few rows are written side by side, as ever, and carried across:
// turned in registers, so that a whole line of the cache is written at a time.
//
//   lane    as many rows as lanes are turned, by rounds of interleaving      (compiled once per instruction set)
//   piece   a line of the cache for each column, past the caches where it is aligned
//   image   where neighbours in memory are of different slices: labels of the whole image along rows first, in scratch
#include <algorithm>
#include <cstring>

#include "label/cpu/strips/strips.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "label/cpu/turned/6_emit_across.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

// ---- lane ---------------------------------------------------------------------------------------------------------
HWY_BEFORE_NAMESPACE();
namespace skerry::label_stages::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
template <class Label>
inline constexpr int lanes = 1;

// Column 0 of so many rows, side by side.
template <class Label>
HWY_INLINE void turn(const std::byte* from, i64 step, int rows, Label* lines) {
  for (int i = 0; i < rows; ++i) std::memcpy(lines + i, from + i * step, sizeof(Label));
}
#else
template <class Label>
inline constexpr int lanes = 16 / static_cast<int>(sizeof(Label));

// `lanes` columns of so many rows: each column's labels side by side, `rows` after the column's before.
template <class Label>
HWY_INLINE void turn(const std::byte* from, i64 step, int rows, Label* lines) {
  constexpr int n = lanes<Label>;
  const hn::FixedTag<Label, n> d;
  for (int row = 0; row < rows; row += n) {
    hn::Vec<decltype(d)> now[n], turned[n];
    for (int i = 0; i < n; ++i) now[i] = hn::LoadU(d, reinterpret_cast<const Label*>(from + (row + i) * step));
    for (int round = 1; round < n; round *= 2) {
      for (int i = 0; i < n / 2; ++i) {
        turned[2 * i] = hn::InterleaveLower(d, now[i], now[i + n / 2]);
        turned[2 * i + 1] = hn::InterleaveUpper(d, now[i], now[i + n / 2]);
      }
      for (int i = 0; i < n; ++i) now[i] = turned[i];
    }
    for (int i = 0; i < n; ++i) hn::Store(now[i], d, lines + i * rows + row);
  }
}
#endif

// ---- piece --------------------------------------------------------------------------------------------------------

template <class Label>
void write_line(const Label* line, std::byte* to, bool past_caches) {
  constexpr std::size_t bytes = rows_across::most(sizeof(Label)) * sizeof(Label);
  if (!past_caches) {
    std::memcpy(to, line, bytes);
    return;
  }
  const hn::CappedTag<u8, 64> d;
  for (std::size_t k = 0; k < bytes; k += hn::Lanes(d))
    hn::Stream(hn::Load(d, reinterpret_cast<const u8*>(line) + k), d, reinterpret_cast<u8*>(to) + k);
}

template <class Label>
void carry_rows(const rows_across& piece) {
  constexpr i64 size = sizeof(Label), rows = rows_across::most(size);
  i64 x = 0;
  if (piece.count == rows && piece.to_step == size) {
    alignas(64) Label lines[lanes<Label> * rows];
    const auto place = reinterpret_cast<std::uintptr_t>(piece.to) | static_cast<std::uintptr_t>(piece.to_step_x);
    const bool past_caches = piece.past_caches && place % 64 == 0;
    for (; x + lanes<Label> <= piece.width; x += lanes<Label>) {
      turn(piece.from + x * size, piece.from_step, rows, lines);
      for (i64 i = 0; i < lanes<Label>; ++i)
        write_line(lines + i * rows, piece.to + (x + i) * piece.to_step_x, past_caches);
    }
    hwy::FlushStream();
  }
  for (; piece.count > 1 && x < piece.width; ++x)
    for (i64 i = 0; i < piece.count; ++i)
      std::memcpy(piece.to + x * piece.to_step_x + i * piece.to_step, piece.from + i * piece.from_step + x * size,
                  size);
  for (; x < piece.width; ++x) std::memcpy(piece.to + x * piece.to_step_x, piece.from + x * size, size);
}

void carry_u8(const rows_across& piece) { carry_rows<u8>(piece); }
void carry_u16(const rows_across& piece) { carry_rows<u16>(piece); }
void carry_u32(const rows_across& piece) { carry_rows<u32>(piece); }
void carry_u64(const rows_across& piece) { carry_rows<u64>(piece); }

}  // namespace skerry::label_stages::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skerry::label_stages {

HWY_EXPORT(carry_u8);
HWY_EXPORT(carry_u16);
HWY_EXPORT(carry_u32);
HWY_EXPORT(carry_u64);

void carry_across(const rows_across& piece, std::size_t label_bytes) {
  switch (label_bytes) {
    case 1: return HWY_DYNAMIC_DISPATCH(carry_u8)(piece);
    case 2: return HWY_DYNAMIC_DISPATCH(carry_u16)(piece);
    case 4: return HWY_DYNAMIC_DISPATCH(carry_u32)(piece);
    default: return HWY_DYNAMIC_DISPATCH(carry_u64)(piece);
  }
}

// ---- image --------------------------------------------------------------------------------------------------------

void strip_work::emit_slices_across(const mutable_image& out) {
  const std::size_t label_bytes = size_of(out.type);
  const i64 rows = rows_across::most(label_bytes), height = out.size.height, depth = out.size.depth;
  const bool past_caches = writes_past_caches(out);
  scratch_.labels_aside.reserve(static_cast<std::size_t>(out.size.pixels()) * label_bytes);
  const mutable_image aside(scratch_.labels_aside.data(), out.type, out.size);
  emit(aside);
  for_each_in_parallel(on_, static_cast<std::size_t>((depth + rows - 1) / rows * height), [&](std::size_t k) {
    stage_timer time(on_.clock, stage::emit, stage_timer::by::all_threads);
    time.run([&] {
      const i64 y = static_cast<i64>(k) % height, z = static_cast<i64>(k) / height * rows;
      carry_across({.from = scratch_.labels_aside.data() + z * aside.strides.z + y * aside.strides.y,
                    .from_step = aside.strides.z,
                    .to = static_cast<std::byte*>(out.data) + z * out.strides.z + y * out.strides.y,
                    .to_step = out.strides.z,
                    .to_step_x = out.strides.x,
                    .count = std::min(rows, depth - z),
                    .width = out.size.width,
                    .past_caches = past_caches},
                   label_bytes);
    });
  });
}

}  // namespace skerry::label_stages
#endif
