// SPDX-License-Identifier: Apache-2.0
// One small frame at once, CUDA: numbers the components, writes the table and the label image.
//
// Reads   records of roots, parent, bits
// Writes  rows of the table, offsets, overflow, the label image, packed labels
// Needs   for labels two more barriers of the cluster
// Method  a bit at each first pixel; a component's number is the number of bits before its own in raster order
#pragma once
#include "core/feature.hpp"
#include "core/packed_word.hpp"
#include "label/cuda/emit/labels.cuh"
#include "label/cuda/scratch_layout.cuh"
#include "label/cuda/small_frame/components.cuh"

namespace skerry::label_stages::on_device {

struct frame_target {
  geometry* rows;
  u64 row_capacity;
  u64* offsets;            // or null
  char* labels;            // or null
  i64 labels_y, labels_x;  // bytes
  u32 label_bytes;
  bool dense;     // neighbouring pixels are neighbours, and four of them start at a multiple of their size, or of 16
  u32* overflow;  // or null
  u64 most_labels;
  cuda::packed_labels packed;  // or nulls
  u32 packed_columns;          // words in a row of them

  __host__ static frame_target of(const cuda::label_job& work) {
    const mutable_image& labels = work.labels;
    const auto bytes = static_cast<u32>(size_of(labels.type));
    const i64 align = bytes < 4 ? 4 * bytes : 16;
    const bool dense = labels.strides.x == bytes && labels.strides.y % align == 0 &&
                       reinterpret_cast<std::uintptr_t>(labels.data) % static_cast<u64>(align) == 0;
    return {
        work.rows,        work.row_capacity, work.offsets, static_cast<char*>(labels.data),
        labels.strides.y, labels.strides.x,  bytes,        dense,
        work.overflow,    label_limit(work), work.packed,  static_cast<u32>(packed_words_for(work.image.size.width))};
  }
  __device__ bool wants_labels() const { return labels != nullptr || packed.bits != nullptr; }
  /// As label images of large images have them.
  template <class Label>
  __device__ label_target<Label> labels_as() const {
    return {labels, {0, labels_y, labels_x}, labels_x == sizeof(Label), dense};
  }
  __device__ char* label_place(i32 y, i32 x) const { return labels + y * labels_y + x * labels_x; }

  /// Writes that there are `all` components; by all threads of one block.
  __device__ void write_counts(u32 all, bool with_rows) const {
    if (threadIdx.x > 1) return;
    if (offsets != nullptr) offsets[threadIdx.x] = threadIdx.x == 0 ? 0 : all;
    if (overflow == nullptr || threadIdx.x > 0) return;
    const bool too_many_rows = with_rows && all > row_capacity;
    *overflow = (too_many_rows ? cuda::rows_overflow : 0) | (all > most_labels ? cuda::labels_overflow : 0);
  }
};

__device__ inline void store_label(const frame_target& to, char* at, u32 label) {
  switch (to.label_bytes) {
    case 1: return store_one<u8>(at, label);
    case 2: return store_one<u16>(at, label);
    case 4: return store_one<u32>(at, label);
    default: return store_one<u64>(at, label);
  }
}

/// Four neighbouring pixels. Whether they are stored at once is asked first: it is the same for nearly all.
__device__ inline void store_labels(const frame_target& to, i32 y, i32 x, i32 width, const u32 (&labels)[4]) {
  char* at = to.label_place(y, x);
  if (to.dense && x + 4 <= width) {
    switch (to.label_bytes) {
      case 1: return store_four<u8>(at, labels);
      case 2: return store_four<u16>(at, labels);
      case 4: return store_four<u32>(at, labels);
      default: return store_four<u64>(at, labels);
    }
  }
#pragma unroll
  for (int k = 0; k < 4; ++k, at += to.labels_x) {
    if (x + k >= width) return;
    store_label(to, at, labels[k]);
  }
}

template <class Shape, bool Features>
struct frame_emitter {
  using word = typename Shape::word;
  const frame_components<Shape, Features>& components;
  const frame_block<Shape>& block;
  const frame_records& records;
  frame_counters& counters;
  const frame_target& to;
  const u32 first_row;  // of the strip

