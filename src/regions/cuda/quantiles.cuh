// SPDX-License-Identifier: Apache-2.0
// The values of each region at a place in their order, and the next ones: what quantiles lie between.
//
//   thread  the pixels of one label in its patch, counted by digit
//   warp    counts of one region are added up first
//   grid    counts of rows, by atomics; a thread for each row chooses its digit
//
// Reads   the label image and the values under the regions once for each digit of 4 bits; rows of labels
// Writes  the key at the place, and the least that is larger, unless the next one in order is the same
// Method  a selection by digits from the highest on: counts of the digits of the keys that begin as the one that is looked for say
//         what its next digit is. Narrow types have few digits that differ
#pragma once
#include "engine/cuda/warp.cuh"
#include "regions/cuda/values.cuh"

namespace skerry::regions::on_device {

inline constexpr u32 key_digit_bits = 4, key_digits = 1 << key_digit_bits;

// What is known of each row.
struct key_search {
  u64 *counts, *pixels, *places, *alike, *keys, *next;  // key_digits counts for each row; one of everything else

  void lay_out(pieces& memory, u64 rows) {
    memory.take(counts, key_digits * rows);
    for (u64** const list : {&pixels, &places, &alike, &keys, &next}) memory.take(*list, rows);
  }
};

// The lowest bit of keys, as doubles, that differs between values of one sign; the digit at it is the last.
[[nodiscard]] inline u32 last_shift(dtype type) {
  switch (type) {
    case dtype::u64:
    case dtype::i64:
    case dtype::f64: return 0;
    case dtype::u32:
    case dtype::i32: return 20;
    case dtype::f32: return 28;
    case dtype::u16:
    case dtype::i16:
    case dtype::f16: return 36;
    default: return 44;
  }
}

template <class Label>
__global__ void __launch_bounds__(tile_threads)
    count_key_digits_kernel(const value_work<Label> work, const u32 shift, const key_search search) {
  constexpr u32 half = key_digits / 2, bits_of_count = 8;  // a patch has 32 pixels
  const value_keys keys{false};
  const u64 above = shift + key_digit_bits == 64 ? 0 : ~u64{0} << (shift + key_digit_bits);
  each_patch<Label>(work.from, work.grid, work.is_background,
                    [&](const pixel_place& tile, const label_patch<Label>& patch, u32 left) {
                      each_piece(patch, left, [&](Label label, u32 mask) {
                        const u32 row = mask == 0 ? no_row : work.numbers.row_of(label);
                        u64 counted[2] = {0, 0};
                        const u64 known = row != no_row ? search.keys[row] : 0;
                        each_bit(mask, [&](int k) {
                          const auto bit = static_cast<u32>(k);
                          const u64 key = keys.of(work.image, {tile.z, tile.y + patch_y() + bit / patch_width,
                                                               tile.x + patch_x() + bit % patch_width});
                          if (((key ^ known) & above) != 0) return;
                          const u32 digit = static_cast<u32>(key >> shift) % key_digits;
                          const u64 one = u64{1} << digit % half * bits_of_count;
                          if (digit < half) counted[0] += one;
                          else counted[1] += one;
                        });
                        __syncwarp();
                        const u32 threads = __ballot_sync(~0u, row != no_row);
                        if (threads == 0) return;
                        const u32 first = __shfl_sync(~0u, row, first_of(threads));
                        const bool are_one = __all_sync(~0u, row == first || row == no_row);
#pragma unroll
                        for (u32 digit = 0; digit < key_digits; ++digit) {
                          u32 count = static_cast<u32>(counted[digit / half] >> digit % half * bits_of_count) & 0xff;
                          if (are_one) count = __reduce_add_sync(~0u, count);
                          if (count == 0 || (are_one && lane_of_thread() != 0)) continue;
                          u64& to = search.counts[u64{are_one ? first : row} * key_digits + digit];
                          atomicAdd(reinterpret_cast<unsigned long long*>(&to), static_cast<unsigned long long>(count));
                        }
                        __syncwarp();
                      });
                    });
}

// Of the first digit, how many pixels there are, and which place is looked for.
__global__ inline void begin_search_kernel(const key_search search, const double fraction, const u64 rows) {
  for (u64 row = u64{blockIdx.x} * blockDim.x + threadIdx.x; row < rows; row += u64{gridDim.x} * blockDim.x) {
    u64 pixels = 0;
    for (u32 digit = 0; digit < key_digits; ++digit) pixels += search.counts[row * key_digits + digit];
    search.pixels[row] = pixels;
    search.places[row] = min(static_cast<u64>(static_cast<double>(pixels - 1) * fraction), pixels - 1);
  }
}

// Goes on to the digit that the place has, and empties the counts.
__global__ inline void choose_digit_kernel(const key_search search, const u32 shift, const u64 rows) {
  for (u64 row = u64{blockIdx.x} * blockDim.x + threadIdx.x; row < rows; row += u64{gridDim.x} * blockDim.x) {
    u64* const counts = search.counts + row * key_digits;
    u64 place = search.places[row];
    u32 digit = 0;
    while (digit + 1 < key_digits && place >= counts[digit]) place -= counts[digit++];
    search.places[row] = place;
    search.alike[row] = counts[digit];
    search.keys[row] |= u64{digit} << shift;
    for (u32 k = 0; k < key_digits; ++k) counts[k] = 0;
  }
}

// Bits below the last digit are 0, and of negative numbers, whose keys are turned, 1.
__global__ inline void end_search_kernel(const key_search search, const u64 below, const u64 rows) {
  for (u64 row = u64{blockIdx.x} * blockDim.x + threadIdx.x; row < rows; row += u64{gridDim.x} * blockDim.x) {
    u64& key = search.keys[row];
    if (key >> 63 == 0) key |= below;
    search.next[row] = search.places[row] + 1 < search.alike[row] ? key : ~u64{0};
  }
}

template <class Label>
__global__ void __launch_bounds__(tile_threads)
    find_next_keys_kernel(const value_work<Label> work, const key_search search) {
  const value_keys keys{false};
  work.each_pixel([&](u32 row, const pixel_place& pixel, u64) {
    const u64 key = keys.of(work.image, pixel);
    if (key > search.keys[row]) lower(search.next[row], key);
  });
}

}  // namespace skerry::regions::on_device
