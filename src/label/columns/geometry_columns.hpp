// SPDX-License-Identifier: Apache-2.0
// Columns of the geometry of rows, which tables of millions of components are asked for most.
#pragma once
#include <atomic>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "core/column.hpp"
#include "core/derived.hpp"
#include "skerry/measure.hpp"

namespace skerry {

// What a function gives for each of some rows. The fence is that of write_column().
template <class Value, class Of>
void write_each(const geometry* rows, std::size_t count, Value* to, Of of) {
  constexpr std::size_t rows_at_once = 8;  // a step of a loop takes longer than a value
  const auto write = [&](std::size_t row) {
    to[row] = static_cast<Value>(of(rows[row]));
    std::atomic_signal_fence(std::memory_order_release);
  };
  std::size_t row = 0;
  for (; row + rows_at_once <= count; row += rows_at_once) [&]<std::size_t... each>(std::index_sequence<each...>) {
      (write(row + each), ...);
    }
  (std::make_index_sequence<rows_at_once>());
  for (; row < count; ++row) write(row);
}

template <class Value>
void write_areas(const feature_table& table, int, std::size_t begin, std::size_t end, Value* to) {
  write_each(table.components.data() + begin, end - begin, to, [](const geometry& g) { return g.area; });
}

// Half-open: minima, then maxima plus 1, as side_of_box().
template <class Value>
void write_sides(const feature_table& table, int place, std::size_t begin, std::size_t end, Value* to) {
  const geometry* const rows = table.components.data() + begin;
  const int rank = table.rank;
  if (place < rank)
    write_each(rows, end - begin, to,
               [axis = axis_of(rank, place)](const geometry& g) { return static_cast<u64>(g.min[axis]); });
  else
    write_each(rows, end - begin, to,
               [axis = axis_of(rank, place - rank)](const geometry& g) { return static_cast<u64>(g.max[axis]) + 1; });
}

template <class Value>
void write_coordinate_sums(const feature_table& table, int place, std::size_t begin, std::size_t end, Value* to) {
  write_each(table.components.data() + begin, end - begin, to,
             [axis = axis_of(table.rank, place)](const geometry& g) { return g.sum[axis]; });
}

// Compiled once for each instruction set: a quotient takes a processor as long as several others at once.
void write_centroids(const feature_table& table, int place, std::size_t begin, std::size_t end, double* to);

inline constexpr column_values<feature_table> areas = {write_areas<double>, write_areas<u64>},
                                              sides_of_boxes = {write_sides<double>, write_sides<u64>},
                                              coordinate_sums = {write_coordinate_sums<double>,
                                                                 write_coordinate_sums<u64>},
                                              centroids = {write_centroids, nullptr};

}  // namespace skerry