  __device__ frame_emitter(const frame_components<Shape, Features>& c, const frame_target& target)
      : components(c), block(c.block), records(c.records), counters(c.counters), to(target),
        first_row(c.block.rank * c.block.plan.groups * Shape::group_rows) {}

  /// Word of `first_bits` and bit in it of a component's first pixel.
  __device__ u32 place_of(u32 first) const {
    return ((first >> 13) - first_row) * block.plan.columns * Shape::word_bits + (first & 0x1fff);
  }

  __device__ void mark_first_pixels() const {
    for (u32 slot = block.thread; slot < counters.slots; slot += block.plan.threads) {
      const frame_record all = records.get(slot);
      if (all.link != records.name_of(slot)) continue;
      const u32 place = place_of(all.first);
      atomicOr(block.memory.first_bits + place / 32, 1u << place % 32);
    }
  }

  __device__ u64 two_words(u32 k) const { return reinterpret_cast<const u64*>(block.memory.first_bits)[k]; }

  /// Counts the bits before each pair of words; with a barrier in it.
  __device__ void count_bits_before() const {
    const u32 count = __popcll(two_words(block.thread)), sum = sum_up_to_thread(count), warp = block.thread / 32;
    if (block.lane == 31) counters.warp_total[warp] = sum;
    __syncthreads();
    const u32 before = __reduce_add_sync(~0u, block.lane < warp ? counters.warp_total[block.lane] : 0);
    block.memory.rank[block.thread] = before + sum - count;
  }

  __device__ u32 rank_of(u32 first) const {
    const u32 place = place_of(first);
    return block.memory.rank[place / 64] + __popcll(two_words(place / 64) & ((u64{1} << place % 64) - 1));
  }

  /// Components rooted in earlier blocks, and in all.
  __device__ u32 roots_before(u32& all) const {
    const u32 in_block = block.lane < block.plan.blocks ? counters.roots_of[block.lane] : 0;
    all = __reduce_add_sync(~0u, in_block);
    return __reduce_add_sync(~0u, block.lane < block.rank ? in_block : 0);
  }

  __device__ void write_counts(u32 all) const {
    if (block.rank == 0) to.write_counts(all, Features);
  }

  /// Gives each root its rank, in place of its link, and writes its row.
  __device__ void number_components(u32 before) const {
    const u32 slots = counters.slots;
    if (slots > block.plan.threads && !to.wants_labels()) return number_many(before, slots);
    for (u32 slot = block.thread; slot < slots; slot += block.plan.threads) {
      const frame_record all = records.get(slot);
      if (all.link != records.name_of(slot)) continue;
      const u32 rank = before + rank_of(all.first);
      if (to.wants_labels()) records.set_link(slot, is_component | rank);
      if (Features && rank < to.row_capacity) write_row(reinterpret_cast<u64*>(to.rows + rank), all);
    }
  }

  /// Rows of the components of a warp, or of half of it, are put together where its parents were, and written side by side:
  /// components that follow each other have slots that mostly do, and memory is filled by whole sectors.
  __device__ void number_many(u32 before, u32 slots) const {
    constexpr u32 words_per_row = sizeof(geometry) / 8, bytes_of_warp = 32 * Shape::nodes_of_word * sizeof(u32);
    constexpr u32 at_once = bytes_of_warp >= 32 * sizeof(geometry) ? 32 : 16;
    static_assert(bytes_of_warp >= at_once * sizeof(geometry));
    if constexpr (!Features) return;
    u64* staged = reinterpret_cast<u64*>(block.memory.parent + (block.thread - block.lane) * Shape::nodes_of_word);
    for (u32 begin = block.thread - block.lane; begin < slots; begin += block.plan.threads) {
      const u32 slot = begin + block.lane;
      const frame_record all = slot < slots ? records.get(slot) : frame_record{};
      const bool exists = slot < slots && all.link == records.name_of(slot);
      const u32 rank = exists ? before + rank_of(all.first) : ~0u;
#pragma unroll
      for (u32 first = 0; first < 32; first += at_once) {
        const bool mine = block.lane - first < at_once;
        if (mine && exists) write_row(staged + (block.lane - first) * words_per_row, all);
        __syncwarp();
#pragma unroll
        for (u32 word = block.lane; word - block.lane < at_once * words_per_row; word += 32) {
          const u32 row = __shfl_sync(~0u, rank, (first + word / words_per_row) % 32);
          if (word < at_once * words_per_row && row != ~0u && row < to.row_capacity)
            reinterpret_cast<u64*>(to.rows + row)[word % words_per_row] = staged[word];
        }
        __syncwarp();
      }
    }
  }

