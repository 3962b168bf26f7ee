// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA: the features that are sums over pixels of labelled components: second moments, intensity.
//
//   thread  one word of a row: stretches of one label, summed by closed forms or along the intensities
//   warp    the label that most threads meet is joined here first
//   grid    everything else joins the row of its label by atomics; sums of integers know no order
//
// Reads   bits, prefix, component, first, info, parent, root_bits, root_rank, offset; intensities
// Writes  rows of features, of the components whose label is at most `capacity`
// Needs   one launch before the sums to empty the rows, and for float intensities one to find their largest magnitude
// Method  closed-form sums per run [Lacassagne2011]; fixed-point sums of floats, docs/journey.md
#pragma once
#include "core/intensity.hpp"
#include "engine/cuda/join_rows.cuh"
#include "label/5_tile_labels.cuh"

namespace skerry::label_stages::on_device {

// ---- thread ---------------------------------------------------------------------------------------

/// Second moments of a stretch of pixels.
struct moments_of_stretch {
  using row = second_moments;
  bool volume;
  __device__ void prepare(u32) {}
  __device__ void add(row& to, const row_word& at, const stretch& part) const {
    const i64 z = volume ? at.z : 0;  // the frames of a batch do not know their number
    join(to, second_moments_of_stretch(z, at.y, at.x + part.begin, at.x + part.end), join_alone());
  }
};

/// One pixel of an intensity image, as a double: exact for every type that is supported.
struct intensity_image {
  const char* data;
  source_strides step;  // bytes
  dtype type;

  template <class Pixel>
  __device__ static double read(const char* at) {
    Pixel value;
    if (reinterpret_cast<u64>(at) % alignof(Pixel) == 0) value = *reinterpret_cast<const Pixel*>(at);
    else
      for (u32 byte = 0; byte < sizeof(Pixel); ++byte) reinterpret_cast<char*>(&value)[byte] = at[byte];
    return static_cast<double>(value);
  }
  [[nodiscard]] __device__ double at(i64 z, i64 y, i64 x) const {
    const char* place = data + z * step.z + y * step.y + x * step.x;
    switch (type) {
      case dtype::boolean: return *place != 0 ? 1 : 0;
      case dtype::u16: return read<u16>(place);
      case dtype::u32: return read<u32>(place);
      case dtype::i16: return read<std::int16_t>(place);
      case dtype::i32: return read<i32>(place);
      case dtype::f32: return read<float>(place);
      case dtype::f64: return read<double>(place);
      default: return read<u8>(place);
    }
  }
  [[nodiscard]] __device__ bool is_narrow() const { return type <= dtype::u16 || type == dtype::i16; }
  [[nodiscard]] __device__ bool is_float() const { return type == dtype::f32 || type == dtype::f64; }
};

/// Intensities under a stretch of pixels.
struct intensity_of_stretch {
  using row = intensity;
  intensity_image image;
  const double* largest;  // [frames] magnitude; null for integers
  intensity_scale scale;

