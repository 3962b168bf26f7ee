// SPDX-License-Identifier: Apache-2.0
// Stage 1, CUDA, where pixels join by value: the pixels of a row that a thread compares, those of bytes four to a word.
#pragma once
#include "engine/cuda/four_bytes.cuh"

namespace skerry::label_stages::on_device {

/// Pixels of a thread, in a row.
template <class Value>
inline constexpr int pair_pixels = sizeof(Value) == 1 ? 16 : 8;

/// Pixels of a row from number 1 on, with number 0 and the one behind the last to their sides. Those that are background or do not
/// exist do not hold.
template <class Value>
struct row_pixels {
  static constexpr int count = pair_pixels<Value>;  // without the sides
  Value pixel[count + 2] = {};
  u32 holds = 0;  // bit k is pixel k

  __device__ void set(int k, Value value) { pixel[k] = value; }
  [[nodiscard]] __device__ Value get(int k) const { return pixel[k]; }
  /// Bit k, not of the sides: pixel k is equal to pixel k + Shift of the other row.
  template <int Shift>
  [[nodiscard]] __device__ u32 equal(const row_pixels& other) const {
    u32 bits = 0;
#pragma unroll
    for (int k = 1; k <= count; ++k) bits |= u32{pixel[k] == other.pixel[k + Shift]} << k;
    return bits;
  }
};

/// The same of bytes, four to a word.
template <class Value>
requires(sizeof(Value) == 1) struct row_pixels<Value> {
  static constexpr int count = pair_pixels<Value>, words = count / 4;
  u32 word[words] = {}, sides = 0;  // of the sides the bytes 0 and 1
  u32 right = 0;                    // the second of them, as long as nobody waits for it
  u32 holds = 0;

  /// Each pixel once.
  __device__ void set(int k, Value value) {
    const u32 byte = static_cast<u8>(value);
    if (k == 0 || k > count) sides |= byte << (k == 0 ? 0 : 8);
    else word[(k - 1) / 4] |= byte << 8 * ((k - 1) % 4);
  }
  [[nodiscard]] __device__ Value get(int k) const {
    const u32 byte = k == 0 || k > count ? sides >> (k == 0 ? 0 : 8) : word[(k - 1) / 4] >> 8 * ((k - 1) % 4);
    return static_cast<Value>(static_cast<u8>(byte));
  }
  template <int Shift>
  [[nodiscard]] __device__ u32 equal(const row_pixels& other) const {
    static_assert(words == 4);
    u32 signs[words];
#pragma unroll
    for (int w = 0; w < words; ++w) signs[w] = signs_of_equal(word[w], other.template moved<Shift>(w));
    return gather_signs(signs) << 1;
  }

 private:
  /// The four pixels of word w, or those Shift beside them.
  template <int Shift>
  [[nodiscard]] __device__ u32 moved(int w) const {
    if constexpr (Shift < 0)
      return w == 0 ? __byte_perm(word[0], sides, 0x2104) : __funnelshift_l(word[w - 1], word[w], 8);
    if constexpr (Shift > 0)
      return w == words - 1 ? __byte_perm(word[w], sides, 0x5321) : __funnelshift_r(word[w], word[w + 1], 8);
    return word[w];
  }
};

}  // namespace skerry::label_stages::on_device
