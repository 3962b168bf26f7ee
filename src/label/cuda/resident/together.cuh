// SPDX-License-Identifier: Apache-2.0
// A frame whose tiles all run at once, CUDA: how the blocks of the tiles wait for each other. What a block has written before it
// arrives, all blocks see after they have waited.
#pragma once
#include <cooperative_groups.h>

#include <utility>

#include "engine/cuda/cluster.cuh"

namespace skerry::label_stages::on_device {

/// Blocks of a cooperative launch.
struct blocks_of_grid {
  cooperative_groups::grid_group all = cooperative_groups::this_grid();
  using token = cooperative_groups::grid_group::arrival_token;
  __device__ token arrive() const { return all.barrier_arrive(); }
  __device__ void wait(token&& arrived) const { all.barrier_wait(std::move(arrived)); }
  __device__ void sync() const { all.sync(); }
};

/// Blocks of one cluster, whose barrier takes a tenth of the time.
struct blocks_of_cluster {
  struct token {};
  static constexpr u32 most = 16;
  __device__ token arrive() const {
    arrive_at_cluster();
    return {};
  }
  __device__ void wait(token) const { wait_for_cluster(); }
  __device__ void sync() const {
    arrive_at_cluster();
    wait_for_cluster();
  }
};

}  // namespace skerry::label_stages::on_device
