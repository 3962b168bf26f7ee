// SPDX-License-Identifier: Apache-2.0
// From what a method leaves to 1..n in raster order, on the device. No method does this by itself, and it is no part of
// what a method is timed for.
#pragma once
#include "published/cuda/device_task.hpp"

namespace skerry::published {

/// Labels of any numbering, each one component, brought to 1..n in raster order of first pixels, in place. Waits for
/// the device. Returns n.
u64 number_labels(const device_task& work, const device_answer& answer, u32* labels);

/// The rows of the components that an answer has, in raster order of first pixels. Waits for the device.
/// Returns device memory of the arena and sets `components`.
geometry* number_rows(const device_task& work, const device_answer& answer, u64& components);

}  // namespace skerry::published
