// SPDX-License-Identifier: Apache-2.0
#include "bind/arguments.hpp"

#include <nanobind/stl/string.h>

#include <limits>

namespace skerry::python {

void bad_value(const std::string& name, const std::string& problem) {
  throw nb::value_error((name + ": " + problem).c_str());
}

void bad_type(const std::string& name, const std::string& problem) {
  throw nb::type_error((name + ": " + problem).c_str());
}

bool is_scalar(nb::handle object) {
  if (!nb::hasattr(object, "shape") || !nb::hasattr(object, "dtype")) return true;
  const nb::object shape = object.attr("shape");
  return nb::len(shape) == 0;
}

bool flag_from(nb::handle object, const char* name) {
  for (PyObject* const choice : {Py_True, Py_False}) {
    const int same = is_scalar(object) ? PyObject_RichCompareBool(object.ptr(), choice, Py_EQ) : 0;
    if (same > 0) return choice == Py_True;
    if (same < 0) PyErr_Clear();
  }
  bad_type(name, text_of(object) + " is not True or False");
}

std::string text_of(nb::handle object) {
  if (!is_scalar(object))
    return "an array of shape " + nb::cast<std::string>(nb::repr(object.attr("shape"))) + " of " +
           nb::cast<std::string>(nb::str(nb::object(object.attr("dtype"))));
  constexpr Py_ssize_t longest = 80;
  const nb::object text = nb::repr(object);
  if (PyUnicode_GetLength(text.ptr()) <= longest) return nb::cast<std::string>(text);
  return nb::cast<std::string>(nb::steal(PyUnicode_Substring(text.ptr(), 0, longest - 3))) + "...";
}

std::string text_from(nb::handle object, const char* name) {
  if (!nb::isinstance<nb::str>(object)) bad_type(name, text_of(object) + " is not a string");
  return nb::cast<std::string>(object);
}

nb::object integer_from(nb::handle object, const char* name) {
  nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  if (index.is_valid()) return index;
  PyErr_Clear();
  bad_type(name, text_of(object) + " is not an integer");
}

std::uint64_t whole_number(nb::handle object, const char* name, std::uint64_t low, std::uint64_t high) {
  const nb::object index = integer_from(object, name);
  const std::uint64_t number = PyLong_AsUnsignedLongLong(index.ptr());
  const bool overflows = PyErr_Occurred() != nullptr;  // negative, or above 2^64 - 1
  PyErr_Clear();
  if (!overflows && number >= low && number <= high) return number;
  const std::string limit = high == std::numeric_limits<std::uint64_t>::max() ? "2^64 - 1" : std::to_string(high);
  bad_value(name, text_of(object) + " is not in " + std::to_string(low) + "…" + limit);
}

double real_number(nb::handle object, const char* name) {
  const double number = PyFloat_AsDouble(object.ptr());
  if (PyErr_Occurred() != nullptr) {
    const bool too_large = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
    PyErr_Clear();
    if (too_large) bad_value(name, text_of(object) + " is beyond the range of float64");
    bad_type(name, text_of(object) + " is not a number");
  }
  // An integer of NumPy is one of Python here: it compares exactly, too.
  const nb::object index = nb::steal(PyIndex_Check(object.ptr()) ? PyNumber_Index(object.ptr()) : nullptr);
  PyErr_Clear();
  if (index.is_valid() && !nb::float_(number).equal(index))
    bad_value(name, text_of(object) + " is not a float64; the nearest is " + text_of(nb::float_(number)));
  return number;
}

std::vector<column_bounds> bounds_from(const bound_list& within) {
  std::vector<column_bounds> bounds;
  for (const auto& [column, least, most] : within) bounds.push_back({column, least, most});
  return bounds;
}

}  // namespace skerry::python
