// SPDX-License-Identifier: Apache-2.0
// The columns of a table: their names, and how one is found. A table lists what it can give; no engine notices.
#pragma once
#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/portable.hpp"
#include "skerry/error.hpp"

namespace skerry {

// Writes the values of a column in rows [begin, end). `place` counts the columns of a rule; the value of row `begin` goes to `to`.
template <class Table, class Value>
using column_writer = void (*)(const Table&, int place, std::size_t begin, std::size_t end, Value* to);

// A column as numbers, and as integers, which are never negative, where they are such.
template <class Table>
struct column_values {
  column_writer<Table, double> numbers;
  column_writer<Table, u64> integers;

  template <class Value>
  [[nodiscard]] constexpr column_writer<Table, Value> as() const {
    if constexpr (std::is_same_v<Value, u64>) return integers;
    else return numbers;
  }
};

// The fence keeps the compiler from collecting fields of several rows in a vector: g++ 12 then takes three times as long for a box.
template <auto ValueOf, class Value, class Table>
void write_column(const Table& table, int place, std::size_t begin, std::size_t end, Value* to) {
  for (std::size_t row = begin; row < end; ++row) {
    *to++ = static_cast<Value>(ValueOf(table, row, place));
    std::atomic_signal_fence(std::memory_order_release);
  }
}

// The column whose value in a row a function gives. Each has a loop of its own: a call for each row takes longer than most values.
template <auto ValueOf, class Value, class Table>
consteval column_values<Table> column_of(Value (*)(const Table&, std::size_t row, int place)) {
  if constexpr (std::is_same_v<Value, u64>)
    return {write_column<ValueOf, double, Table>, write_column<ValueOf, u64, Table>};
  else return {write_column<ValueOf, double, Table>, nullptr};
}

template <auto ValueOf>
inline constexpr auto each_row = column_of<ValueOf>(ValueOf);

// Of which ranks tables have a column: bits.
constexpr unsigned of_rank(int rank) { return 1U << rank; }
inline constexpr unsigned of_any_rank = ~0U;

template <class Table, class Needs>
struct column_rule {
  std::string_view name;
  column_values<Table> values;
  Needs input{};     // what must have been measured; by default nothing
  int per_axis = 0;  // columns name-0, name-1, …: this many for each axis; 0 for one column without a number
  unsigned ranks = of_any_rank;
};

// Calls visit(column, place, name) for each column that a table of this rank can have.
template <class Column, std::size_t Count, class Visit>
void each_column(const Column (&columns)[Count], int rank, Visit visit) {
  for (const Column& column : columns) {
    if ((column.ranks & of_rank(rank)) == 0) continue;
    if (column.per_axis == 0) visit(column, 0, std::string(column.name));
    for (int place = 0; place < column.per_axis * rank; ++place)
      visit(column, place, std::string(column.name) + "-" + std::to_string(place));
  }
}

// Which of the columns of a rule has that name; -1 for none. No rule has more than ten.
template <class Column>
int place_of(const Column& column, int rank, std::string_view name) {
  if ((column.ranks & of_rank(rank)) == 0 || !name.starts_with(column.name)) return -1;
  const std::string_view number = name.substr(column.name.size());
  if (column.per_axis == 0) return number.empty() ? 0 : -1;
  if (number.size() != 2 || number[0] != '-') return -1;
  const int place = number[1] - '0';
  return place >= 0 && place < column.per_axis * rank ? place : -1;
}

// Calls use(column, place) for the column of that name. Throws invalid_argument when there is none.
template <class Column, std::size_t Count, class Use>
void with_column(const Column (&columns)[Count], int rank, std::string_view name, Use use) {
  for (const Column& column : columns)
    if (const int place = place_of(column, rank, name); place >= 0) return use(column, place);
  throw invalid_argument("name: a table of rank " + std::to_string(rank) + " has no column '" + std::string(name) +
                         "'");
}

[[noreturn]] inline void refuse_integers(std::string_view name) {
  throw invalid_argument("name: the numbers of column '" + std::string(name) + "' are not integers; column() has them");
}

// Refuses a column of numbers that are no integers.
template <class Column>
void require_integers(const Column& column, std::string_view name) {
  if (column.values.integers == nullptr) refuse_integers(name);
}

template <class Column, std::size_t Count>
bool is_integer_among(const Column (&columns)[Count], std::string_view name) {
  for (const Column& column : columns)
    if (place_of(column, 3, name) >= 0) return column.values.integers != nullptr;
  return false;
}

}  // namespace skerry
