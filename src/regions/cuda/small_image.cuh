// SPDX-License-Identifier: Apache-2.0
// Geometry of the regions of a small label image whose labels are small numbers, all in one kernel: labels are rows.
//
//   warp   a row of 32 pixels; those of one label add up together
//   block  a tile of 32 x 32 pixels of a slice, with a hash table of its labels
//   grid   tiles add to the rows of labels by atomics; then, behind a barrier, rows go to the host, one word each where they are short
//          (core/short_row.hpp)
//
// Reads   the label image
// Writes  what the host takes; rows are empty before and after, so that no kernel has to empty them
#pragma once
#include "core/short_row.hpp"
#include "engine/cuda/empty_rows.cuh"
#include "engine/cuda/join_rows.cuh"
#include "engine/cuda/shared_words.cuh"
#include "engine/cuda/square_sums.cuh"
#include "engine/cuda/together.cuh"
#include "regions/cuda/numbers.cuh"
#include "regions/small_table.hpp"

namespace skerry::regions::on_device {

inline constexpr u32 square_side = 32, square_threads = square_side * square_side;

/// How an image is cut into squares.
struct square_grid {
  u32 columns, of_slice, squares;
  u32 height, width;

  [[nodiscard]] static square_grid of(const extent& size) {
    const auto parts = [](i64 side) { return static_cast<u32>((side + square_side - 1) / square_side); };
    const u32 columns = parts(size.width), of_slice = columns * parts(size.height);
    return {columns, of_slice, of_slice * static_cast<u32>(size.depth), static_cast<u32>(size.height),
            static_cast<u32>(size.width)};
  }
};

/// Device memory that calls take turns with: each call uses the words of its turn, and clears those of the next one.
struct small_turn {
  u32 end;     // the largest label and one more; capacity + 1 if a label has no row
  u32 listed;  // rows that are not short
};

struct small_work {
  geometry* rows;  // of each label; empty as those of volumes are, whatever the image
  u32 capacity;
  small_turn *own, *next;
  row_frame frame;
  small_table to;  // in memory of the host
};

/// What a square has of each of its labels.
struct square_table {
  static constexpr u32 slot_bits = 11,
                       slots = 1 << slot_bits;  // twice as many as pixels: there is always one that is free
  u32 rows[slots];
  u32 area_x[slots], y[slots], columns[slots], lines[slots];
  u32 end;

  __device__ void clear() {
    for (u32 slot = threadIdx.x; slot < slots; slot += square_threads) {
      rows[slot] = no_row;
      area_x[slot] = y[slot] = columns[slot] = lines[slot] = 0;
    }
  }
  __device__ void add(u32 row, const square_sums& more) {
    const u32 slot = slot_of(row);
    atomicAdd(area_x + slot, more.area_x);
    atomicAdd(y + slot, more.y);
    atomicOr(columns + slot, more.columns);
    atomicOr(lines + slot, more.rows);
  }
  /// Calls write(row, sums) for each row, by all threads.
  template <class Write>
  __device__ void each_row(Write write) const {
    for (u32 slot = threadIdx.x; slot < slots; slot += square_threads)
      if (rows[slot] != no_row) write(rows[slot], square_sums{area_x[slot], y[slot], columns[slot], lines[slot]});
  }

 private:
  __device__ u32 slot_of(u32 row) {
    const block_words taken{rows};
    for (u32 slot = row * 0x9e3779b1u >> (32 - slot_bits);; slot = (slot + 1) % slots) {
      u32 seen = taken.load(slot);
      if (seen == no_row) seen = taken.exchange_if(slot, no_row, row);
      if (seen == no_row || seen == row) return slot;
    }
  }
};

/// Adds a square to the rows of its labels; returns to each thread the end of the labels that it has seen. With barriers.
template <class Label>
__device__ u32 add_square(const label_source& from, const square_grid& grid,
                          const background_test<Label>& is_background, const small_work& work, u32 square,
                          square_table& table) {
  const u32 z = square / grid.of_slice, in_slice = square % grid.of_slice;
  const u32 y0 = in_slice / grid.columns * square_side, x0 = in_slice % grid.columns * square_side;
  const u32 line = threadIdx.x / square_side, y = y0 + line, x = x0 + lane_of_thread();
  table.clear();
  u32 row = no_row, end = 0;
  if (y < grid.height && x < grid.width) {
    const Label label = from.at<Label>({z, y, x});
    if (!is_background(label)) {
      row = label < work.capacity ? static_cast<u32>(label) : no_row;
      end = row != no_row ? row + 1 : work.capacity + 1;
    }
  }
  const u32 same = __match_any_sync(~0u, row);
  __syncthreads();
  if (row != no_row && is_first_of(same)) table.add(row, square_sums::of_row(same, line));
  __syncthreads();
  table.each_row([&](u32 to, const square_sums& sums) {
    const geometry part = sums.placed(z, y0, x0);
    if (work.frame.rank == 3) join<3>(work.rows[to], part, join_at_once());
    else join<2>(work.rows[to], part, join_at_once());
  });
  __syncthreads();
  return end;
}

/// Gives rows before `end` to the host, and empties them.
__device__ inline void give_rows(const small_work& work, u32 end) {
  const geometry nothing = empty_geometry(3);
  const u32 threads = gridDim.x * square_threads;
  for (u32 row = blockIdx.x * square_threads + threadIdx.x; row < end; row += threads) {
    geometry found = work.rows[row];
    if (work.frame.rank == 2) found.min[0] = found.max[0] = 0;
    u64 word = no_short_row;
    if (found.area != 0) {
      word = short_row(found, work.frame);
      if (is_listed(word)) {
        const u32 place = atomicAdd(&work.own->listed, 1u);
        work.to.list[place] = found;
        word = listed_row(place);
      }
      work.rows[row] = nothing;
    }
    work.to.words[row] = word;
  }
}

template <class Label>
__global__ void __launch_bounds__(square_threads, 1)
    measure_small_image_kernel(const label_source from, const square_grid grid,
                               const background_test<Label> is_background, const small_work work) {
  __shared__ square_table table;
  const blocks_of_grid all;
  if (threadIdx.x == 0) table.end = 0;
  u32 end = 0;
  for (u32 square = blockIdx.x; square < grid.squares; square += gridDim.x)
    end = max(end, add_square(from, grid, is_background, work, square, table));
  end = __reduce_max_sync(~0u, end);
  if (lane_of_thread() == 0) atomicMax(&table.end, end);
  __syncthreads();
  if (threadIdx.x == 0 && table.end != 0) atomicMax(&work.own->end, table.end);
  all.wait(all.arrive());
  end = device_words{&work.own->end}.load(0);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *work.to.end = end;
    *work.next = {0, 0};
  }
  if (end <= work.capacity) return give_rows(work, end);
  write_empty_rows(work.rows, work.capacity, empty_geometry(3));
}

}  // namespace skerry::regions::on_device
