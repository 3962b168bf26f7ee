// SPDX-License-Identifier: Apache-2.0
// Otsu's threshold of a frame and the pixels on its bright or dark side, CUDA: the same double as otsu.cpp finds.
//
//   range   smallest and largest finite value, for types of which these decide the bins
//   count   a bin per value, or 256 bins
//   split   one block finds the threshold
//   mask    1 for each pixel of the foreground
//
// Reads   a dense frame
// Writes  a mask of bytes, otsu_state
// Needs   otsu_state cleared to zeros
// Method  docs/papers.md [Otsu1979]. Sums over bins are whole numbers below 2^53 as a rule, which may be added in any order;
//         where they are not, one thread adds them in the order of otsu.cpp. No multiplication is fused with an addition.
#pragma once
#include <type_traits>

#include "engine/cuda/device_memory.cuh"
#include "track/otsu_value.hpp"
#include "track/pixels.cuh"

namespace skerry::track_steps {

inline constexpr u32 otsu_coarse_bins = 256, otsu_threads = 256, otsu_split_threads = 1024;

struct otsu_state {
  u64 largest;        // in order of ordered(); 0 when no pixel is finite
  u64 smallest_left;  // the complement of the smallest one, so that it can begin with 0
  double threshold;
  u32 found;  // 1 when there is a threshold
  u32 unused;
  u32 counts[otsu_most_bins];
};

#ifdef __CUDACC__

// Doubles as integers in the same order.
__device__ inline u64 ordered(double value) {
  const u64 bits = __double_as_longlong(value == 0 ? 0.0 : value);
  return bits >> 63 ? ~bits : bits | u64{1} << 63;
}
__device__ inline double from_ordered(u64 key) {
  return __longlong_as_double(static_cast<i64>(key >> 63 ? key ^ (u64{1} << 63) : ~key));
}

// A boolean is 0 or 1.
template <class Pixel>
__device__ Pixel number_in(Pixel pixel, bool truth) {
  if constexpr (std::is_same_v<Pixel, u8>)
    if (truth) return pixel != 0 ? 1 : 0;
  return pixel;
}

// Types with a bin for each of their values, whatever the frame holds.
template <class Pixel>
inline constexpr bool is_narrow = std::is_integral_v<Pixel> && sizeof(Pixel) <= 2;

// How the values of a frame fall into bins.
struct otsu_bins {
  double low, high, step;
  u32 count;
  bool whole, rounded;  // a bin per value; edges are floats

