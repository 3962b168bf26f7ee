// SPDX-License-Identifier: Apache-2.0
// Features of volumes in separate arrays, as votes.cuh has them of planes, and votes for them by the segments of a line.
#pragma once
#include "published/cuda/votes.cuh"

namespace skerry::published {

struct volume_features {
  u32* area = nullptr;
  u64* sum[3] = {};             // z, y, x
  u32 *min[3] = {}, *max[3] = {};

  static volume_features in(device_arena& memory, u64 slots) {
    volume_features all;
    const char* const what = "the features";
    all.area = memory.take<u32>(slots, what);
    for (u32 axis = 0; axis < 3; ++axis) {
      all.sum[axis] = memory.take<u64>(slots, what);
      all.min[axis] = memory.take<u32>(slots, what);
      all.max[axis] = memory.take<u32>(slots, what);
    }
    return all;
  }
  [[nodiscard]] std::vector<device_answer::array> arrays(u64 slots) const {
    std::vector<device_answer::array> all = {{area, slots * sizeof(u32)}};
    for (u32 axis = 0; axis < 3; ++axis) {
      all.push_back({sum[axis], slots * sizeof(u64)});
      all.push_back({min[axis], slots * sizeof(u32)});
      all.push_back({max[axis], slots * sizeof(u32)});
    }
    return all;
  }
  // A label that nobody votes for yet.
  __device__ void set(u32 slot, u32 z, u32 y, u32 begin, u32 end) const {
    const line_votes own = line_votes::of(begin, end);
    area[slot] = own.area;
    sum[0][slot] = u64{z} * own.area;
    sum[1][slot] = u64{y} * own.area;
    sum[2][slot] = own.sum_x;
    min[0][slot] = max[0][slot] = z;
    min[1][slot] = max[1][slot] = y;
    min[2][slot] = begin;
    max[2][slot] = end - 1;
  }
  // One vote for all segments of a line that a warp has of a label; `mask` is the threads that call. The first plane of a
  // component is that of its root, who has set it.
  __device__ void cast_detecting(u32 mask, u32 slot, u32 z, u32 y, u32 begin, u32 end) const {
    line_votes all = line_votes::of(begin, end);
    if (!all.gather(mask, slot)) return;
    atomicAdd(area + slot, all.area);
    add_u64(sum[0] + slot, u64{z} * all.area);
    add_u64(sum[1] + slot, u64{y} * all.area);
    add_u64(sum[2] + slot, all.sum_x);
    widen(slot, 1, y, y);
    widen(slot, 2, begin, all.end - 1);
    if (device_words{max[0]}.load(slot) < z) atomicMax(max[0] + slot, z);
  }
  __device__ geometry row(u32 slot) const {
    geometry g = empty_geometry(3);
    g.area = area[slot];
#pragma unroll
    for (u32 axis = 0; axis < 3; ++axis) {
      g.sum[axis] = sum[axis][slot];
      g.min[axis] = static_cast<i32>(min[axis][slot]);
      g.max[axis] = static_cast<i32>(max[axis][slot]);
    }
    return g;
  }

 private:
  __device__ void widen(u32 slot, u32 axis, u32 least, u32 most) const {
    if (device_words{min[axis]}.load(slot) > least) atomicMin(min[axis] + slot, least);
    if (device_words{max[axis]}.load(slot) < most) atomicMax(max[axis] + slot, most);
  }
};

}  // namespace skerry::published
