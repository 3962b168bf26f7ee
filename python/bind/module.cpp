// SPDX-License-Identifier: Apache-2.0
// The extension module: one function for each public header. Names, defaults and docstrings are in python/skerry.
#include <nanobind/nanobind.h>

#include "bind/array.hpp"
#include "bind/cuda.hpp"
#include "skerry/error.hpp"
#include "skerry/version.hpp"

namespace skerry::python {

namespace nb = nanobind;

void bind_arrow(nb::module_& module);
void bind_blocks(nb::module_& module);
void bind_column_blocks(nb::module_& module);
void bind_columns(nb::module_& module);
void bind_outline_blocks(nb::module_& module);
void bind_contacts(nb::module_& module);
void bind_engine(nb::module_& module);
void bind_label(nb::module_& module);
void bind_max_tree(nb::module_& module);
void bind_measure(nb::module_& module);
void bind_outline(nb::module_& module);
void bind_region_blocks(nb::module_& module);
void bind_region_values(nb::module_& module);
void bind_regions(nb::module_& module);
void bind_relabel(nb::module_& module);
void bind_threshold(nb::module_& module);
void bind_track(nb::module_& module);
void bind_tree_blocks(nb::module_& module);

}  // namespace skerry::python

// invalid_argument, out_of_memory and device_error come as ValueError, MemoryError and RuntimeError by their base classes.
NB_MODULE(_native, module) {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) throw nanobind::import_error("made in a subinterpreter");
  nanobind::set_leak_warnings(false);  // a daemon thread in a call holds objects when Python ends
  module.attr("version") = skerry::version;
  skerry::python::remember_numpy();
  skerry::python::bind_arrow(module);
  skerry::python::bind_cuda(module);
  skerry::python::bind_engine(module);
  skerry::python::bind_label(module);
  skerry::python::bind_measure(module);
  skerry::python::bind_max_tree(module);
  skerry::python::bind_regions(module);
  skerry::python::bind_region_values(module);
  skerry::python::bind_columns(module);
  skerry::python::bind_relabel(module);
  skerry::python::bind_blocks(module);
  skerry::python::bind_region_blocks(module);
  skerry::python::bind_column_blocks(module);
  skerry::python::bind_outline_blocks(module);
  skerry::python::bind_contacts(module);
  skerry::python::bind_outline(module);
  skerry::python::bind_threshold(module);
  skerry::python::bind_track(module);
  skerry::python::bind_tree_blocks(module);
}
