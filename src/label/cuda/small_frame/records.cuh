// SPDX-License-Identifier: Apache-2.0
// One small frame at once, CUDA: what is kept of each component, where it lies, and how pieces are joined.
//
// The components of a block have slots, in no particular order. The first ones lie in its shared memory, where other
// blocks reach them; those that do not fit, in device memory, where only what is asked for has room.
#pragma once
#include "label/cuda/small_frame/block.cuh"
#include "label/cuda/tiles/measure.cuh"

namespace skerry::label_stages::on_device {

inline constexpr u32 is_component = 0x80000000u;  // in `parent`: a component's slot instead of a node

/// A record of what a node holds in one word; it has no link.
template <class Shape>
__device__ frame_record measure_frame_piece(const group_word<Shape>& here, u32 y, u32 x, typename Shape::word reach) {
  frame_record p;
  const typename Shape::word upper = here.row[0] & reach, lower = here.row[Shape::group_rows - 1] & reach;
  const typename Shape::word all = upper | lower;
  const u32 low = lowest_bit(all), high = highest_bit(all), count = count_bits(upper);
  p.least_x = x + low, p.most_x = x + high;
  if constexpr (Shape::group_rows == 1) {
    p.first = y << 13 | p.least_x;
    p.area = count;
    p.x = count * (2 * x + low + high) / 2;
    p.y = count * y;
    p.most_y = y;
  } else {
    const u32 count_lower = count_bits(lower);
    p.first = upper != 0 ? y << 13 | (x + lowest_bit(upper)) : (y + 1) << 13 | p.least_x;
    p.area = count + count_lower;
    p.x = p.area * x + sum_of_places(upper, lower);
    p.y = p.area * y + count_lower;
    p.most_y = y + (lower != 0);
  }
  return p;
}

/// Joins a piece into a record of this block or of device memory.
template <bool Features>
__device__ void join_record(frame_record* to, const frame_record& p) {
  atomicMin(&to->first, p.first);
  if constexpr (Features) {
    atomicAdd(&to->area, p.area);
    atomicAdd(&to->y, p.y);
    atomicAdd(&to->x, p.x);
    atomicMin(&to->least_x, p.least_x);
    atomicMax(&to->most_x, p.most_x);
    atomicMax(&to->most_y, p.most_y);
  }
}

/// The same out of line: rare code between the usual one makes a kernel wait that runs through its code once.
template <bool Features>
__device__ __noinline__ void join_record_in_device(frame_record* to, frame_record p) {
  join_record<Features>(to, p);
}

struct frame_records {
  padded_record* shared;  // [capacity] in the shared memory of each block
  u32 capacity;
  u32* device;  // [block][overflow][words_in_device]
  u32 overflow, words_in_device, rank;

  __device__ bool in_shared(u32 slot) const { return slot < capacity; }
  __device__ frame_record* in_device(u32 component) const {
    const u64 place = u64{component >> 16} * overflow + ((component & 0xffff) - capacity);
    return reinterpret_cast<frame_record*>(device + place * words_in_device);
  }
  __device__ u32 name_of(u32 slot) const { return rank << 16 | slot; }

  // ---- of this block, between barriers that keep others away ----
  __device__ frame_record get(u32 slot) const {
    if (in_shared(slot)) return shared[slot];
    const frame_record* from = in_device(name_of(slot));
    const uint2 head = __ldcg(reinterpret_cast<const uint2*>(from));
    if (words_in_device == 2) return {head.x, head.y};
    const uint2 area_y = __ldcg(reinterpret_cast<const uint2*>(&from->area));
    const uint4 rest = __ldcg(reinterpret_cast<const uint4*>(&from->x));
    return {head.x, head.y, area_y.x, area_y.y, rest.x, rest.y, rest.z, rest.w};
  }
  __device__ void set_link(u32 slot, u32 value) const {
    if (in_shared(slot)) shared[slot].link = value;
    else __stcg(&in_device(name_of(slot))->link, value);
  }
  __device__ u32 get_link(u32 slot) const {
    return in_shared(slot) ? shared[slot].link : __ldcg(&in_device(name_of(slot))->link);
  }

