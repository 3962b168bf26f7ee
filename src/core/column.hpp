// SPDX-License-Identifier: Apache-2.0
// The columns of a table: their names, and how one is found. A table lists what it can give; no engine notices.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "core/portable.hpp"
#include "skerry/error.hpp"

namespace skerry {

// The value of a column in a row: a number, or an integer, which is never negative. `place` counts the columns of a rule.
template <class Table>
struct column_value {
  using of_number = double (*)(const Table&, std::size_t row, int place);
  using of_integer = u64 (*)(const Table&, std::size_t row, int place);

  constexpr column_value(of_number value) : number(value) {}    // NOLINT: rules are written as tables
  constexpr column_value(of_integer value) : integer(value) {}  // NOLINT

  [[nodiscard]] double operator()(const Table& table, std::size_t row, int place) const {
    return integer != nullptr ? static_cast<double>(integer(table, row, place)) : number(table, row, place);
  }

  of_number number = nullptr;
  of_integer integer = nullptr;
};

// Of which ranks tables have a column: bits.
constexpr unsigned of_rank(int rank) { return 1U << rank; }
inline constexpr unsigned of_any_rank = ~0U;

template <class Table, class Needs>
struct column_rule {
  std::string_view name;
  column_value<Table> value;
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

// Calls use(column, place) for the column of that name. Throws invalid_argument when there is none.
template <class Column, std::size_t Count, class Use>
void with_column(const Column (&columns)[Count], int rank, std::string_view name, Use use) {
  bool found = false;
  each_column(columns, rank, [&](const Column& column, int place, const std::string& column_name) {
    if (column_name != name) return;
    found = true;
    use(column, place);
  });
  if (!found)
    throw invalid_argument("name: a table of rank " + std::to_string(rank) + " has no column '" + std::string(name) +
                           "'");
}

// Refuses a column of numbers that are no integers.
template <class Column>
void require_integers(const Column& column, std::string_view name) {
  if (column.value.integer == nullptr)
    throw invalid_argument("name: the numbers of column '" + std::string(name) +
                           "' are not integers; column() has them");
}

template <class Column, std::size_t Count>
bool is_integer_among(const Column (&columns)[Count], std::string_view name) {
  bool integer = false;
  each_column(columns, 3, [&](const Column& column, int, const std::string& column_name) {
    if (column_name == name) integer = column.value.integer != nullptr;
  });
  return integer;
}

}  // namespace skerry
