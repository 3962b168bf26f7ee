// SPDX-License-Identifier: Apache-2.0
// The job of one slab: labelled alone, by a plan as any image.
#pragma once
#include "label/cuda/job_groups.hpp"
#include "label/cuda/slabs/call.cuh"
#include "label/cuda/slabs/upload.cuh"

namespace skerry::label_stages::on_device {

/// What is asked of a slab, without a table; its pixels are on their way.
inline cuda::label_job job_of(const slab_call& call, const slab_images& images, slab_slot& slot, int device) {
  cuda::label_job work;
  work.image = uploaded(images.image, slot, slot.image, "image", device);
  work.connectivity = call.options.connectivity;
  work.foreground = call.options.foreground;
  work.one_kernel = false;
  return work;
}

template <class Row>
Row* rows_in(device_memory& memory, u64 count, const char* what) {
  memory.reserve(count * sizeof(Row), what);
  return static_cast<Row*>(memory.data());
}

/// The same with a table of the lane's capacity.
inline void measure_too(cuda::label_job& work, const slab_call& call, const slab_images& images, slab_slot& slot,
                        const lane& on) {
  work.row_capacity = on.row_capacity;
  if (images.intensity.data != nullptr)
    work.intensity_image = uploaded(images.intensity, slot, slot.intensity_image, "intensity", on.device());
  const measure_options features{call.moments, images.intensity};
  device_memory* memory = slot.rows;
  each_job_group([&]<class Group>(Group, auto list, const char* name) {
    if (Group::is_wanted(features)) work.*list = rows_in<typename Group::row>(*memory, work.row_capacity, name);
    ++memory;
  });
}

/// Enqueues the job, whose counts and tables go to memory that the lane keeps, if there is enough, or else to the slot's.
inline solved_slab solved_alone(cuda::label_job work, lane* keeps, std::size_t nth, slab_slot& slot) {
  constexpr std::size_t counts = 256;
  const std::size_t bytes = counts + cuda::scratch_bytes(work);
  device_memory* memory = keeps == nullptr ? nullptr : keeps->kept(nth, bytes);
  const bool kept = memory != nullptr;
  if (!kept) {
    slot.work.reserve(bytes, "scratch");
    memory = &slot.work;
  }
  work.offsets = static_cast<u64*>(memory->data());
  void* const scratch = static_cast<char*>(memory->data()) + counts;
  const cuda::label_plan plan(work);
  plan.enqueue(scratch, slot.stream);
  return {work, scratch, slot.stream, kept};
}

}  // namespace skerry::label_stages::on_device
