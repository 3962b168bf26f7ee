// SPDX-License-Identifier: Apache-2.0
// Columns are written in blocks of rows: a row is read from memory once, however many columns there are.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/portable.hpp"
#include "engine/cpu/new_memory.hpp"
#include "skerry/engine.hpp"
#include "skerry/error.hpp"
#include "skerry/measure.hpp"

namespace skerry {

// A column that is to be written. Values have 8 bytes.
struct written_column {
  // Rows [begin, end), the first of them to `to`. Threads call it for different rows at the same time.
  std::function<void(std::size_t begin, std::size_t end, void* to)> write_rows;
  void* to = nullptr;  // where row 0 goes
};

// Writes all rows of some columns, in this thread.
void write_in_blocks(std::span<const written_column> columns, std::size_t rows);

// The same on the threads of an engine, or in this thread if it is no CPU engine.
void write_in_blocks(engine& on, std::span<const written_column> columns, std::size_t rows);

// The values of one column, in memory of their own.
template <class Value>
[[nodiscard]] std::vector<Value> written_alone(written_column column, std::size_t rows) {
  std::vector<Value> values;
  resize_in_large_pages(values, rows);
  column.to = values.data();
  write_in_blocks({&column, 1}, rows);
  return values;
}

// The column of a place in a table of so many rows: one of two functions makes it.
template <class Numbers, class Integers>
[[nodiscard]] written_column written_to(const column_place& place, std::size_t rows, Numbers numbers,
                                        Integers integers) {
  if (place.numbers != nullptr && place.integers != nullptr)
    throw invalid_argument("columns: '" + std::string(place.name) + "' has two places; give numbers or integers");
  if (place.numbers == nullptr && place.integers == nullptr && rows != 0)
    throw invalid_argument("columns: '" + std::string(place.name) + "' has no place; give numbers or integers");
  written_column found = place.integers != nullptr ? integers() : numbers();
  found.to = place.integers != nullptr ? static_cast<void*>(place.integers) : place.numbers;
  return found;
}

}  // namespace skerry
