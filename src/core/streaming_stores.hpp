// SPDX-License-Identifier: Apache-2.0
// Stores that go to memory past the caches: a line that is written whole is not read before. For what is larger than the caches.
#pragma once
#include <cstring>

#if defined(__x86_64__) && !defined(HWY_COMPILE_ONLY_SCALAR)
#include <emmintrin.h>
#endif

#include "core/portable.hpp"

namespace skerry {

/// Words of 64 bits that stream_line() moves: a line of the caches.
inline constexpr u32 streamed_words = 8;

#if defined(__x86_64__) && !defined(HWY_COMPILE_ONLY_SCALAR)
/// One word. Lines are whole when the words next to it follow soon.
inline void stream_word(u64 word, u64* to) {
  _mm_stream_si64(reinterpret_cast<long long*>(to), static_cast<long long>(word));
}
/// One line; both begin a line.
inline void stream_line(const u64* line, u64* out) {
  const auto* const from = static_cast<const __m128i*>(static_cast<const void*>(line));
  auto* const to = static_cast<__m128i*>(static_cast<void*>(out));
  const __m128i a = _mm_load_si128(from), b = _mm_load_si128(from + 1);
  const __m128i c = _mm_load_si128(from + 2), d = _mm_load_si128(from + 3);
  _mm_stream_si128(to, a);
  _mm_stream_si128(to + 1, b);
  _mm_stream_si128(to + 2, c);
  _mm_stream_si128(to + 3, d);
}
/// By each thread that has streamed, before others are told: what it has streamed is there for them.
inline void finish_streaming() { _mm_sfence(); }
#else
inline void stream_word(u64 word, u64* to) { *to = word; }
inline void stream_line(const u64* line, u64* out) { std::memcpy(out, line, streamed_words * sizeof *line); }
inline void finish_streaming() {}
#endif

}  // namespace skerry
