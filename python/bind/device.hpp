// SPDX-License-Identifier: Apache-2.0
// Arrays in memory of a GPU, of CuPy, PyTorch, JAX and other libraries, which the package does not read.
#pragma once
#include <nanobind/nanobind.h>

namespace skerry::python {

/// Whether an object says that its memory is a GPU's, by DLPack or by __cuda_array_interface__.
[[nodiscard]] bool is_on_device(nanobind::handle object);

/// Throws TypeError for such an array, with what to do.
[[noreturn]] void refuse_device_array(const char* name);

}  // namespace skerry::python
