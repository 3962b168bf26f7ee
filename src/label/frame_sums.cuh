// SPDX-License-Identifier: Apache-2.0
// One small frame at once, CUDA: what is kept of each component, where it lies, and how pieces are joined.
//
// The components of a block have slots, in no particular order. The first ones lie in its shared memory, where other
// blocks reach them; those that do not fit, in device memory.
#pragma once
#include "label/2_local_features.cuh"
#include "label/frame_block.cuh"

namespace skerry::label_stages::on_device {

inline constexpr u32 is_component = 0x80000000u;  // in `parent`: a component's slot instead of a node

/// A piece of a component: what a node holds in one word.
struct frame_piece {
  u32 first;  // pixel in raster order: row << 13 | x
  u32 area, y, x;
  u32 least_x, most_x, most_y;
};

template <class Shape>
__device__ frame_piece measure_frame_piece(const group_word<Shape>& here, u32 y, u32 x, typename Shape::word reach) {
  frame_piece p;
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

/// Joins a piece into a component in device memory: `link` is its first word, others follow at a distance.
template <bool Features>
__device__ __noinline__ void join_in_device(u32* link, u32 distance, frame_piece p) {
  const auto word = [&](sum_of what) { return link + u64{static_cast<u32>(what)} * distance; };
  atomicMin(word(sum_of::first), p.first);
  if constexpr (Features) {
    atomicAdd(word(sum_of::area), p.area);
    atomicAdd(word(sum_of::y), p.y);
    atomicAdd(word(sum_of::x), p.x);
    atomicMin(word(sum_of::least_x), p.least_x);
    atomicMax(word(sum_of::most_x), p.most_x);
    atomicMax(word(sum_of::most_y), p.most_y);
  }
}

template <class Shape>
struct frame_sums {
  u32* words;       // [sum_of][capacity] in the shared memory of each block
  u32 capacity;
  u32* more;        // [block][sum_of][overflow] in device memory
  u32 overflow, rank;

  __device__ bool in_shared(u32 slot) const { return slot < capacity; }
  __device__ u32* shared_word(sum_of what, u32 slot) const { return words + static_cast<u32>(what) * capacity + slot; }
  __device__ u32* device_word(sum_of what, u32 slot, u32 block) const {
    return more + (u64{block} * sums_of_component + static_cast<u32>(what)) * overflow + (slot - capacity);
  }

  // ---- of this block, between barriers that keep others away ----
  __device__ void set(sum_of what, u32 slot, u32 value) const {
    if (in_shared(slot)) *shared_word(what, slot) = value;
    else __stcg(device_word(what, slot, rank), value);
  }
  __device__ u32 get(sum_of what, u32 slot) const {
    return in_shared(slot) ? *shared_word(what, slot) : __ldcg(device_word(what, slot, rank));
  }

  /// A component without pixels.
  template <bool Features>
  __device__ void clear(u32 slot) const {
    set(sum_of::link, slot, rank << 16 | slot);
    set(sum_of::first, slot, ~0u);
    if constexpr (Features) {
      set(sum_of::area, slot, 0);
      set(sum_of::y, slot, 0);
      set(sum_of::x, slot, 0);
      set(sum_of::least_x, slot, ~0u);
      set(sum_of::most_x, slot, 0);
      set(sum_of::most_y, slot, 0);
    }
  }

  /// Joins a piece into a component of this block; others may do the same.
  template <bool Features>
  __device__ void join(u32 slot, const frame_piece& p) const {
    if (!in_shared(slot)) return join_in_device<Features>(device_word(sum_of::link, slot, rank), overflow, p);
    atomicMin(shared_word(sum_of::first, slot), p.first);
    if constexpr (Features) {
      atomicAdd(shared_word(sum_of::area, slot), p.area);
      atomicAdd(shared_word(sum_of::y, slot), p.y);
      atomicAdd(shared_word(sum_of::x, slot), p.x);
      atomicMin(shared_word(sum_of::least_x, slot), p.least_x);
      atomicMax(shared_word(sum_of::most_x, slot), p.most_x);
      atomicMax(shared_word(sum_of::most_y, slot), p.most_y);
    }
  }

  // ---- of any block: block << 16 | slot ----
  __device__ cluster_word word_in_block(sum_of what, u32 component) const {
    return {shared_word(what, component & 0xffff), component >> 16};
  }
  __device__ u32 load(sum_of what, u32 component) const {
    const u32 slot = component & 0xffff;
    if (in_shared(slot)) return word_in_block(what, component).load();
    return device_words{device_word(what, slot, component >> 16)}.load(0);
  }
  __device__ void store_link(u32 component, u32 value) const {
    const u32 slot = component & 0xffff;
    if (in_shared(slot)) word_in_block(sum_of::link, component).store(value);
    else device_words{device_word(sum_of::link, slot, component >> 16)}.store(0, value);
  }
  __device__ u32 exchange_link_if(u32 component, u32 seen, u32 value) const {
    const u32 slot = component & 0xffff;
    if (in_shared(slot)) return word_in_block(sum_of::link, component).exchange_if(seen, value);
    return device_words{device_word(sum_of::link, slot, component >> 16)}.exchange_if(0, seen, value);
  }
  template <bool Features>
  __device__ void join_from_anywhere(u32 component, const frame_piece& p) const {
    const u32 slot = component & 0xffff;
    if (!in_shared(slot))
      return join_in_device<Features>(device_word(sum_of::link, slot, component >> 16), overflow, p);
    word_in_block(sum_of::first, component).lower(p.first);
    if constexpr (Features) {
      word_in_block(sum_of::area, component).add(p.area);
      word_in_block(sum_of::y, component).add(p.y);
      word_in_block(sum_of::x, component).add(p.x);
      word_in_block(sum_of::least_x, component).lower(p.least_x);
      word_in_block(sum_of::most_x, component).raise(p.most_x);
      word_in_block(sum_of::most_y, component).raise(p.most_y);
    }
  }

  /// Joins two components of any blocks; the earlier one, in the order of strips, becomes the root.
  __device__ void unite(u32 a, u32 b) const {
    u32 above_a = load(sum_of::link, a), above_b = load(sum_of::link, b);
    while (above_a != above_b) {
      if (above_a < above_b) {
        const u32 component = a, above = above_a;
        a = b, above_a = above_b;
        b = component, above_b = above;
      }
      const u32 seen = exchange_link_if(a, above_a, above_b);
      if (seen == above_a && above_a == a) return;
      a = seen;
      above_a = load(sum_of::link, a);
      above_b = load(sum_of::link, b);
    }
  }
};

/// Joins `p` for the lanes where `active`; all lanes of the warp come here together. Pieces of a component that many of them
/// meet are joined in the warp first: many atomics to one word wait for each other.
template <bool Features, class Sums>
__device__ void join_frame_piece(const Sums& sums, bool active, u32 slot, const frame_piece& p) {
  constexpr int worth_it = 4, most_tries = 3;
  const u32 lane = threadIdx.x % 32;
#pragma unroll 1
  for (int tries = 0; tries < most_tries; ++tries) {
    const u32 all = __ballot_sync(~0u, active);
    if (__popc(all) < worth_it) break;
    // From the first lane, then from the last one, and from the first again
    const int chosen = tries % 2 == 0 ? __ffs(all) - 1 : 31 - __clz(all);
    const u32 common = __shfl_sync(~0u, slot, chosen);
    const bool shares = active && slot == common;
    const u32 same = __ballot_sync(~0u, shares);
    if (__popc(same) < worth_it) continue;
    if (shares) {
      frame_piece joined{};
      joined.first = __reduce_min_sync(same, p.first);
      if constexpr (Features) {
        joined.area = __reduce_add_sync(same, p.area);
        joined.y = __reduce_add_sync(same, p.y);
        joined.x = __reduce_add_sync(same, p.x);
        joined.least_x = __reduce_min_sync(same, p.least_x);
        joined.most_x = __reduce_max_sync(same, p.most_x);
        joined.most_y = __reduce_max_sync(same, p.most_y);
      }
      if (static_cast<int>(lane) == __ffs(same) - 1) sums.template join<Features>(slot, joined);
      active = false;
    }
    break;
  }
  if (active) sums.template join<Features>(slot, p);
}

}  // namespace skerry::label_stages::on_device
