// SPDX-License-Identifier: Apache-2.0
// What cuda.cpp has, in a build without CUDA.
#include "bind/cuda.hpp"
#include "bind/device.hpp"

namespace skerry::python {

bool takes_device_arrays() { return false; }

void wait_for(const device_pixels&) {}

int device_of(const image_view&) { return 0; }

void bind_cuda(nb::module_& module) { module.attr("cuda_devices") = 0; }

}  // namespace skerry::python
