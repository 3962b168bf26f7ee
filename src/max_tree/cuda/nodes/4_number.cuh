// SPDX-License-Identifier: Apache-2.0
// Stage 4, CUDA, the second half: the parent image to numbered nodes.
//
//   thread  a pixel, or a node
//
// Reads   keys, the parent image
// Writes  keys, levels, first pixels and parents of nodes, numbered by level and first pixel; the number of each first pixel
// Needs   as many rows as there can be nodes: their number is in device memory, and no host waits for it
// Method  first pixels are picked out in raster order and sorted by their keys, in a sort that leaves equal keys as they
//         are. Rows that no node has get the largest key: they come last, behind nodes with this key.
#pragma once
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include "engine/cuda/pieces.cuh"
#include "max_tree/cuda/hooks/4_resolve.cuh"
#include "max_tree/cuda/nodes/node_rows.cuh"

namespace skerry::tree_stages::on_device {

// Picks first pixels; none if there is a NaN.
template <class Key>
struct begins_node {
  grey_source<Key> image;
  const u32* parent;
  const u64* first_nan;  // or null
  __device__ bool operator()(u32 pixel) const {
    if (first_nan != nullptr && *first_nan != ~u64{0}) return false;
    return is_first_pixel(image, image.key(pixel), pixel, parent[pixel]);
  }
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

// What the numbering leaves for the measures, and what it takes for itself.
template <class Key>
struct numbering_tables {
  Key* keys = nullptr;  // of nodes, in order
  Key* unsorted = nullptr;
  u32* first = nullptr;  // in raster order
  char* temporary = nullptr;
  std::size_t temporary_bytes = 0;

  void take_keys(pieces& scratch, u32 rows) { scratch.take(keys, rows); }
  cudaError_t take(pieces& scratch, u32 pixels, u32 rows) {
    scratch.take(unsorted, rows);
    scratch.take(first, rows);
    std::size_t picking = 0, sorting = 0;
    cudaError_t result = pick(nullptr, picking, begins_node<Key>{{{}, tree_kind::max}, nullptr, nullptr}, pixels, rows,
                              nullptr, nullptr);
    if (result == cudaSuccess) result = sort(nullptr, sorting, rows, nullptr, nullptr);
    temporary_bytes = std::max(picking, sorting);
    scratch.take(temporary, temporary_bytes);
    return result;
  }
  cudaError_t pick(void* memory, std::size_t& bytes, const begins_node<Key>& begins, u32 pixels, u32 rows, u32* count,
                   cudaStream_t stream) const {
    return cub::DeviceSelect::If(
        memory, bytes, thrust::counting_iterator<u32>(0),
        thrust::make_tabulate_output_iterator(picked_pixels<Key>{begins.image, rows, unsorted, first}), count,
        static_cast<i32>(pixels), begins, stream);
  }
  cudaError_t sort(void* memory, std::size_t& bytes, u32 rows, u32* sorted, cudaStream_t stream) const {
    return cub::DeviceRadixSort::SortPairs(memory, bytes, unsorted, keys, first, sorted, static_cast<i32>(rows), 0,
                                           static_cast<i32>(8 * sizeof(Key)), stream);
  }
};

// Tells each first pixel its number.
__global__ void __launch_bounds__(node_threads) tell_first_kernel(node_list nodes, u32* node_of_first) {
  const u32 node = this_node();
  if (node < nodes.number()) node_of_first[nodes.first_pixel[node]] = node;
}

// The grey value of a key.
template <class Key>
__device__ double level_from(const grey_source<Key>& image, dtype type, Key key) {
  const Key bits = image.bits_from(key);
  if constexpr (sizeof(Key) == 4)
    if (image.floats) return __uint_as_float(bits);
  return type == dtype::i16 ? static_cast<double>(static_cast<std::int16_t>(bits)) : static_cast<double>(bits);
}

template <class Key>
__global__ void __launch_bounds__(node_threads)
    parents_kernel(node_list nodes, grey_source<Key> image, dtype type, const u32* parent_image,
                   const u32* node_of_first, const Key* keys, double* level) {
  const u32 node = this_node();
  if (node >= nodes.number()) return;
  nodes.parent[node] = node_of_first[parent_image[nodes.first_pixel[node]]];
  if (level != nullptr) level[node] = level_from(image, type, keys[node]);
}

// Numbers the nodes. `node_of_first` is a word per pixel: those that are no first pixels get `nowhere`.
template <class Key>
cudaError_t launch_number(const node_list& nodes, const begins_node<Key>& begins, dtype type,
                          const numbering_tables<Key>& t, u32 pixels, u32* count, u32* node_of_first, double* level,
                          cudaStream_t stream) {
  const u32 rows = nodes.rows;
  std::size_t bytes = t.temporary_bytes;
  cudaError_t result = cudaMemsetAsync(t.unsorted, 0xff, rows * sizeof(Key), stream);
  if (result == cudaSuccess) result = t.pick(t.temporary, bytes, begins, pixels, rows, count, stream);
  if (result != cudaSuccess || rows == 0) return result;
  result = cudaMemsetAsync(node_of_first, 0xff, u64{pixels} * sizeof(u32), stream);
  if (result != cudaSuccess) return result;
  bytes = t.temporary_bytes;
  result = t.sort(t.temporary, bytes, rows, nodes.first_pixel, stream);
  if (result != cudaSuccess) return result;
  tell_first_kernel<<<node_blocks(rows), node_threads, 0, stream>>>(nodes, node_of_first);
  parents_kernel<Key><<<node_blocks(rows), node_threads, 0, stream>>>(nodes, begins.image, type, begins.parent,
                                                                      node_of_first, t.keys, level);
  return cudaGetLastError();
}

}  // namespace skerry::tree_stages::on_device