  /// A component without pixels.
  __device__ void clear(u32 slot) const {
    if (in_shared(slot)) {
      static_cast<frame_record&>(shared[slot]) = {name_of(slot), ~0u, 0, 0, 0, ~0u, 0, 0};
    } else {
      frame_record* to = in_device(name_of(slot));
      __stcg(reinterpret_cast<uint2*>(to), make_uint2(name_of(slot), ~0u));
      if (words_in_device == 2) return;
      __stcg(reinterpret_cast<uint2*>(&to->area), make_uint2(0, 0));
      __stcg(reinterpret_cast<uint4*>(&to->x), make_uint4(0, ~0u, 0, 0));
    }
  }

  /// Joins a piece into a component of this block; others may do the same.
  template <bool Features>
  __device__ void join(u32 slot, const frame_record& p) const {
    if (in_shared(slot)) join_record<Features>(shared + slot, p);
    else join_record_in_device<Features>(in_device(name_of(slot)), p);
  }

  // ---- of any block: block << 16 | slot; load, store and exchange_if are of links ----
  __device__ cluster_word link_in_block(u32 component) const {
    return {&shared[component & 0xffff].link, component >> 16};
  }
  __device__ u32 load(u32 component) const {
    if (in_shared(component & 0xffff)) return link_in_block(component).load();
    return device_words{&in_device(component)->link}.load(0);
  }
  __device__ void store(u32 component, u32 value) const {
    if (in_shared(component & 0xffff)) link_in_block(component).store(value);
    else device_words{&in_device(component)->link}.store(0, value);
  }
  __device__ u32 exchange_if(u32 component, u32 seen, u32 value) const {
    if (in_shared(component & 0xffff)) return link_in_block(component).exchange_if(seen, value);
    return device_words{&in_device(component)->link}.exchange_if(0, seen, value);
  }
  template <bool Features>
  __device__ void join_from_anywhere(u32 component, const frame_record& p) const {
    if (!in_shared(component & 0xffff)) return join_record_in_device<Features>(in_device(component), p);
    const cluster_word link = link_in_block(component);
    if (component >> 16 == rank) link.after(1).lower(p.first);  // otherwise it is later than the root's
    if constexpr (Features) {
      link.after(2).add(p.area);
      link.after(3).add(p.y);
      link.after(4).add(p.x);
      link.after(5).lower(p.least_x);
      link.after(6).raise(p.most_x);
      link.after(7).raise(p.most_y);
    }
  }
};

/// Joins `p` for the lanes where `active`; all lanes of the warp come here together. If many of them meet the component of
/// the first one, their pieces are joined in the warp: atomics to one word wait for each other.
template <bool Features>
__device__ void join_frame_piece(const frame_records& records, bool active, u32 slot, const frame_record& p) {
  constexpr int worth_it = 8;
  const u32 all = __ballot_sync(~0u, active);
  const u32 common = __shfl_sync(~0u, slot, __ffs(all) - 1);
  const u32 same = __ballot_sync(~0u, active && slot == common);
  if (__popc(same) >= worth_it && (same >> threadIdx.x % 32 & 1)) {
    frame_record joined{};
    joined.first = __reduce_min_sync(same, p.first);
    if constexpr (Features) {
      joined.area = __reduce_add_sync(same, p.area);
      joined.y = __reduce_add_sync(same, p.y);
      joined.x = __reduce_add_sync(same, p.x);
      joined.least_x = __reduce_min_sync(same, p.least_x);
      joined.most_x = __reduce_max_sync(same, p.most_x);
      joined.most_y = __reduce_max_sync(same, p.most_y);
    }
    if (static_cast<int>(threadIdx.x % 32) == __ffs(same) - 1) records.join<Features>(common, joined);
  } else if (active) {
    records.join<Features>(slot, p);
  }
}

}  // namespace skerry::label_stages::on_device
