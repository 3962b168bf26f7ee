// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry {

/// Throws device_error when this build or this machine has no CUDA device of this number.
void require_cuda_device(int device);

}  // namespace skerry
