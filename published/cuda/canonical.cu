// SPDX-License-Identifier: Apache-2.0
#include "published/cuda/canonical.hpp"

#include <cub/device/device_scan.cuh>

namespace skerry::published {
namespace {

__device__ u64 this_item() { return u64{blockIdx.x} * usual_threads + threadIdx.x; }

// The least pixel of each label; one look for each run of equal labels in a line.
__global__ void find_first(const u32* labels, u64 pixels, u32 width, u32* first) {
  const u64 i = this_item();
  if (i >= pixels || labels[i] == 0) return;
  if (i % width != 0 && labels[i - 1] == labels[i]) return;
  atomicMin(first + labels[i] - 1, static_cast<u32>(i));
}

__global__ void mark_first(const u32* labels, u64 pixels, const u32* first, u32* is_first) {
  const u64 i = this_item();
  if (i < pixels) is_first[i] = labels[i] != 0 && first[labels[i] - 1] == i ? 1 : 0;
}

__global__ void take_numbers(u32* labels, u64 pixels, const u32* first, const u32* ranks) {
  const u64 i = this_item();
  if (i < pixels && labels[i] != 0) labels[i] = ranks[first[labels[i] - 1]] + 1;
}

// Ranks of flags, which are 0 or 1. Returns how many are 1.
u64 rank(const device_task& work, const u32* flags, u32* ranks, u64 count) {
  std::size_t bytes = 0;
  check_cuda(cub::DeviceScan::ExclusiveSum(nullptr, bytes, flags, ranks, count, work.stream), "numbering");
  void* const memory = work.memory.take<std::byte>(bytes, "numbering");
  check_cuda(cub::DeviceScan::ExclusiveSum(memory, bytes, flags, ranks, count, work.stream), "numbering");
  u32 last[2];
  check_cuda(cudaMemcpyAsync(last, flags + count - 1, sizeof(u32), cudaMemcpyDeviceToHost, work.stream), "numbering");
  check_cuda(cudaMemcpyAsync(last + 1, ranks + count - 1, sizeof(u32), cudaMemcpyDeviceToHost, work.stream),
             "numbering");
  check_cuda(cudaStreamSynchronize(work.stream), "numbering");
  return u64{last[0]} + last[1];
}

}  // namespace

u64 number_labels(const device_task& work, const device_answer& answer, u32* labels) {
  const u64 pixels = work.image.size();
  const u32 blocks = blocks_of(pixels, usual_threads);
  u32* const first = work.memory.take<u32>(answer.label_slots, "numbering");
  u32* const is_first = work.memory.take<u32>(pixels, "numbering");
  u32* const ranks = work.memory.take<u32>(pixels, "numbering");
  u64 components = 0;
  work.phase("numbering", [&] {
    check_cuda(cudaMemsetAsync(first, 0xff, answer.label_slots * sizeof(u32), work.stream), "numbering");
    find_first<<<blocks, usual_threads, 0, work.stream>>>(labels, pixels, work.image.width, first);
    mark_first<<<blocks, usual_threads, 0, work.stream>>>(labels, pixels, first, is_first);
    components = rank(work, is_first, ranks, pixels);
    take_numbers<<<blocks, usual_threads, 0, work.stream>>>(labels, pixels, first, ranks);
  });
  check_cuda(cudaStreamSynchronize(work.stream), "numbering");
  return components;
}

geometry* number_rows(const device_task& work, const device_answer& answer, u64& components) {
  u32* const is_component = work.memory.take<u32>(answer.slots, "numbering");
  u32* const ranks = work.memory.take<u32>(answer.slots, "numbering");
  geometry* rows = nullptr;
  work.phase("numbering of rows", [&] {
    check_cuda(cudaMemsetAsync(is_component, 0, answer.slots * sizeof(u32), work.stream), "numbering");
    answer.mark(is_component);
    components = rank(work, is_component, ranks, answer.slots);
    rows = work.memory.take<geometry>(components, "the table");
    answer.write_rows(is_component, ranks, rows);
  });
  check_cuda(cudaStreamSynchronize(work.stream), "numbering of rows");
  return rows;
}

}  // namespace skerry::published
