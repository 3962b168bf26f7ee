// SPDX-License-Identifier: Apache-2.0
// Chains of unequal length that the threads of a tile follow: a thread whose chain has ended takes another one, so that the others of its
// warp do not wait.
#pragma once
#include "engine/cuda/warp.cuh"
#include "max_tree/cuda/tree_grid.cuh"

namespace skerry::tree_stages::on_device {

// Places of a tile where chains begin, in shared memory.
struct chain_starts {
  u16 items[tile_pixels];
  u32 count, next;

  // By one thread, with a barrier behind it.
  __device__ void clear() { count = next = 0; }
  // By whole warps.
  __device__ void add(bool has_item, u32 item) {
    const u32 place = place_in_list(&count, has_item);
    if (has_item) items[place] = static_cast<u16>(item);
  }
};

// Calls begin(number) for numbers below `all`, which `next` counts for the block, then step() as long as it, and begin(), return true. By
// whole warps.
template <class Begin, class Step>
__device__ void follow_chains(u32* next, u32 all, Begin begin, Step step) {
  bool follows = false;
  for (bool has_more = true;;) {
    const u32 idle = __ballot_sync(~0u, !follows);
    if (has_more && idle != 0) {
      u32 first = 0;
      if (lane_of_thread() == 0) first = atomicAdd(next, count_of(idle));
      first = __shfl_sync(~0u, first, 0);
      has_more = first + count_of(idle) < all;
      if (const u32 number = first + count_before(idle); !follows && number < all) follows = begin(number);
    } else if (idle == ~0u) {
      return;
    }
    if (follows) follows = step();
    __syncwarp();
  }
}

}  // namespace skerry::tree_stages::on_device
