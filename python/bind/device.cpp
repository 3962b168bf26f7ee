// SPDX-License-Identifier: Apache-2.0
#include "bind/device.hpp"

#include <nanobind/ndarray.h>

#include <string>

#include "bind/arguments.hpp"

namespace skerry::python {

bool is_on_device(nb::handle object) {
  if (!nb::hasattr(object, "__dlpack_device__")) return nb::hasattr(object, "__cuda_array_interface__");
  const nb::object place = object.attr("__dlpack_device__")();
  const int type = nb::cast<int>(place[0]);
  return type == nb::device::cuda::value || type == nb::device::cuda_managed::value;
}

void refuse_device_array(const char* name) {
  bad_type(name, std::string("is in memory of a GPU; copy it to host memory, as cupy.asnumpy(") + name + ") or " +
                     name + ".cpu() does");
}

}  // namespace skerry::python
