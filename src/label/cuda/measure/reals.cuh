// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA: intensities of floats and of 64-bit integers. Two launches of the sums of sums.cuh: the range of each
// component, which says what bins are kept, then the digits of each pixel.
//
//   thread  stretches of one label along the intensities
//
// Method  engine/cuda/real_parts.cuh
#pragma once
#include "engine/cuda/real_parts.cuh"
#include "label/cuda/measure/tile_labels.cuh"

namespace skerry::label_stages::on_device {

struct real_range_of_stretch {
  using row = real_intensity;
  using part = range_part;
  intensity_image image;

  struct kept {};
  __device__ kept kept_by(const row&) const { return {}; }
  __device__ void add(part& to, kept, const row_word& at, u32 bits) const {
    each_bit(bits, [&](int k) { add_pixel(to, image.at(at.z, at.y, at.x + k)); });
  }
};

// `Narrow` as of digits_of_image.
template <bool Narrow>
struct real_sums_of_stretch {
  using row = real_intensity;
  using part = digit_part;
  using kept = kept_units;
  digits_of_image<Narrow> digits;

  __device__ kept kept_by(const row& of) const { return kept_units::of(of); }
  __device__ void add(part& to, kept units, const row_word& at, u32 bits) const {
    each_bit(bits, [&](int k) { digits.add_pixel(to, units, at.z, at.y, at.x + k); });
  }
};

}  // namespace skerry::label_stages::on_device