  __device__ void prepare(u32 frame) {
    if (largest != nullptr) scale = scale_of_floats_up_to(largest[frame]);
  }
  __device__ void add(row& to, const row_word& at, const stretch& part) const {
    const i64 begin = at.x + part.begin, end = at.x + part.end;
    if (image.is_float()) {
      for (i64 x = begin; x < end; ++x) add_float(to, image.at(at.z, at.y, x), scale);
    } else if (image.is_narrow()) {
      narrow_sums sums;
      for (i64 x = begin; x < end; ++x) sums.add(static_cast<i32>(image.at(at.z, at.y, x)));
      sums.add_to(to);
    } else {
      for (i64 x = begin; x < end; ++x) add_integer(to, static_cast<i64>(image.at(at.z, at.y, x)));
    }
  }
};

// ---- warp -----------------------------------------------------------------------------------------

/// The label that most threads of the warp meet first, or 0.
__device__ inline u32 common_label(u32 label) {
  const u32 same = __match_any_sync(~0u, label);
  const u32 votes = label == 0 ? 0 : static_cast<u32>(__popc(same));
  const u32 most = __reduce_max_sync(~0u, votes);
  const u32 winners = __ballot_sync(~0u, votes == most && label != 0);
  return most < 2 ? 0 : __shfl_sync(~0u, label, __ffs(winners) - 1);
}

// ---- grid -----------------------------------------------------------------------------------------

template <class Row>
__global__ void empty_rows_kernel(Row* rows, const u64* count, u64 capacity) {
  const u64 end = min(static_cast<u64>(*count), capacity);
  for (u64 k = u64{blockIdx.x} * blockDim.x + threadIdx.x; k < end; k += u64{gridDim.x} * blockDim.x) rows[k] = Row{};
}

template <class Shape, class Feature>
__global__ __launch_bounds__(label_threads) void sum_kernel(const tiling grid, const label_tables tables,
                                                            Feature feature, typename Feature::row* rows,
                                                            const u64 capacity) {
  using row = typename Feature::row;
  __shared__ tile_labels<Shape> shared;
  const u32 tile = blockIdx.x;
  const tile_place at = tile_place::of(grid, tile);
  if (tables.info[tile].components == 0) return;
  shared.look_up(grid, tables, tile, at, cuda::numbering::consecutive);
  const u32 frame = Shape::rank == 2 ? at.z : 0;
  feature.prepare(frame);
  rows += tables.offset[frame];
  const u64 room = capacity < tables.offset[frame] ? 0 : capacity - tables.offset[frame];
  const row_word here = row_word::of_thread<Shape>(at);
  u32 rest = here.inside(grid) ? shared.bits[threadIdx.x] : 0;
  const auto label_here = [&] { return rest == 0 ? 0 : shared.label_at(here.row, here.column, rest & -rest); };
  const u32 common = common_label(label_here());
  row joined{};
  while (rest != 0) {
    const stretch part = stretch::lowest(rest);
    const u32 label = label_here();
    rest ^= part.bits;
    if (label == 0 || label > room) continue;
    if (label == common) {
      feature.add(joined, here, part);
    } else {
      row alone{};
      feature.add(alone, here, part);
      join(rows[label - 1], alone, join_at_once());
    }
  }
  __syncwarp();
  if (common == 0 || common > room) return;
#pragma unroll
  for (int step = 16; step > 0; step /= 2) join(joined, shuffled_down(joined, step), join_alone());
  if (threadIdx.x % 32 == 0) join(rows[common - 1], joined, join_at_once());
}

/// The largest finite magnitude of the foreground of each frame. Magnitudes are ordered like their bits.
template <class Shape>
__global__ __launch_bounds__(label_threads) void largest_magnitude_kernel(const tiling grid, const label_tables tables,
                                                                          const intensity_image image,
                                                                          double* largest) {
  const u32 tile = blockIdx.x;
  const tile_place at = tile_place::of(grid, tile);
  const row_word here = row_word::of_thread<Shape>(at);
  double most = 0;
  u32 rest = here.inside(grid) ? tables.bits[u64{tile} * (tile_rows * tile_words) + threadIdx.x] : 0;
  for (; rest != 0; rest &= rest - 1) {
    const double magnitude = fabs(image.at(here.z, here.y, here.x + __ffs(rest) - 1));
    if (magnitude > most && magnitude - magnitude == 0) most = magnitude;
  }
  __syncwarp();
#pragma unroll
  for (int step = 16; step > 0; step /= 2) most = fmax(most, __shfl_down_sync(~0u, most, step));
  if (threadIdx.x % 32 == 0 && most > 0) join_at_once().most(largest[Shape::rank == 2 ? at.z : 0], most);
}

/// Tells the caller the scale of each frame.
__global__ inline void write_scales_kernel(const double* largest, u32 frames, intensity_scale* scales) {
  const u32 frame = blockIdx.x * blockDim.x + threadIdx.x;
  if (frame < frames) scales[frame] = largest == nullptr ? intensity_scale{} : scale_of_floats_up_to(largest[frame]);
}

}  // namespace skerry::label_stages::on_device
