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

/// Joins what features need; `with` says how, as in core/feature.hpp.
template <class Record, class Join>
__device__ void join_sums(Record& a, const frame_record& b, Join with) {
  with.sum(a.area, b.area);
  with.sum(a.y, b.y);
  with.sum(a.x, b.x);
  with.least(a.least_x, b.least_x);
  with.most(a.most_x, b.most_x);
  with.most(a.most_y, b.most_y);
}
template <bool Features, class Join>
__device__ void join(frame_record& a, const frame_record& b, Join with) {
  with.least(a.first, b.first);
  if constexpr (Features) join_sums(a, b, with);
}

/// To records that other threads join to at the same time.
struct join_by_atomics {
  __device__ void sum(u32& a, u32 b) const { atomicAdd(&a, b); }
  __device__ void least(u32& a, u32 b) const { atomicMin(&a, b); }
  __device__ void most(u32& a, u32 b) const { atomicMax(&a, b); }
};

/// To the record in the shared memory of any block whose link is known: words that lie there as `like` lies after `first`.
struct join_in_cluster {
  cluster_word link;
  const u32* first;
  __device__ cluster_word word(const u32& like) const { return link.after(static_cast<u32>(&like - first)); }
  __device__ void sum(const u32& like, u32 b) const { word(like).add(b); }
  __device__ void least(const u32& like, u32 b) const { word(like).lower(b); }
  __device__ void most(const u32& like, u32 b) const { word(like).raise(b); }
};

/// The same out of line: rare code between the usual one makes a kernel wait that runs through its code once.
template <bool Features>
__device__ __noinline__ void join_record_in_device(frame_record* to, frame_record p) {
  join<Features>(*to, p, join_by_atomics());
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
    if (in_shared(slot)) skerry::label_stages::on_device::join<Features>(shared[slot], p, join_by_atomics());
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
    if constexpr (Features) join_sums(p, p, join_in_cluster{link, &p.link});
  }
};

}  // namespace skerry::label_stages::on_device
