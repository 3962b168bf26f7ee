// SPDX-License-Identifier: Apache-2.0
// Features in separate arrays, one item for each label, and the ways to vote for them of [Lemaitre2021]: alone
// (algorithm 6), with conflicts in the warp found and reduced first (algorithm 8), and moved along with a label that is
// merged (algorithm 10).
#pragma once
#include "core/feature.hpp"
#include "published/cuda/device_task.hpp"
#include "published/cuda/equivalences.cuh"

namespace skerry::published {

// When a method votes: not at all, in a kernel of its own, there with conflicts reduced, or while labels are merged.
enum class voting { none, later, detecting, on_the_fly };

// What a thread has to say about one label.
struct vote {
  u32 area;
  u64 sum_y, sum_x;
  u32 min_y, max_y, min_x, max_x;
};

// Pixels [begin, end) of one line.
__device__ inline vote vote_of(u32 y, u32 begin, u32 end) {
  const u32 area = end - begin;
  return {area, u64{y} * area, (u64{begin} + end - 1) * area / 2, y, y, begin, end - 1};
}

struct feature_arrays {
  u32* area = nullptr;
  u64 *sum_y = nullptr, *sum_x = nullptr;
  u32 *min_y = nullptr, *max_y = nullptr, *min_x = nullptr, *max_x = nullptr;

  static feature_arrays in(device_arena& memory, u64 slots) {
    feature_arrays all;
    const char* const what = "the features";
    all.area = memory.take<u32>(slots, what);
    all.sum_y = memory.take<u64>(slots, what);
    all.sum_x = memory.take<u64>(slots, what);
    for (u32** list : {&all.min_y, &all.max_y, &all.min_x, &all.max_x}) *list = memory.take<u32>(slots, what);
    return all;
  }
  __device__ void set(u32 slot, const vote& v) const {
    area[slot] = v.area;
    sum_y[slot] = v.sum_y;
    sum_x[slot] = v.sum_x;
    min_y[slot] = v.min_y;
    max_y[slot] = v.max_y;
    min_x[slot] = v.min_x;
    max_x[slot] = v.max_x;
  }
  __device__ void clear(u32 slot) const { set(slot, {0, 0, 0, ~0u, 0, ~0u, 0}); }
  __device__ geometry row(u32 slot) const {
    geometry g = empty_geometry(2);
    g.area = area[slot];
    g.sum[1] = sum_y[slot];
    g.sum[2] = sum_x[slot];
    g.min[1] = static_cast<i32>(min_y[slot]);
    g.max[1] = static_cast<i32>(max_y[slot]);
    g.min[2] = static_cast<i32>(min_x[slot]);
    g.max[2] = static_cast<i32>(max_x[slot]);
    return g;
  }
};

__device__ inline void add_u64(u64* sum, u64 value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(value));
}

// Who else may merge the same labels at the same time: the fences of algorithm 10 are for them.
enum class reach { block, device };

template <reach Reach>
__device__ void fence() {
  if constexpr (Reach == reach::block) __threadfence_block();
  else __threadfence();
}

// What segments of one line say about one label.
struct line_votes {
  u32 area, end;
  u64 sum_x;

  __device__ static line_votes of(u32 begin, u32 end) {
    const u32 area = end - begin;
    return {area, end, (u64{begin} + end - 1) * area / 2};
  }
  // Algorithm 8: the first thread of each label gets the votes of all, and true. Only the area and the sum of x have to be
  // added up, as threads are in the order of their segments. `mask` is the threads that call.
  __device__ bool gather(u32 mask, u32 slot) {
    const u32 lane = threadIdx.x % 32, above = lane == 31 ? 0 : ~0u << (lane + 1);
    const u32 all = __match_any_sync(mask, slot);
    u32 rank = __popc(all & ~above & ~(1u << lane));
    const bool leads = rank == 0;
    end = __shfl_sync(mask, end, 31 - __clz(all));
    u32 peers = all & above;
    while (__any_sync(mask, peers != 0)) {
      const u32 next = __ffs(peers);
      const u32 from = next != 0 ? next - 1 : lane;
      const u32 others_area = __shfl_sync(mask, area, from);
      const u64 others_sum = __shfl_sync(mask, sum_x, from);
      if (next != 0) {
        area += others_area;
        sum_x += others_sum;
      }
      peers &= __ballot_sync(mask, rank % 2 == 0);
      rank >>= 1;
    }
    return leads;
  }
};

