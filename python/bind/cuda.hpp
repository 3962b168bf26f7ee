// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nanobind/nanobind.h>

namespace skerry::python {

/// What only a build with CUDA has: enqueued labelling, and memory of a GPU for libraries that lend none. Always there is
/// `cuda_devices`, how many GPUs answer.
void bind_cuda(nanobind::module_& module);

}  // namespace skerry::python
