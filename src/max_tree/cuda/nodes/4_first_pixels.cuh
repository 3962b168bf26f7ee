// SPDX-License-Identifier: Apache-2.0
// Stage 4, CUDA, the second half: which pixels are the first of a node.
#pragma once
#include "max_tree/cuda/hooks/4_resolve.cuh"
#include "max_tree/cuda/nodes/node_rows.cuh"

namespace skerry::tree_stages::on_device {

template <class Key>
struct first_pixels_of {
  grey_source<Key> image;
  const u32* parent;
  const u64* first_nan;  // or null
  u32 pixels;

  __device__ bool has_nan() const { return first_nan != nullptr && *first_nan != ~u64{0}; }
  __device__ bool is_first(u32 pixel, Key key) const { return is_first_pixel(image, key, pixel, parent[pixel]); }
};

}  // namespace skerry::tree_stages::on_device