// What a counting build has of votes: those that each slot has got, those that are under way to it, and how many set off
// while another was under way to the same slot.
struct vote_counts {
  u32 *hits = nullptr, *under_way = nullptr;
  unsigned long long* met = nullptr;
};

template <bool Counting>
struct voter {
  feature_arrays to;
  vote_counts counts;

  __device__ void count(u32 slot) const {
    if constexpr (Counting) atomicAdd(counts.hits + slot, 1);
  }
  // Around the atomic operations of an update, which is counted as well.
  __device__ void set_off(u32 slot) const {
    if constexpr (Counting) {
      count(slot);
      if (atomicAdd(counts.under_way + slot, 1) != 0) atomicAdd(counts.met, 1ull);
    }
  }
  __device__ void arrive(u32 slot) const {
    if constexpr (Counting) {
      __threadfence();
      atomicSub(counts.under_way + slot, 1);
    }
  }
  // One update: seven atomic operations.
  __device__ void cast(u32 slot, const vote& v) const {
    set_off(slot);
    atomicAdd(to.area + slot, v.area);
    add_u64(to.sum_y + slot, v.sum_y);
    add_u64(to.sum_x + slot, v.sum_x);
    atomicMin(to.min_y + slot, v.min_y);
    atomicMax(to.max_y + slot, v.max_y);
    atomicMin(to.min_x + slot, v.min_x);
    atomicMax(to.max_x + slot, v.max_x);
    arrive(slot);
  }
  // The same with a look at the box first: what is in it only grows, so an old value costs an update and no more. The
  // first line of a component is that of its root, who has set it.
  __device__ void cast_looking(u32 slot, const vote& v) const {
    set_off(slot);
    atomicAdd(to.area + slot, v.area);
    add_u64(to.sum_y + slot, v.sum_y);
    add_u64(to.sum_x + slot, v.sum_x);
    widen(slot, v.max_y, v.min_x, v.max_x);
    arrive(slot);
  }
  // A root begins with its own features, and does not vote. Where votes are counted it begins with none, and votes as in
  // the text; its line is the first of its component either way.
  static constexpr bool roots_vote = Counting;
  __device__ void begin(u32 slot, const vote& own) const {
    if constexpr (roots_vote) to.set(slot, {0, 0, 0, own.min_y, 0, ~0u, 0});
    else to.set(slot, own);
  }
  // The first vote of a label that nobody else votes for yet.
  __device__ void set(u32 slot, const vote& v) const {
    count(slot);
    to.set(slot, v);
  }

  // For threads whose segments lie in one line, in the order of lanes. `mask` is the threads that call.
  __device__ void cast_detecting(u32 mask, u32 slot, u32 y, u32 begin, u32 end) const {
    line_votes all = line_votes::of(begin, end);
    if (all.gather(mask, slot)) cast_looking(slot, {all.area, u64{y} * all.area, all.sum_x, y, y, begin, all.end - 1});
  }

  // Takes the sums out of one slot and adds them to another. The box stays: to widen another by it twice changes nothing.
  __device__ void move(u32 from, u32 into) const {
    const u32 max_y = device_words{to.max_y}.load(from);
    const u32 min_x = device_words{to.min_x}.load(from), max_x = device_words{to.max_x}.load(from);
    const u32 area = atomicExch(to.area + from, 0);
    const u64 sum_y = atomicExch(reinterpret_cast<unsigned long long*>(to.sum_y + from), 0ull);
    const u64 sum_x = atomicExch(reinterpret_cast<unsigned long long*>(to.sum_x + from), 0ull);
    // Another thread may be between two of its operations on this slot: each item is looked at alone.
    const bool is_update = area != 0 || sum_y != 0 || sum_x != 0;
    if (is_update) set_off(into);
    widen(into, max_y, min_x, max_x);
    if (area != 0) atomicAdd(to.area + into, area);
    if (sum_y != 0) add_u64(to.sum_y + into, sum_y);
    if (sum_x != 0) add_u64(to.sum_x + into, sum_x);
    if (is_update) arrive(into);
  }

