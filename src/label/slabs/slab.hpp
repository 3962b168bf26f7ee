// SPDX-License-Identifier: Apache-2.0
// A slab: successive rows of a plane, or slices of a volume, that one device labels alone; and how images are cut into slabs.
#pragma once
#include <vector>

#include "core/portable.hpp"
#include "skerry/label.hpp"
#include "skerry/measure.hpp"

namespace skerry::label_stages {

/// Rows of rank 2, slices of rank 3: what slabs are made of.
[[nodiscard]] constexpr i64 layers_of(const extent& size) { return size.rank == 3 ? size.depth : size.height; }

/// The same image with `count` of its layers, from `first` on.
template <class Image>
[[nodiscard]] Image layers_of(const Image& image, i64 first, i64 count) {
  Image part = image;
  if (image.data == nullptr) return part;
  const bool volume = image.size.rank == 3;
  const i64 offset = first * (volume ? image.strides.z : image.strides.y);
  part.data = static_cast<char*>(const_cast<void*>(static_cast<const void*>(image.data))) + offset;
  (volume ? part.size.depth : part.size.height) = count;
  return part;
}

/// One slab, with what is read and written of it. Images that are not there have no data.
struct slab_images {
  image_view image, intensity;
  mutable_image labels;
  i64 first = 0;  // its first layer in the whole image
};

/// What bounds the slabs of an image.
struct slab_limits {
  i64 slabs = 1;        // at least so many, where there are as many layers
  i64 pixels = 0;       // of each at most, or 0
  i64 layers = 0;       // of each but the last exactly, or 0
  i64 quartered = 0;    // last slabs that are cut into four, in whole tiles
  i64 tiles = 1 << 18;  // that a device numbers at once: 2^31 pixels
};

/// Layers of each slab but the last, which has what is left, and those that are quartered.
[[nodiscard]] i64 layers_of_slab(const extent& size, const slab_limits& limits);

/// The slab cut into others.
void cut(const slab_images& whole, const slab_limits& limits, std::vector<slab_images>& slabs);

}  // namespace skerry::label_stages
