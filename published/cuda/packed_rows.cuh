// SPDX-License-Identifier: Apache-2.0
// Features of components side by side, so that the host gets no others: what [Windisch2023] suggests for HA in its outlook.
// A warp takes room for all of its components at once; their order is that in which warps come.
#pragma once
#include <algorithm>
#include <vector>

#include "published/cuda/predicted_copy.hpp"
#include "published/cuda/votes.cuh"

namespace skerry::published {

// The first has the number of the others in `slot`.
struct packed_row {
  u32 slot, area;
  u64 sum_y, sum_x;
  u32 min_y, max_y, min_x, max_x;
};

struct packed_rows {
  packed_row* rows;

  // Room for the components of a warp, whose threads have `own` each: where those of this one go.
  [[nodiscard]] __device__ u32 take(u32 own, u32 lane) const {
    u32 up_to = own;
#pragma unroll
    for (u32 step = 1; step < 32; step *= 2) {
      const u32 others = __shfl_up_sync(~0u, up_to, step);
      if (lane >= step) up_to += others;
    }
    u32 begin = 0;
    if (lane == 31 && up_to != 0) begin = atomicAdd(&rows[0].slot, up_to);
    return 1 + __shfl_sync(~0u, begin, 31) + up_to - own;
  }
  __device__ void put(u32 at, u32 slot, const feature_arrays& from) const {
    rows[at] = {slot,           from.area[slot],  from.sum_y[slot], from.sum_x[slot],
                from.min_y[slot], from.max_y[slot], from.min_x[slot], from.max_x[slot]};
  }
};

inline void write_packed(const packed_row* packed, u64 count, table_rows<geometry>& rows) {
  std::vector<packed_row> sorted(packed, packed + count);
  std::sort(sorted.begin(), sorted.end(), [](const packed_row& a, const packed_row& b) { return a.slot < b.slot; });
  rows.clear();
  for (const packed_row& from : sorted) {
    geometry& row = rows.emplace_back(empty_geometry(2));
    row.area = from.area;
    row.sum[1] = from.sum_y;
    row.sum[2] = from.sum_x;
    row.min[1] = static_cast<i32>(from.min_y);
    row.max[1] = static_cast<i32>(from.max_y);
    row.min[2] = static_cast<i32>(from.min_x);
    row.max[2] = static_cast<i32>(from.max_x);
  }
}

// Packs what a method has left in arrays of `slots` places, and brings it to the host. `pack(packed_rows)` enqueues.
template <class Pack>
void compact(const device_task& work, device_answer& answer, u64 slots, Pack pack) {
  auto* const rows = work.memory.take_cleared<packed_row>(slots + 1, "the packed features");
  work.memory.host.reserve((slots + 1) * sizeof(packed_row), "the features on the host");
  auto* const host = static_cast<packed_row*>(work.memory.host.data());
  work.phase("compaction", [&] {
    check_cuda(cudaMemsetAsync(rows, 0, sizeof(packed_row), work.stream), "compaction");
    pack(packed_rows{rows});
  });
  const u64 found = fetch_predicted(work, predicted_copy<packed_row>{rows, host, slots + 1},
                                    [](const packed_row& head) { return u64{head.slot} + 1; });
  answer.arrays.clear();
  answer.fetch = [=](table_rows<geometry>& table) { write_packed(host + 1, found - 1, table); };
}

}  // namespace skerry::published
