// SPDX-License-Identifier: Apache-2.0
// Stage 6, CUDA, emit: which nodes stay, by their attributes.
//
//   thread  a node
//
// Reads   nodes, an attribute or a decision for each
// Writes  a byte at the first pixel of each node, for 6_emit.cuh
#pragma once
#include "max_tree/cuda/nodes/node_rows.cuh"

namespace skerry::tree_stages::on_device {

struct node_choice {
  const double* attribute;  // or null: then
  double least, most;
  const u8* decision;
  __device__ bool keeps(u32 node) const {
    if (attribute == nullptr) return decision[node] != 0;
    const double value = attribute[node];
    return value >= least && value <= most;
  }
};

__global__ void __launch_bounds__(node_threads) select_kernel(node_list nodes, node_choice choice, u8* keep) {
  const u32 node = this_node();
  if (node < nodes.number()) keep[nodes.first_pixel[node]] = choice.keeps(node) ? 1 : 0;
}

// Whoever has more nodes than rows gets zeros: of these no filter makes an image that looks like one.
inline cudaError_t launch_select(const node_list& nodes, const node_choice& choice, u8* keep, u64 pixels,
                                 cudaStream_t stream) {
  const cudaError_t result = cudaMemsetAsync(keep, 0, pixels, stream);
  if (result != cudaSuccess || nodes.rows == 0) return result;
  select_kernel<<<node_blocks(nodes.rows), node_threads, 0, stream>>>(nodes, choice, keep);
  return cudaGetLastError();
}

}  // namespace skerry::tree_stages::on_device
