// SPDX-License-Identifier: Apache-2.0
// Kernels whose blocks all run at once: how the blocks wait for each other, and how they are launched. What a block has written
// before it arrives, all blocks see after they have waited.
#pragma once
#include <cooperative_groups.h>

#include <utility>

#include "engine/cuda/cluster.cuh"
#include "engine/cuda/device_memory.cuh"
#include "engine/cuda/kernel_facts.cuh"

namespace skerry {

/// Blocks of a cooperative launch.
struct blocks_of_grid {
  cooperative_groups::grid_group all = cooperative_groups::this_grid();
  using token = cooperative_groups::grid_group::arrival_token;
  __device__ token arrive() const { return all.barrier_arrive(); }
  __device__ void wait(token&& arrived) const { all.barrier_wait(std::move(arrived)); }
  /// With wait_once(), a barrier that is used once: each block sets its own word, and all blocks ask for all words, so that no block
  /// waits for others to count themselves. The words are 0 since before an earlier barrier. Many blocks take longer so.
  __device__ token arrive_once(u32* arrived) const {
    if (are_many()) return arrive();
    __syncthreads();
    if (threadIdx.x == 0) device_word(arrived[blockIdx.x]).store(1, ::cuda::memory_order_release);
    return {};
  }
  __device__ void wait_once(u32* arrived, token&& earlier) const {
    if (are_many()) return wait(std::move(earlier));
    for (u32 block = threadIdx.x; block < gridDim.x; block += blockDim.x)
      while (device_word(arrived[block]).load(::cuda::memory_order_acquire) == 0) {}
    __syncthreads();
  }

 private:
  static __device__ bool are_many() { return gridDim.x > 160; }
  using device_word = atomic_ref<u32, sharing::device>;
};

/// Blocks of one cluster, whose barrier takes a tenth of the time.
struct blocks_of_cluster {
  static constexpr u32 most = 16;
  struct token {};
  __device__ token arrive() const {
    arrive_at_cluster();
    return {};
  }
  __device__ void wait(token&&) const { wait_for_cluster(); }
  __device__ token arrive_once(u32*) const { return arrive(); }
  __device__ void wait_once(u32*, token&& earlier) const { wait(std::move(earlier)); }
};

// ---- launch ---------------------------------------------------------------------------------------------------------

/// Blocks of a cooperative kernel that a device runs at once; 0 where it runs no such kernel.
template <class Kernel>
u32 count_at_once(blocks_of_grid*, Kernel kernel, cudaLaunchConfig_t& config, int device) {
  int processors = 0, per_processor = 0, together = 0;
  const bool runs =
      cudaDeviceGetAttribute(&together, cudaDevAttrCooperativeLaunch, device) == cudaSuccess && together != 0 &&
      cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) == cudaSuccess &&
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel, static_cast<int>(config.blockDim.x),
                                                    config.dynamicSmemBytes) == cudaSuccess;
  return runs ? static_cast<u32>(processors * per_processor) : 0;
}
/// Blocks of the largest cluster.
template <class Kernel>
u32 count_at_once(blocks_of_cluster*, Kernel kernel, cudaLaunchConfig_t& config, int device) {
  int clusters = 0;
  config.gridDim = blocks_of_cluster::most;
  const bool runs = has_code_for_9(kernel, device) &&
                    cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess &&
                    cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess;
  return runs && clusters > 0 ? blocks_of_cluster::most : 0;
}

inline cudaLaunchAttribute launched_together(blocks_of_grid*, u32) {
  cudaLaunchAttribute cooperative;
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  return cooperative;
}
inline cudaLaunchAttribute launched_together(blocks_of_cluster*, u32 blocks) {
  cudaLaunchAttribute cluster;
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {blocks, 1, 1};
  return cluster;
}

/// A kernel whose blocks wait for each other as `Together` does.
template <auto Kernel, class Together, u32 Threads, std::size_t SharedBytes>
struct kernel_together {
  static constexpr Together* how = nullptr;

  static cudaLaunchConfig_t config_for(u32 blocks, cudaLaunchAttribute& together) {
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = Threads;
    config.dynamicSmemBytes = SharedBytes;
    config.attrs = &together;
    config.numAttrs = 1;
    together = launched_together(how, blocks);
    return config;
  }

  /// Blocks of the kernel that the device runs at once, or 0.
  static u32 at_once(int device) {
    static number_of_device known;
    return known(device, [device] {
      cudaLaunchAttribute together;
      cudaLaunchConfig_t config = config_for(blocks_of_cluster::most, together);
      const bool fits = allow_shared_memory(Kernel, SharedBytes) == cudaSuccess;
      const u32 blocks = fits ? count_at_once(how, Kernel, config, device) : 0;
      if (blocks == 0) cudaGetLastError();
      return blocks;
    });
  }

  template <class... Arguments>
  static void enqueue(u32 blocks, cudaStream_t stream, const Arguments&... arguments) {
    cudaLaunchAttribute together;
    cudaLaunchConfig_t config = config_for(blocks, together);
    config.stream = stream;
    check_cuda(cudaLaunchKernelEx(&config, Kernel, arguments...), "local");
  }
};

}  // namespace skerry