  __device__ static void write_row(u64* at, const frame_record& c) {
    geometry row = empty_geometry(2);
    row.area = c.area;
    row.sum[1] = c.y;
    row.sum[2] = c.x;
    row.min[1] = static_cast<i32>(c.first >> 13), row.max[1] = static_cast<i32>(c.most_y);
    row.min[2] = static_cast<i32>(c.least_x), row.max[2] = static_cast<i32>(c.most_x);
    const u64* const words = reinterpret_cast<const u64*>(&row);
#pragma unroll
    for (u32 k = 0; k < sizeof(geometry) / 8; ++k) at[k] = words[k];
  }

  /// Parts of components that are rooted in other strips.
  __device__ void label_others() const {
    for (u32 slot = block.thread; slot < counters.slots; slot += block.plan.threads) {
      const u32 link = records.get_link(slot);
      if (!(link & is_component)) records.set_link(slot, records.load(link));
    }
  }

  /// The words of a warp are written by all of its lanes, four pixels by each.
  __device__ void write_labels() const {
    constexpr u32 lanes_of_word = Shape::word_bits / 4, at_once = 32 / lanes_of_word;
    const u32 shift = block.lane % lanes_of_word * 4;
    for (u32 begin = 0; begin < 32; begin += at_once) {
      const u32 from = begin + block.lane / lanes_of_word;
      const u32 y = __shfl_sync(~0u, components.y, from), x = __shfl_sync(~0u, components.x, from) + shift;
      const bool inside = __shfl_sync(~0u, block.inside, from);
      frame_nodes<word> nodes;
      nodes.starts = __shfl_sync(~0u, block.own.starts, from);
      nodes.first = __shfl_sync(~0u, block.own.first, from);
      nodes.entering = __shfl_sync(~0u, block.own.entering, from);
#pragma unroll
      for (int k = 0; k < Shape::group_rows; ++k) {
        const u32 bits = static_cast<u32>(__shfl_sync(~0u, block.here.row[k], from) >> shift) & 0xf;
        if (!inside || static_cast<i32>(y) + k >= block.plan.height || static_cast<i32>(x) >= block.plan.width)
          continue;
        u32 labels[4];
#pragma unroll
        for (int p = 0; p < 4; ++p)
          labels[p] = bits >> p & 1
                          ? (records.get_link(components.slot_of(nodes.at(word{1} << (shift + p)))) & ~is_component) + 1
                          : 0;
        store_labels(to, static_cast<i32>(y) + k, static_cast<i32>(x), block.plan.width, labels);
      }
    }
  }

  /// Each thread writes its own words of packed labels.
  __device__ void write_packed() const {
    if constexpr (Shape::halves > 0) write_packed_words();
  }
  __device__ void write_packed_words() const {
    const u64 words = u64{to.packed_columns} * static_cast<u32>(block.plan.height);
    if (!block.inside) return;
#pragma unroll
    for (u32 k = 0; k < Shape::group_rows; ++k)
#pragma unroll
      for (u32 half = 0; half < Shape::halves; ++half) {
        const u32 y = components.y + k, column = block.column * Shape::halves + half;
        if (y >= static_cast<u32>(block.plan.height) || column >= to.packed_columns) continue;
        const u64 place = u64{y} * to.packed_columns + column;
        u32 rest = static_cast<u32>(block.here.row[k] >> (32 * half));
        to.packed.bits[place] = rest;
        for (u32* label = to.packed.labels + place; rest != 0; label += words) {
          const u32 ones = lowest_stretch(rest);
          rest ^= ones;
          const u32 node = block.own.at(word{ones & -ones} << (32 * half));
          *label = (records.get_link(components.slot_of(node)) & ~is_component) + 1;
        }
      }
  }
};

}  // namespace skerry::label_stages::on_device
