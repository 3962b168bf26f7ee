// SPDX-License-Identifier: Apache-2.0
// What one slot of a stream has on the device and in the memory of the host that the device reaches.
#pragma once
#include <array>
#include <utility>

#include "engine/cuda/device_memory.cuh"
#include "engine/cuda/pieces.cuh"
#include "skerry/cuda.hpp"
#include "skerry/track.hpp"
#include "track/frame_graph.cuh"
#include "track/otsu.cuh"
#include "track/publish.cuh"

namespace skerry::track_steps {

// What a slot needs, which is the same for all slots of a stream.
struct slot_plan {
  u64 frame_bytes, pixels;
  i64 words_of_row;                 // of packed labels
  u64 words;                        // of all rows
  u64 row_capacity, link_capacity;  // the second one is a power of two
  published_lists lists;
  u64 published_bytes;  // at most
  bool read_in_place;   // frames in `pixels`: by labelling, without an upload
  bool label_image;     // on both sides
  bool mask, otsu, publish_on_device;
  bool ids;  // the device chooses them
};

struct cuda_slot {
  // Host memory.
  char* pixels = nullptr;  // the frame as it was pushed
  char* published = nullptr;
  u32* host_labels = nullptr;  // labels, then ids of the pixels
  u64* number = nullptr;       // of the frame, where the device chooses ids
  result_lists result;         // the same
  // Device memory.
  char* frame = nullptr;
  u8* mask = nullptr;  // foreground, where it does not follow from one pixel and the options
  otsu_state* otsu = nullptr;
  std::array<cuda::packed_labels, 2> packed;  // those of the frame that the slot had before may still be read
  u32* labels = nullptr;
  u64* offsets = nullptr;
  geometry* rows = nullptr;
  second_moments* moments = nullptr;
  intensity* intensities = nullptr;
  real_intensity* real_intensities = nullptr;
  link_list links;
  id_lists ids;
  u32* blocks_done = nullptr;
  u64* publications_done = nullptr;
  char* published_on_device = nullptr;
  char* scratch = nullptr;

  cuda_stream stream;
  cuda_event labelled, named, compared;              // with the background
  cuda_event taken;                                  // the caller's frame has been read, if the device copies it
  std::array<std::array<frame_graph, 2>, 2> graphs;  // for either of `packed`, of a frame in `pixels` and in `frame`

  // Of the frame that is in the slot.
  bool on_its_way = false;    // the device may still work for it
  bool is_on_device = false;  // `frame` has the pixels; `pixels` has them when somebody wants to see them
  u32 image = 0;              // which of `packed`
  bool linked = false;        // to a frame before it, `linked_to`
  u64 linked_to = 0;
  u64 publications = 0;  // of the slot; counted on both sides
  u64 copied = 0;        // bytes of it that are copied, if they are

  void lay_out_host(pieces& memory, const slot_plan& plan) {
    memory.take(pixels, plan.frame_bytes);
    memory.take(published, plan.published_bytes);
    if (plan.label_image) memory.take(host_labels, plan.pixels);
    if (plan.ids) memory.take(number, 1);
  }
  void lay_out_device(pieces& memory, const slot_plan& plan) {
    memory.take(frame, plan.frame_bytes);
    if (plan.mask) memory.take(mask, plan.pixels);
    if (plan.otsu) memory.take(otsu, 1);
    for (cuda::packed_labels& each : packed) {
      memory.take(each.bits, plan.words);
      memory.take(each.labels, most_stretches * plan.words);
    }
    if (plan.label_image) memory.take(labels, plan.pixels);
    memory.take(offsets, 2);
    memory.take(rows, plan.row_capacity);
    if (plan.lists.moments) memory.take(moments, plan.row_capacity);
    if (plan.lists.intensity_bytes == sizeof(intensity)) memory.take(intensities, plan.row_capacity);
    if (plan.lists.intensity_bytes == sizeof(real_intensity)) memory.take(real_intensities, plan.row_capacity);
    links.capacity = static_cast<u32>(plan.link_capacity);
    links.places = 2 * links.capacity;
    memory.take(links.pairs, links.places);
    memory.take(links.overlaps, links.places);
    memory.take(links.taken, links.capacity);
    memory.take(links.count, 1);
    memory.take(links.begun, 1);
    if (plan.ids) ids.lay_out(memory, plan.row_capacity);
    memory.take(blocks_done, 1);
    memory.take(publications_done, 1);
    if (plan.publish_on_device) memory.take(published_on_device, plan.published_bytes);
  }

  [[nodiscard]] publication publishing(const slot_plan& plan) const {
    const void* const rows_of_intensities =
        intensities != nullptr ? static_cast<const void*>(intensities) : real_intensities;
    return {offsets,
            rows,
            moments,
            rows_of_intensities,
            plan.lists.intensity_bytes,
            plan.row_capacity,
            links,
            otsu == nullptr ? nullptr : &otsu->found,
            blocks_done,
            publications_done,
            ids.counts,
            ids.objects,
            ids.events,
            result};
  }
};

}  // namespace skerry::track_steps
