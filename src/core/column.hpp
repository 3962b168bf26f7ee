// SPDX-License-Identifier: Apache-2.0
// The columns of a table: their names, and how one is found. A table lists what it can give; no engine notices.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "skerry/error.hpp"

namespace skerry {

template <class Value, class Needs>
struct column_rule {
  std::string_view name;
  Value value;
  Needs input{};     // what must have been measured; by default nothing
  int per_axis = 0;  // columns name-0, name-1, …: this many for each axis; 0 for one column without a number
  bool integer = false;
  int only_rank = 0;  // 0: of any
};

// Calls visit(column, place, name) for each column that a table of this rank can have.
template <class Column, std::size_t Count, class Visit>
void each_column(const Column (&columns)[Count], int rank, Visit visit) {
  for (const Column& column : columns) {
    if (column.only_rank != 0 && column.only_rank != rank) continue;
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

template <class Column, std::size_t Count>
bool is_integer_among(const Column (&columns)[Count], std::string_view name) {
  bool integer = false;
  each_column(columns, 3, [&](const Column& column, int, const std::string& column_name) {
    if (column_name == name) integer = column.integer;
  });
  return integer;
}

}  // namespace skerry