  // Algorithm 10. SlotOf turns a label into the place of its features. Who makes a root a child moves what it has gathered:
  // whoever adds to it later finds that it is no root, and moves that on.
  template <reach Reach, class SlotOf>
  __device__ void merge_on_the_fly(label_table table, u32 e1, u32 e2, SlotOf slot_of) const {
    const u32 above_e1 = table.parent(e1), above_e2 = table.parent(e2);  // neither waits for the other
    e1 = table.find(e1, above_e1);
    e2 = table.find(e2, above_e2);
    while (e1 != e2) {
      if (e2 < e1) {
        const u32 larger = e1;
        e1 = e2;
        e2 = larger;
      }
      const u32 e = atomicMin(table.parents + e2, e1);
      if (e == e2) {
        fence<Reach>();
        move(slot_of(e2), slot_of(e1));
        follow<Reach>(table, e1, slot_of);
        return;
      }
      e2 = e;
    }
  }
  // The same for a label that is new and nobody else's, whose parent is known: its features go to the root at once.
  template <reach Reach, class SlotOf>
  __device__ void cast_on_the_fly(label_table table, u32 parent, const vote& v, SlotOf slot_of) const {
    const u32 root = table.find(parent);
    cast_looking(slot_of(root), v);
    follow<Reach>(table, root, slot_of);
  }

 private:
  __device__ void widen(u32 slot, u32 max_y, u32 min_x, u32 max_x) const {
    const u32 old_max_y = device_words{to.max_y}.load(slot);
    const u32 old_min_x = device_words{to.min_x}.load(slot), old_max_x = device_words{to.max_x}.load(slot);
    if (old_max_y < max_y) atomicMax(to.max_y + slot, max_y);
    if (old_min_x > min_x) atomicMin(to.min_x + slot, min_x);
    if (old_max_x < max_x) atomicMax(to.max_x + slot, max_x);
  }
  // What was just added to a label must reach a root.
  template <reach Reach, class SlotOf>
  __device__ void follow(label_table table, u32 e, SlotOf slot_of) const {
    fence<Reach>();
    for (u32 root = table.find(e); root != e; root = table.find(e)) {
      move(slot_of(e), slot_of(root));
      fence<Reach>();
      e = root;
    }
  }
};

// ---- what methods with arrays of features share on the host -----------------------------------------------------------

template <class = void>
__global__ void clear_slots(feature_arrays features, u64 slots) {
  const u64 slot = u64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (slot < slots) features.clear(static_cast<u32>(slot));
}

template <class = void>
__global__ void write_slots(feature_arrays features, u64 slots, const u32* is_component, const u32* ranks,
                            geometry* rows) {
  const u64 slot = u64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (slot < slots && is_component[slot] != 0) rows[ranks[slot]] = features.row(static_cast<u32>(slot));
}

inline void answer_with(device_answer& answer, const feature_arrays& features, u64 slots, cudaStream_t stream) {
  answer.slots = slots;
  answer.arrays = {{features.area, slots * sizeof(u32)},  {features.sum_y, slots * sizeof(u64)},
                   {features.sum_x, slots * sizeof(u64)}, {features.min_y, slots * sizeof(u32)},
                   {features.max_y, slots * sizeof(u32)}, {features.min_x, slots * sizeof(u32)},
                   {features.max_x, slots * sizeof(u32)}};
  answer.write_rows = [=](const u32* is_component, const u32* ranks, geometry* rows) {
    write_slots<><<<blocks_of(slots, usual_threads), usual_threads, 0, stream>>>(features, slots, is_component, ranks, rows);
    check_cuda(cudaGetLastError(), "features");
  };
}

// Room for the votes of a counting build, all 0.
inline vote_counts counts_of(const device_task& work, device_answer& answer, u64 slots) {
  vote_counts counts;
  if (!work.counting) return counts;
  counts.hits = work.memory.take<u32>(slots, "the votes");
  counts.under_way = work.memory.take<u32>(slots, "the votes");
  counts.met = work.memory.take<unsigned long long>(1, "the votes");
  for (u32* const list : {counts.hits, counts.under_way})
    check_cuda(cudaMemsetAsync(list, 0, slots * sizeof(u32), work.stream), "features");
  check_cuda(cudaMemsetAsync(counts.met, 0, sizeof *counts.met, work.stream), "features");
  answer.hits = counts.hits;
  answer.met = counts.met;
  return counts;
}

}  // namespace skerry::published
