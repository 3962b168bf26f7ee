// SPDX-License-Identifier: Apache-2.0
// Frames on a CUDA device: what it publishes becomes a result. It does all but painting ids into labels, which is left to the host, as is
// the choice of ids where there is room for few objects, or where ids are remembered.
#include "track/cuda_work.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>

#include "engine/choose.hpp"
#include "engine/cpu/parallel.hpp"
#include "engine/engine_state.hpp"
#include "engine/image_checks.hpp"
#include "skerry/error.hpp"
#include "track/cuda_ring.cuh"
#include "track/frame_steps.hpp"
#include "track/inherit.hpp"

namespace skerry::track_steps {
namespace {

// What is left of a frame when it has been cut.
void copy_lists(const frame_result& from, frame_result& to) {
  to.count = from.count;
  to.happened = from.happened;
  to.happened_by_kind = from.happened_by_kind;
  to.overflow = from.overflow;
  to.objects = from.objects;
  to.events = from.events;
  to.table.components = from.table.components;
  to.table.moments = from.table.moments;
  to.table.intensities = from.table.intensities;
  to.table.real_intensities = from.table.real_intensities;
}

struct copy_of_rows {
  char* to;
  const char* from;
  u64 bytes;
};

class cuda_work final : public frame_work {
 public:
  cuda_work(engine& on, int device, const track_options& options)
      : on_(on), options_(options), ring_(device, options), host_has_ids_(!ring_.plan().ids),
        inheritance_(options.inherit) {
    named_by_host_.table = {
        .rank = options.size.rank, .has_moments = options.moments, .has_intensities = options.intensities};
  }

  mutable_image frame_memory(std::size_t number) override { return ring_.frame_memory(number); }
  void bind(std::span<frame_result> results) override { ring_.bind(results); }
  void upload(std::size_t number, const image_view& frame) override { ring_.upload(ring_.slot(number), frame); }
  void analyse(std::size_t number, frame_result& result) override {
    cuda_slot& slot = ring_.slot(number);
    if (options_.images) result.image = {slot.pixels, options_.type, options_.size};
    give_ids_back();
    ring_.analyse(slot, result.frame, last_labels());
  }
  void inherit(std::size_t number, frame_result& result) override;
  [[nodiscard]] std::chrono::microseconds patience() const override { return options_.patience; }

 private:
  [[nodiscard]] cuda::packed_labels last_labels() {
    const std::lock_guard held(mutex_);
    return seen_labels_;
  }
  [[nodiscard]] run_source runs_before() {
    return [this](const pixel_box& box, std::vector<labelled_run>& runs) { ring_.read_runs(seen_labels_, box, runs); };
  }
  void give_ids_back();
  void take_chosen(const published_header& header, frame_result& result) const;
  void inherit_on_host(cuda_slot& slot, const published_header& header, frame_result& result);
  void inherit_published(cuda_slot& slot, frame_result& result);
  void inherit_overflowing(cuda_slot& slot, frame_result& result);
  void paint(const cuda_slot& slot, const frame_result& all, frame_result& result) const;

