// SPDX-License-Identifier: Apache-2.0
// The slots of a stream on a CUDA device: upload, threshold, labels, table, links to the frame before and publication, all
// of which is only enqueued. Each slot has a stream and all of its memory, so that uploads, labelling and publishing of
// several frames overlap; links wait for the labels of the frame before, and ids for its ids.
#pragma once
#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "skerry/cuda.hpp"
#include "skerry/track.hpp"
#include "track/cuda_slot.cuh"
#include "track/pixel_box.hpp"

namespace skerry::track_steps {

class cuda_ring {
 public:
  // Takes all memory. Throws device_error, out_of_memory.
  cuda_ring(int device, const track_options& options);
  cuda_ring(const cuda_ring&) = delete;
  cuda_ring& operator=(const cuda_ring&) = delete;
  ~cuda_ring();

  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] const slot_plan& plan() const { return plan_; }
  [[nodiscard]] cuda_slot& slot(std::size_t number) const { return *slots_[number]; }

  // Captures the graphs, before all else. The device writes into these results, one for each slot, where it chooses ids: their lists
  // have room for `capacity` objects and stay where they are. Throws device_error, out_of_memory.
  void bind(std::span<frame_result> results);

  // ---- the thread that pushes
  [[nodiscard]] mutable_image frame_memory(std::size_t number);
  // Copies the frame.
  void upload(cuda_slot& slot, const image_view& frame);
  // ---- the thread that analyses
  // Enqueues all that follows. Labels of the last good frame are kept: somebody may still link to them.
  void analyse(cuda_slot& slot, u64 frame, const cuda::packed_labels& last_labels);
  // Whether no frame was analysed after this one.
  [[nodiscard]] bool is_last(u64 frame) const { return enqueued_ != nullptr && enqueued_frame_ == frame; }
  // Ids that the device goes on from, while no frame is in flight. Not more than it has rows for.
  void write_ids(const carried_ids& ids);
  // ---- the thread that inherits
  // Waits for the publication of a frame.
  const published_header& wait_for(cuda_slot& slot);
  // Links anew to other labels, or to none, and waits.
  void link_again(cuda_slot& slot, const cuda::packed_labels& before);
  // Ids of the last frame for which the device has chosen them. It does not choose before the next write_ids().
  [[nodiscard]] carried_ids read_ids();
  // Bytes that came from the device for a result.
  [[nodiscard]] u64 transferred(const cuda_slot& slot) const;
  // The runs of labels that are there, of the rows that the box reaches into. Waits for them.
  void read_runs(const cuda::packed_labels& from, const pixel_box& box, std::vector<labelled_run>& runs);

  [[nodiscard]] image_view device_frame(const cuda_slot& slot) const {
    return {slot.frame, options_.type, options_.size};
  }
  [[nodiscard]] image_view foreground_image(const cuda_slot& slot) const {
    if (plan_.mask) return image_view(slot.mask, options_.size);
    const bool in_place = plan_.read_in_place && !slot.is_on_device;
    return in_place ? image_view(slot.pixels, options_.type, options_.size) : device_frame(slot);
  }
  [[nodiscard]] foreground rule() const { return plan_.mask ? foreground::nonzero() : options_.threshold.rule; }

 private:
  [[nodiscard]] bool has_background() const { return options_.threshold.kind == frame_threshold::policy::background; }
  [[nodiscard]] link_call links_of(const cuda_slot& slot, u32 image, const cuda::packed_labels& before) const {
    return {{slot.packed[image], before, plan_.words}, slot.links};
  }
  [[nodiscard]] id_choice ids_of(const cuda_slot& slot) const {
    return {slot.offsets, slot.rows, plan_.row_capacity, slot.links, link_rule(options_.inherit),
            ids_,         slot.ids,  slot.number};
  }
  [[nodiscard]] cuda::label_job job_of(const cuda_slot& slot, u32 image) const;
  void take_memory();
  void reserve_copied_labels();
  void share(cuda_slot& slot, frame_result& result);
  void capture(cuda_slot& slot);
  void enqueue_labelling(const cuda_slot& slot, u32 image) const;
  static void settle(cuda_slot& slot);
  void copy_by_device(cuda_slot& slot, const image_view& frame) const;
  void upload_pixels(const cuda_slot& slot) const;
  void compare(const cuda_slot& slot);
  void publish(const cuda_slot& slot) const;
  void copy_result(cuda_slot& slot) const;

  int device_;
  track_options options_;
  slot_plan plan_;
  pinned_memory host_, copied_labels_;
  device_memory on_device_, scratch_;
  std::vector<std::unique_ptr<shared_with_device>> shared_;  // lists of results
  id_chain ids_;
  std::size_t scratch_bytes_ = 0;  // of each slot
  i32* mean_ = nullptr;            // of the running background
  bool has_mean_ = false;
  std::vector<std::unique_ptr<cuda_slot>> slots_;
  cuda_stream copies_;                                           // of runs and ids
  std::atomic<u64> predicted_bytes_ = sizeof(published_header);  // of the next result

  // The frame that was analysed last; of the thread that analyses.
  const cuda_slot* enqueued_ = nullptr;
  cuda::packed_labels enqueued_labels_;
  u64 enqueued_frame_ = 0;
};

}  // namespace skerry::track_steps
