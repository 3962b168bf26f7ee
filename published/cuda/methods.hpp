// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "published/cuda/device_task.hpp"

namespace skerry::published {

device_answer naive(const device_task& work);
device_answer ha(const device_task& work);
device_answer ha_on_the_fly(const device_task& work);
device_answer ha_detecting(const device_task& work);
device_answer ha_compact(const device_task& work);
device_answer ha_of_labels(const device_task& work, const u32* labels);
device_answer ha_detecting_of_labels(const device_task& work, const u32* labels);
device_answer flsl(const device_task& work);
device_answer flsl_on_the_fly(const device_task& work);
device_answer flsl_detecting(const device_task& work);
device_answer flsl_compact(const device_task& work);
device_answer flsl_volumes(const device_task& work);
device_answer playne_direct(const device_task& work);
device_answer playne_block(const device_task& work);
device_answer tree_merge(const device_task& work);
device_answer tree_merge_of_labels(const device_task& work, const u32* labels);
device_answer jung(const device_task& work);
device_answer block_fill(const device_task& work);

}  // namespace skerry::published
