// SPDX-License-Identifier: Apache-2.0
// Stage 4, CUDA, the second half, for keys of more than 8 bits: first pixels to nodes, numbered by level and first pixel.
//
//   thread  a pixel, or a node
//
// Reads   keys, the parent image
// Writes  keys and first pixels of nodes; their numbers at first pixels, `nowhere` at other pixels
// Method  First pixels are picked out in raster order and sorted by their keys, in a sort that leaves equal keys as they
//         are. Rows that no node has get the largest key: they come last, behind nodes with this key.
#pragma once
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include "engine/cuda/pieces.cuh"
#include "max_tree/cuda/nodes/4_first_pixels.cuh"

namespace skerry::tree_stages::on_device {

// Picks first pixels; none if there is a NaN.
template <class Key>
struct begins_node {
  first_pixels_of<Key> from;
  __device__ bool operator()(u32 pixel) const { return !from.has_nan() && from.is_first(pixel, from.image.key(pixel)); }
};

// Takes the picked pixels, as many as there is room for.
template <class Key>
struct picked_pixels {
  grey_source<Key> image;
  u32 rows;
  Key* keys;
  u32* first;
  template <class Index>
  __device__ void operator()(Index row, u32 pixel) const {
    if (row >= static_cast<Index>(rows)) return;
    first[row] = pixel;
    keys[row] = image.key(pixel);
  }
};

// Tells each first pixel its number.
__global__ void __launch_bounds__(node_threads) tell_first_kernel(node_list nodes, u32* node_of_first) {
  const u32 node = this_node();
  if (node < nodes.number()) node_of_first[nodes.first_pixel[node]] = node;
}

// Pixels that have been told a number.
struct told_numbers {
  const u32* number;
  __device__ bool holds(u32 pixel) const { return number[pixel] != nowhere; }
};

template <class Key>
struct sorted_numbers {
  Key* keys = nullptr;  // of nodes, in order
  Key* unsorted = nullptr;
  u32* first = nullptr;  // in raster order
  char* temporary = nullptr;
  std::size_t temporary_bytes = 0;

  void take_keys(pieces& scratch, u32, u32 rows) { scratch.take(keys, rows); }
  cudaError_t take(pieces& scratch, u32 pixels, u32 rows) {
    scratch.take(unsorted, rows);
    scratch.take(first, rows);
    std::size_t picking = 0, sorting = 0;
    cudaError_t result =
        pick(nullptr, picking, {{{}, tree_kind::max}, nullptr, nullptr, pixels}, rows, nullptr, nullptr);
    if (result == cudaSuccess) result = sort(nullptr, sorting, rows, nullptr, nullptr);
    temporary_bytes = std::max(picking, sorting);
    scratch.take(temporary, temporary_bytes);
    return result;
  }
  cudaError_t number(const node_list& nodes, const first_pixels_of<Key>& from, u32* count, u32* node_of_first,
                     cudaStream_t stream) const {
    const u32 rows = nodes.rows;
    std::size_t bytes = temporary_bytes;
    cudaError_t result = cudaMemsetAsync(unsorted, 0xff, rows * sizeof(Key), stream);
    if (result == cudaSuccess) result = pick(temporary, bytes, from, rows, count, stream);
    if (result != cudaSuccess || rows == 0) return result;
    result = cudaMemsetAsync(node_of_first, 0xff, u64{from.pixels} * sizeof(u32), stream);
    if (result != cudaSuccess) return result;
    bytes = temporary_bytes;
    result = sort(temporary, bytes, rows, nodes.first_pixel, stream);
    if (result != cudaSuccess) return result;
    tell_first_kernel<<<node_blocks(rows), node_threads, 0, stream>>>(nodes, node_of_first);
    return cudaGetLastError();
  }
  [[nodiscard]] told_numbers first_pixels(const u32* node_of_first) const { return {node_of_first}; }

 private:
  cudaError_t pick(void* memory, std::size_t& bytes, const first_pixels_of<Key>& from, u32 rows, u32* count,
                   cudaStream_t stream) const {
    return cub::DeviceSelect::If(
        memory, bytes, thrust::counting_iterator<u32>(0),
        thrust::make_tabulate_output_iterator(picked_pixels<Key>{from.image, rows, unsorted, first}), count,
        static_cast<i32>(from.pixels), begins_node<Key>{from}, stream);
  }
  cudaError_t sort(void* memory, std::size_t& bytes, u32 rows, u32* sorted, cudaStream_t stream) const {
    return cub::DeviceRadixSort::SortPairs(memory, bytes, unsorted, keys, first, sorted, static_cast<i32>(rows), 0,
                                           static_cast<i32>(8 * sizeof(Key)), stream);
  }
};

}  // namespace skerry::tree_stages::on_device