  template <class Pixel>
  __device__ static otsu_bins of(const otsu_state& state) {
    if constexpr (is_narrow<Pixel>) {
      constexpr double low = std::is_signed_v<Pixel> ? -(1 << (8 * sizeof(Pixel) - 1)) : 0;
      constexpr u32 count = sizeof(Pixel) == 1 ? 256 : 65536;
      return {low, low + (count - 1), 1, count, true, false};
    } else {
      const double low = from_ordered(~state.smallest_left), high = from_ordered(state.largest);
      if (std::is_integral_v<Pixel> && has_bin_per_value(low, high))
        return {low, high, 1, static_cast<u32>(high - low) + 1, true, false};
      return {low,
              high,
              __dsub_rn(high / otsu_coarse_bins, low / otsu_coarse_bins),
              otsu_coarse_bins,
              false,
              std::is_same_v<Pixel, float> || std::is_same_v<Pixel, f16>};
    }
  }
  __device__ double edge(u32 k) const {
    const double exact = k == count ? high : __dadd_rn(low, __dmul_rn(static_cast<double>(k), step));
    return rounded ? static_cast<double>(static_cast<float>(exact)) : exact;
  }
  __device__ double centre(u32 k) const { return whole ? low + k : __dadd_rn(edge(k) / 2, edge(k + 1) / 2); }
  // The last bin that begins at or before the value.
  __device__ u32 bin_of(double value) const {
    if (whole) return static_cast<u32>(value - low);
    u32 begin = 0, end = count;  // edges before `begin` are <= value, those from `end` on are above
    while (begin < end) {
      const u32 middle = (begin + end) / 2;
      if (edge(middle) <= value) begin = middle + 1;
      else end = middle;
    }
    return begin == 0 ? 0 : begin - 1;
  }
};

template <class Pixel>
__global__ void find_range_kernel(const Pixel* pixels, const i64 count, otsu_state* state) {
  u64 largest = 0, smallest_left = 0;
  for (i64 i = i64{blockIdx.x} * otsu_threads + threadIdx.x; i < count; i += i64{gridDim.x} * otsu_threads) {
    const double value = otsu_value(pixels[i]);
    if (!isfinite(value)) continue;
    largest = max(largest, ordered(value));
    smallest_left = max(smallest_left, ~ordered(value));
  }
  for (int step = 16; step > 0; step /= 2) {
    largest = max(largest, __shfl_xor_sync(~0u, largest, step));
    smallest_left = max(smallest_left, __shfl_xor_sync(~0u, smallest_left, step));
  }
  if (threadIdx.x % 32 != 0 || largest == 0) return;
  atomicMax(reinterpret_cast<unsigned long long*>(&state->largest), static_cast<unsigned long long>(largest));
  atomicMax(reinterpret_cast<unsigned long long*>(&state->smallest_left),
            static_cast<unsigned long long>(smallest_left));
}

template <class Pixel>
__global__ void count_values_kernel(const Pixel* pixels, const i64 count, const bool truth, otsu_state* state) {
  __shared__ u32 counts[otsu_coarse_bins];  // when there are no more bins than that
  if (!is_narrow<Pixel> && state->largest == 0) return;
  const otsu_bins bins = otsu_bins::of<Pixel>(*state);
  const bool few = bins.count <= otsu_coarse_bins;
  counts[threadIdx.x] = 0;
  __syncthreads();
  for (i64 i = i64{blockIdx.x} * otsu_threads + threadIdx.x; i < count; i += i64{gridDim.x} * otsu_threads) {
    const double value = otsu_value(number_in(pixels[i], truth));
    if (isfinite(value)) atomicAdd((few ? counts : state->counts) + bins.bin_of(value), 1);
  }
  __syncthreads();
  if (few && counts[threadIdx.x] != 0) atomicAdd(state->counts + threadIdx.x, counts[threadIdx.x]);
}
static_assert(otsu_threads == otsu_coarse_bins);

// What lies below and above a split.
struct otsu_sums {
  double count, sum;
  __device__ void add(double pixels, double centre) {
    count = __dadd_rn(count, pixels);
    sum = __dadd_rn(sum, __dmul_rn(pixels, centre));
  }
};

struct otsu_best {
  double variance, threshold;
  // Bins are tried in ascending order.
  __device__ void try_split(const otsu_sums& all, const otsu_sums& below, double centre) {
    const double above = __dsub_rn(all.count, below.count);
    if (below.count == 0 || above == 0) return;
    const double distance =
        __dsub_rn(__ddiv_rn(below.sum, below.count), __ddiv_rn(__dsub_rn(all.sum, below.sum), above));
    const double found = __dmul_rn(__dmul_rn(__dmul_rn(below.count, above), distance), distance);
    if (found > variance) variance = found, threshold = centre;
  }
};

// By one thread, in the order of otsu.cpp.
__device__ inline double split_in_order(const otsu_bins& bins, const u32* counts) {
  otsu_sums all{}, below{};
  for (u32 k = 0; k < bins.count; ++k) all.add(counts[k], bins.centre(k));
  otsu_best best{-1, bins.centre(0)};
  for (u32 k = 0; k + 1 < bins.count; ++k) {
    below.add(counts[k], bins.centre(k));
    best.try_split(all, below, bins.centre(k));
  }
  return best.threshold;
}

// By all threads of the block, each with a stretch of bins; every sum is exact.
__device__ inline double split_together(const otsu_bins& bins, const u32* counts) {
  __shared__ double count_of[otsu_split_threads], sum_of[otsu_split_threads];
  const u32 each = (bins.count + otsu_split_threads - 1) / otsu_split_threads;
  const u32 begin = min(threadIdx.x * each, bins.count), end = min(begin + each, bins.count);
  otsu_sums own{};
  for (u32 k = begin; k < end; ++k) own.add(counts[k], bins.centre(k));
  count_of[threadIdx.x] = own.count, sum_of[threadIdx.x] = own.sum;
  __syncthreads();
  for (u32 step = 1; step < otsu_split_threads; step *= 2) {
    const bool has = threadIdx.x >= step;
    const double count = has ? count_of[threadIdx.x - step] : 0, sum = has ? sum_of[threadIdx.x - step] : 0;
    __syncthreads();
    count_of[threadIdx.x] += count, sum_of[threadIdx.x] += sum;
    __syncthreads();
  }
  const otsu_sums all{count_of[otsu_split_threads - 1], sum_of[otsu_split_threads - 1]};
  otsu_sums below{count_of[threadIdx.x] - own.count, sum_of[threadIdx.x] - own.sum};
  __syncthreads();
  otsu_best best{-1, bins.centre(0)};
  for (u32 k = begin; k < end && k + 1 < bins.count; ++k) {
    below.add(counts[k], bins.centre(k));
    best.try_split(all, below, bins.centre(k));
  }
  count_of[threadIdx.x] = best.variance, sum_of[threadIdx.x] = best.threshold;
  __syncthreads();
  for (u32 step = 1; step < otsu_split_threads; step *= 2) {  // the first of the best: the left one of two equals
    const u32 right = threadIdx.x + step;
    if (threadIdx.x % (2 * step) == 0 && count_of[right] > count_of[threadIdx.x]) {
      count_of[threadIdx.x] = count_of[right];
      sum_of[threadIdx.x] = sum_of[right];
    }
    __syncthreads();
  }
  return sum_of[0];
}

// The smallest value of a frame of one value.
__device__ inline double only_value(const otsu_bins& bins, const u32* counts) {
  for (u32 k = 0; k < bins.count; ++k)
    if (counts[k] != 0) return bins.centre(k);
  return bins.low;
}

// One block.
template <class Pixel>
__global__ __launch_bounds__(otsu_split_threads) void split_kernel(const i64 pixels, otsu_state* state) {
  if (!is_narrow<Pixel> && state->largest == 0) return;  // not found
  const otsu_bins bins = otsu_bins::of<Pixel>(*state);
  const bool exact = bins.whole && static_cast<double>(pixels) * fmax(fabs(bins.low), fabs(bins.high)) < 0x1p53;
  double threshold = 0;
  if (exact) threshold = split_together(bins, state->counts);
  else if (threadIdx.x == 0) threshold = bins.low == bins.high ? bins.low : split_in_order(bins, state->counts);
  if (threadIdx.x != 0) return;
  // Without two values there is no split: with a bin for every value, the first bin is then not that of the frame.
  if (is_narrow<Pixel>) {
    const u32 bin = bins.bin_of(threshold);
    if (bin == 0 && state->counts[0] == 0) threshold = only_value(bins, state->counts);
  }
  state->threshold = threshold;
  state->found = 1;
}

template <class Pixel>
__global__ void mask_kernel(const Pixel* pixels, const i64 count, const bool truth, const bool dark,
                            const otsu_state* state, u8* mask) {
  const double threshold = state->threshold;
  const bool found = state->found != 0;
  for (i64 i = i64{blockIdx.x} * otsu_threads + threadIdx.x; i < count; i += i64{gridDim.x} * otsu_threads) {
    const Pixel number = number_in(pixels[i], truth);
    mask[i] = found && (dark ? is_at_most(number, threshold) : is_above(number, threshold)) ? 1 : 0;
  }
}

// Enqueues all of it. The frame has pixels, and is dense, in device memory.
inline void find_otsu_foreground(const image_view& frame, bool dark, otsu_state* state, u8* mask, cudaStream_t stream) {
  check_cuda(cudaMemsetAsync(state, 0, sizeof(otsu_state), stream), "threshold");
  const i64 count = frame.size.pixels();
  const u32 blocks = blocks_for(count, otsu_threads);
  const bool truth = frame.type == dtype::boolean;
  with_pixels(frame, [&]<class Pixel>(const Pixel* pixels) {
    if constexpr (!is_narrow<Pixel>) find_range_kernel<<<blocks, otsu_threads, 0, stream>>>(pixels, count, state);
    count_values_kernel<<<blocks, otsu_threads, 0, stream>>>(pixels, count, truth, state);
    split_kernel<Pixel><<<1, otsu_split_threads, 0, stream>>>(count, state);
    mask_kernel<<<blocks, otsu_threads, 0, stream>>>(pixels, count, truth, dark, state, mask);
  });
  check_cuda(cudaGetLastError(), "threshold");
}

#endif

}  // namespace skerry::track_steps
