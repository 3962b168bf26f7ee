// SPDX-License-Identifier: Apache-2.0
#include "bind/given_labels.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "bind/arguments.hpp"

namespace skerry::python {

background background_from(nb::handle object) {
  if (object.is_none()) return background::none();
  if (object.is(Py_True)) return background::zero_and_below();
  const nb::object label = integer_from(object, "background");
  int beyond = 0;  // on which side of the integers of 64 bits
  const long long number = PyLong_AsLongLongAndOverflow(label.ptr(), &beyond);
  if (beyond < 0) bad_value("background", text_of(label) + " is not in -2^63…2^64 - 1");
  if (beyond == 0 && number < 0) return background::equal_to(number);
  const std::uint64_t large = PyLong_AsUnsignedLongLong(label.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    bad_value("background", text_of(label) + " is not in -2^63…2^64 - 1");
  }
  return background::equal_to(large);
}

std::optional<std::vector<label_bits>> index_from(nb::handle bits) {
  if (bits.is_none()) return std::nullopt;
  const auto array =
      nb::cast<nb::ndarray<nb::ro, const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(bits);
  return std::vector<label_bits>(array.data(), array.data() + array.size());
}

void check_place(const held_image& labels, const held_image& out) {
  if (labels.is_on_device() != out.is_on_device())
    bad_value("out", out.is_on_device() ? "is in memory of a GPU, and labels in host memory"
                                        : "is in host memory, and labels in memory of a GPU");
}

held_intensities::held_intensities(nb::handle given, const held_image* labels)
    : numbered_(nb::isinstance<nb::list>(given)) {
  if (given.is_none()) return;
  using access = held_image::access;
  if (!numbered_) {
    held_.emplace_back(given, "intensity", labels == nullptr ? access::read : access::read_anywhere);
    return;
  }
  const access from = labels != nullptr && labels->is_on_device() ? access::read_anywhere : access::read;
  for (const nb::handle channel : nb::borrow<nb::list>(given)) held_.emplace_back(channel, "intensity", from);
}

std::vector<image_view> held_intensities::channels() const {
  std::vector<image_view> views;
  if (!numbered_) return views;
  for (const held_image& each : held_) views.push_back(each.view());
  return views;
}

nb::object array_of_labels(std::vector<label_bits> labels, bool are_signed) {
  constexpr label_bits most = std::numeric_limits<std::int64_t>::max();
  const bool fit =
      are_signed || std::all_of(labels.begin(), labels.end(), [](label_bits label) { return label <= most; });
  const nb::object array = array_of(std::move(labels));
  return fit ? with_type(array, dtype::i64) : array;
}

nb::dict arrays_of(const column_table& table, bool are_signed) {
  nb::dict arrays;
  for (const table_column& column : table.columns) {
    nb::object values;
    if (column.name == "label") values = array_of_labels({column.integers.begin(), column.integers.end()}, are_signed);
    else if (column.is_integer) values = array_of(std::vector(column.integers));
    else values = array_of(std::vector(column.numbers));
    arrays[nb::str(column.name.c_str())] = values;
  }
  return arrays;
}

}  // namespace skerry::python
