// SPDX-License-Identifier: Apache-2.0
#include "bind/given_labels.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "bind/arguments.hpp"

namespace skerry::python {

background background_from(nb::handle object, const image_view& labels) {
  if (object.is_none()) return background::none();
  if (object.is(Py_True)) return background::zero_and_below();
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const nb::object zero = nb::int_(0);
  if (PyObject_RichCompareBool(object.ptr(), zero.ptr(), Py_LT) != 1)
    return background::equal_to(whole_number(object, "background", 0, most));
  const nb::object magnitude = nb::steal(PyNumber_Negative(object.ptr()));
  const std::uint64_t below = whole_number(magnitude, "background", 1, std::uint64_t{1} << 63);
  return is_signed(labels.type) ? background::equal_to(std::uint64_t{0} - below) : background::none();
}

std::optional<std::vector<label_bits>> index_from(nb::handle bits) {
  if (bits.is_none()) return std::nullopt;
  const auto array =
      nb::cast<nb::ndarray<nb::ro, const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(bits);
  return std::vector<label_bits>(array.data(), array.data() + array.size());
}

nb::object array_of_labels(std::vector<label_bits> labels, bool are_signed) {
  constexpr label_bits most = std::numeric_limits<std::int64_t>::max();
  const bool fit =
      are_signed || std::all_of(labels.begin(), labels.end(), [](label_bits label) { return label <= most; });
  const nb::object array = array_of(std::move(labels));
  return fit ? nb::object(array.attr("view")("int64")) : array;
}

}  // namespace skerry::python
