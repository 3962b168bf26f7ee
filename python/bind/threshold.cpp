// SPDX-License-Identifier: Apache-2.0
// Otsu's threshold of an image in blocks.
#include "skerry/threshold.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <utility>
#include <vector>

#include "bind/array.hpp"
#include "bind/without_gil.hpp"

namespace skerry::python {
namespace {

using counts_view = nb::ndarray<nb::ro, const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::pair<double, double> range_of(nb::handle block) {
  const held_image held(block, "block");
  const without_gil unlocked;
  const value_range range = range_of_values(held.view());
  return {range.least, range.most};
}

nb::object counts_of(nb::handle block, double least, double most) {
  const held_image held(block, "block");
  std::vector<std::uint64_t> counts;
  {
    const without_gil unlocked;
    counts = count_values(held.view(), {least, most});
  }
  return array_of(std::move(counts));
}

// The image is one of the type of the blocks.
double bound_of(nb::handle image, double least, double most, const counts_view& counts) {
  const held_image held(image, "array");
  return otsu_threshold(held.view().type, {least, most},
                        std::vector<std::uint64_t>(counts.data(), counts.data() + counts.size()));
}

}  // namespace

void bind_threshold(nb::module_& module) {
  module.def("range_of_values", &range_of, nb::arg("block").none());
  module.def("count_values", &counts_of, nb::arg("block").none(), nb::arg("least"), nb::arg("most"));
  module.def("otsu_threshold", &bound_of, nb::arg("image").none(), nb::arg("least"), nb::arg("most"),
             nb::arg("counts"));
}

}  // namespace skerry::python
