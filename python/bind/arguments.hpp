// SPDX-License-Identifier: Apache-2.0
// Arguments that are not images: errors carry the argument's name, and a number that cannot be kept exactly is refused.
#pragma once
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "skerry/columns.hpp"

namespace skerry::python {

namespace nb = nanobind;

/// ValueError and TypeError with "name: problem".
[[noreturn]] void bad_value(const std::string& name, const std::string& problem);
[[noreturn]] void bad_type(const std::string& name, const std::string& problem);

/// The connectivity that joins all neighbours of a pixel.
[[nodiscard]] constexpr int all_neighbours(int rank) { return rank == 1 ? 2 : rank == 2 ? 8 : 26; }

/// What messages say of an object: arrays by their shape and type, else what Python prints, in part if it is long.
[[nodiscard]] std::string text_of(nb::handle object);

/// The int of Python that an integer of any type is, such as one of NumPy. Throws TypeError for what is no integer.
[[nodiscard]] nb::object integer_from(nb::handle object, const char* name);

/// An integer in low…high. Throws TypeError for what is no integer, ValueError for what is out of range.
[[nodiscard]] std::uint64_t whole_number(nb::handle object, const char* name, std::uint64_t low, std::uint64_t high);

/// A number as a double. Throws ValueError for an integer that no double holds.
[[nodiscard]] double real_number(nb::handle object, const char* name);

/// True or False; 0 and 1 are, too. Throws TypeError for anything else.
[[nodiscard]] bool flag_from(nb::handle object, const char* name);

/// Whether an object is no array, or one without dimensions.
[[nodiscard]] bool is_scalar(nb::handle object);

/// A string. Throws TypeError for what is none.
[[nodiscard]] std::string text_from(nb::handle object, const char* name);

/// Bounds of columns as Python gives them: tuples (column, least, most).
using bound_list = std::vector<std::tuple<std::string, double, double>>;
[[nodiscard]] std::vector<column_bounds> bounds_from(const bound_list& within);

/// The choice that a word stands for. Throws ValueError with the words that there are.
template <class Choice, std::size_t count>
[[nodiscard]] Choice one_of(nb::handle given, const char* name,
                            const std::pair<const char*, Choice> (&choices)[count]) {
  const std::string word = text_from(given, name);
  std::string known;
  for (const auto& [each, choice] : choices) {
    if (word == each) return choice;
    known += (known.empty() ? "'" : ", '") + std::string(each) + "'";
  }
  bad_value(name, "'" + word + "' is not one of " + known);
}

}  // namespace skerry::python