  engine& on_;
  track_options options_;
  std::optional<engine> helpers_;  // threads that copy rows; made for the first frame of more than 8192
  cuda_ring ring_;
  std::mutex mutex_;
  cuda::packed_labels seen_labels_;  // of the last good frame; the thread that analyses reads it, too
  std::optional<u64> seen_frame_;    // its number
  bool host_has_ids_;                // those of that frame; else the device has them
  inheritance inheritance_;
  frame_result named_by_host_;  // a frame whose ids the device did not choose, where it writes into results
  std::vector<labelled_run> runs_;
  std::vector<copy_of_rows> copies_;
};

// The device writes the slot's next frame over these rows, so they are copied. If there are more than 8192, other threads copy them
// while this thread chooses ids from the rows in place.
void cuda_work::inherit_published(cuda_slot& slot, frame_result& result) {
  constexpr u64 most_rows_of_one_thread = 1 << 13, bytes_of_piece = 1 << 17;
  constexpr int threads = 4;
  const auto& header = *reinterpret_cast<const published_header*>(slot.published);
  const published_places at = published_places::of(ring_.plan().lists, header.count, header.links);
  copies_.clear();
  const auto read = [&](auto& rows, u64 place) {
    rows.resize(header.count);
    const u64 bytes = header.count * sizeof rows[0];
    for (u64 begin = 0; begin < bytes; begin += bytes_of_piece)
      copies_.push_back({reinterpret_cast<char*>(rows.data()) + begin, slot.published + place + begin,
                         std::min(bytes - begin, bytes_of_piece)});
  };
  read(result.table.components, at.rows);
  if (ring_.plan().lists.moments) read(result.table.moments, at.moments);
  if (options_.intensities && sums_reals(options_.type)) read(result.table.real_intensities, at.intensities);
  else if (options_.intensities) read(result.table.intensities, at.intensities);

  const std::span rows(reinterpret_cast<const geometry*>(slot.published + at.rows), header.count);
  const std::span links(reinterpret_cast<const link*>(slot.published + at.links), header.links);
  const run_source runs_now = [this, &slot](const pixel_box& box, std::vector<labelled_run>& runs) {
    ring_.read_runs(slot.packed[slot.image], box, runs);
  };
  const auto step = [&](std::size_t number) {
    if (number == 0)
      inheritance_.step(result.frame, links, rows, result.objects, result.events, runs_now, runs_before());
    else std::memcpy(copies_[number - 1].to, copies_[number - 1].from, copies_[number - 1].bytes);
  };
  if (header.count <= most_rows_of_one_thread) {
    for (std::size_t i = 0; i <= copies_.size(); ++i) step(i);
  } else {
    if (!helpers_) helpers_ = engine::cpu(threads);
    for_each_in_parallel(engine_on_host(*helpers_, {}), copies_.size() + 1, step);
  }
}

// A frame with more objects or links than the slot holds is labelled again by the blocking call, whose memory grows.
void cuda_work::inherit_overflowing(cuda_slot& slot, frame_result& result) {
  check_cuda(cudaStreamSynchronize(slot.stream), "publish");
  label_options how;
  how.connectivity = options_.connectivity;
  how.foreground = ring_.rule();
  how.selection = options_.selection;
  measure_options features;
  features.moments = options_.moments;
  if (options_.intensities) features.intensity = ring_.device_frame(slot);
  label_outputs outputs = {.table = &result.table};
  outputs.runs = &runs_;
  result.count = label(on_, {ring_.foreground_image(slot), how, features}, outputs);
  inheritance_.step(result.frame, runs_, result.table.components, result.objects, result.events, runs_before());
}

void cuda_work::inherit_on_host(cuda_slot& slot, const published_header& header, frame_result& result) {
  if (!host_has_ids_) inheritance_.take_over(ring_.read_ids());
  const bool linked_right = slot.linked == seen_frame_.has_value() && (!slot.linked || slot.linked_to == *seen_frame_);
  // The pixels of a frame that was dropped, or had an error, do not count.
  if (!linked_right && header.overflow == 0) ring_.link_again(slot, seen_labels_);
  if (header.overflow == 0) inherit_published(slot, result);
  else inherit_overflowing(slot, result);
}

// Hands ids that the host chose back to the device when no frame is in flight.
void cuda_work::give_ids_back() {
  const std::lock_guard held(mutex_);
  if (!ring_.plan().ids || !host_has_ids_ || !seen_frame_ || !ring_.is_last(*seen_frame_)) return;
  if (inheritance_.carriers() > ring_.plan().row_capacity) return;
  ring_.write_ids(inheritance_.carried());
  host_has_ids_ = false;
}

// The device has written the lists.
void cuda_work::take_chosen(const published_header& header, frame_result& result) const {
  result.count = header.count;
  result.happened_by_kind = {0, header.births, header.splits, 0, header.merges, header.deaths};
  result.happened = u64{header.births} + header.splits + header.merges + header.deaths;
  result.objects.resize(header.count);
  result.events.resize(result.happened);
  feature_table& table = result.table;
  table.components.resize(header.count);
  if (table.has_moments) table.moments.resize(header.count);
  if (table.has_intensities && sums_reals(options_.type)) table.real_intensities.resize(header.count);
  else if (table.has_intensities) table.intensities.resize(header.count);
}

// Labels become ids.
void cuda_work::paint(const cuda_slot& slot, const frame_result& all, frame_result& result) const {
  for (u64 i = 0; i < ring_.plan().pixels; ++i)
    if (const u32 label = slot.host_labels[i]; label != 0) slot.host_labels[i] = all.objects[label - 1].id;
  result.labels = {slot.host_labels, dtype::u32, options_.size};
}

void cuda_work::inherit(std::size_t number, frame_result& result) {
  cuda_slot& slot = ring_.slot(number);
  if (ring_.plan().pixels == 0) {
    runs_.clear();
    inheritance_.step(result.frame, runs_, result.table.components, result.objects, result.events);
    if (options_.labels) paint(slot, result, result);
    return cut(options_, result);
  }
  const current_device here(ring_.device());
  const published_header& header = ring_.wait_for(slot);
  if (header.no_threshold != 0) refuse("image: no pixel is finite");
  result.transferred = ring_.transferred(slot);
  result.on_device = {header.labelled, header.published};
  // A list that grew would leave the memory that the device writes to.
  const bool stays = ring_.plan().ids && header.is_chosen == 0;
  frame_result& all = stays ? named_by_host_ : result;
  if (header.is_chosen != 0) {
    take_chosen(header, result);
  } else {
    if (stays) clear(all);
    all.frame = result.frame;
    all.count = header.count;
    inherit_on_host(slot, header, all);
  }
  slot.on_its_way = false;
  {
    const std::lock_guard held(mutex_);
    seen_labels_ = slot.packed[slot.image];
    seen_frame_ = result.frame;
    host_has_ids_ = header.is_chosen == 0;
  }
  if (options_.labels) paint(slot, all, result);
  if (header.is_chosen == 0) cut(options_, all);
  if (stays) copy_lists(all, result);
}

}  // namespace

std::unique_ptr<frame_work> make_cuda_work(engine& on, int device, const track_options& options) {
  try {
    return std::make_unique<cuda_work>(on, device, options);
  } catch (const out_of_memory&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw out_of_memory("out of memory: the slots of the stream do not fit");
  }
}

}  // namespace skerry::track_steps
