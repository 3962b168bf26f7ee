// SPDX-License-Identifier: Apache-2.0
// A frame whose tiles all run at once, CUDA: features of its components.
//
// Reads   the runs of a tile and their components
// Writes  rows of the table
// Needs   one more barrier of the grid, between what tiles give to roots and the rows of these
// Method  pieces are summed as in stage 2: once, if there is room for all components of the tile, else those inside it when the rows
//         are known. They never leave shared memory. Sums of border components meet in device memory, at the roots
#pragma once
#include "label/cuda/resident/numbers.cuh"
#include "label/cuda/tiles/measure.cuh"

namespace skerry::label_stages::on_device {

template <class Shape>
struct resident_features {
  using block_type = resident_block<Shape, with_features>;
  using word = typename Shape::word;
  static constexpr int threads = Shape::group_words, words_of_row = sizeof(geometry) / 8;
  static constexpr u32 nothing = ~0u, at_once = component_sums<Shape>::capacity;
  const block_type& block;
  const resident_numbers<Shape, with_features>& numbers;
  const frame_target& to;
  const component_sums<Shape> sums;
  u64* const staged;  // [threads][words_of_row]

  __device__ resident_features(const resident_numbers<Shape, with_features>& n, const frame_target& target)
      : block(n.block), numbers(n), to(target), sums(n.memory.tile.sums),
        staged(n.memory.staged + (n.thread - n.block.lane) * words_of_row) {}

  /// Sums the pieces of the components with slots below `count`; slot_of(link of the root) says which. With barriers.
  template <class SlotOf>
  __device__ void sum(u32 count, const SlotOf& slot_of) const {
    sums.clear(block.thread, count);
    __syncthreads();
    each_bit_together(static_cast<word>((block.starts | (block.here.any() & 1)) & ~block.lone),
                      [&](bool active, word bit) {
                        u32 slot = 0;
                        piece p{};
                        if (active) {
                          const u32 run = block.own().at(bit), root = block.root_of(run);
                          slot = slot_of(block.parent.load(root));
                          active = slot < count;
                          if (active) {
                            if (run == root && (block.starts & bit)) sums.set_root(slot, run);
                            p = measure_piece<Shape>(block.here, block.group, block.column, block.reach_of(bit));
                          }
                        }
                        join_by_place(
                            part_on_its_way<piece>{active, slot, p}, 5,
                            [](piece& a, const piece& b, auto with) { join<Shape>(a, b, with); },
                            [&](u32 place, const piece& part) { sums.add(place, part); });
                      });
    __syncthreads();
  }

  /// Components that touch other tiles have the first slots; inner ones, which are numbered from the last run down, the others, if
  /// there is room for all.
  __device__ bool all_fit() const { return block.border + block.inner <= at_once; }
  __device__ u32 inner_place(u32 number) const { return block.runs - 1 - number; }
  __device__ void sum_first() const {
    sum(block.border + (all_fit() ? block.inner : 0), [&](u32 root) {
      if (root & alone) return nothing;
      const u32 number = number_in(root);
      return number < block.border ? number : block.border + inner_place(number);
    });
    for (u32 number = block.thread; number < block.border; number += threads) {
      const u32 first = block.parent.load(block.memory.border_run[number]) & 0x1fff;
      block.out.features[block.first_node() + number] = place<Shape>(packed<Shape>(sums.get(number), first), block.at);
    }
  }

  /// What this tile has of components that are rooted elsewhere.
  __device__ void give_to_roots(feature_cache<Shape, with_features>& cache) const {
    for (u32 number = block.thread; number < block.border; number += threads) {
      const u32 root = block.memory.root_node[number], node = block.first_node() + number;
      if (root != node) cache.add(block.out.features, root, block.out.features[node]);
    }
  }

  /// A row of each thread that has one, written by a thread for each word. By a whole warp.
  __device__ void write(u32 row, const geometry& features) const {
    if (row != nothing) {
#pragma unroll
      for (int k = 0; k < words_of_row; ++k)
        staged[block.lane * words_of_row + k] = reinterpret_cast<const u64*>(&features)[k];
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < words_of_row; ++k) {
      const u32 at = k * 32 + block.lane, owner = at / words_of_row, other = __shfl_sync(~0u, row, owner);
      if (other < to.row_capacity) reinterpret_cast<u64*>(to.rows + other)[at % words_of_row] = staged[at];
    }
    __syncwarp();
  }

  __device__ void write_lone() const {
    each_bit_together(block.lone, [&](bool active, word bit) {
      u32 row = nothing;
      geometry features{};
      if (active) {
        const u32 first = block.parent.load(block.own().at(bit)) & 0x1fff;
        row = numbers.rank_of(first);
        features = place<Shape>(
            packed<Shape>(measure_piece<Shape>(block.here, block.group, block.column, block.reach_of(bit)), first),
            block.at);
      }
      write(row, features);
    });
  }

  /// Rows of the components inside the tile that have these slots.
  __device__ void write_slots(u32 begin, u32 count) const {
    for (u32 k = block.thread - block.lane; k < count; k += threads) {
      const u32 slot = begin + k + block.lane;
      u32 row = nothing;
      geometry features{};
      if (k + block.lane < count) {
        const u32 first = block.parent.load(sums.root(slot)) & 0x1fff;
        row = numbers.rank_of(first);
        features = place<Shape>(packed<Shape>(sums.get(slot), first), block.at);
      }
      write(row, features);
    }
  }
  __device__ void write_inner() const {
    if (all_fit()) return write_slots(block.border, block.inner);
    for (u32 begin = 0; begin < block.inner; begin += at_once) {
      const u32 count = min(block.inner - begin, at_once);
      sum(count, [&](u32 root) {
        return root & alone || number_in(root) < block.border ? nothing : inner_place(number_in(root)) - begin;
      });
      write_slots(0, count);
      __syncthreads();
    }
  }

  __device__ void write_border() const {
    for (u32 k = block.thread - block.lane; k < block.border; k += threads) {
      const u32 number = k + block.lane, node = block.first_node() + number;
      u32 row = nothing;
      geometry features{};
      if (number < block.border && block.memory.root_node[number] == node) {
        row = numbers.rank_of(block.parent.load(block.memory.border_run[number]) & 0x1fff);
        const u64* from = reinterpret_cast<const u64*>(block.out.features + node);
#pragma unroll
        for (int w = 0; w < words_of_row; ++w) reinterpret_cast<u64*>(&features)[w] = __ldcg(from + w);
      }
      write(row, features);
    }
  }
};

}  // namespace skerry::label_stages::on_device
