// SPDX-License-Identifier: Apache-2.0
// Stage 4, CUDA, for trees that go to the host: the parent image to numbered nodes.
//
//   thread  a pixel, or a node
//
// Reads   keys, the parent image
// Writes  keys, first pixels and parents of nodes, numbered by level and first pixel; the node of each pixel
// Needs   memory that grows with the number of nodes, and a host that waits for this number
// Method  first pixels are picked out in raster order and sorted by their keys, in a sort that leaves equal keys as they are
#pragma once
#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include "max_tree/4_resolve.cuh"

namespace skerry::tree_stages::on_device {

inline constexpr int number_threads = 256;

template <class Key>
struct begins_node {
  grey_source<Key> image;
  const u32* parent;
  __device__ bool operator()(u32 pixel) const { return is_first_pixel(image, image.key(pixel), pixel, parent[pixel]); }
};

template <class Key>
__global__ void keys_of_nodes_kernel(grey_source<Key> image, const u32* first, u32 nodes, Key* keys) {
  const u32 node = blockIdx.x * number_threads + threadIdx.x;
  if (node < nodes) keys[node] = image.key(first[node]);
}

// Tells each first pixel its number.
__global__ void tell_first_kernel(const u32* first, u32 nodes, u32* node_of_first) {
  const u32 node = blockIdx.x * number_threads + threadIdx.x;
  if (node < nodes) node_of_first[first[node]] = node;
}

template <class Key>
__global__ void nodes_of_pixels_kernel(begins_node<Key> begins, const u32* node_of_first, u32 pixels,
                                       u32* node_of_pixel) {
  const u32 pixel = blockIdx.x * number_threads + threadIdx.x;
  if (pixel < pixels) node_of_pixel[pixel] = node_of_first[begins(pixel) ? pixel : begins.parent[pixel]];
}

template <class Key>
__global__ void parents_of_nodes_kernel(const u32* parent_image, const u32* node_of_first, const u32* first,
                                        const Key* keys, u32 nodes, u32* parent, u32* wide_keys) {
  const u32 node = blockIdx.x * number_threads + threadIdx.x;
  if (node >= nodes) return;
  parent[node] = node_of_first[parent_image[first[node]]];
  wide_keys[node] = keys[node];
}

}  // namespace skerry::tree_stages::on_device
