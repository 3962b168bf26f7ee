// SPDX-License-Identifier: Apache-2.0
// Frames on a CUDA device: uploaded, thresholded, labelled, measured and linked to the frame before by kernels that are only
// enqueued, and published into memory of the host, where inherit() waits for the sequence number of the header. Each slot has
// a stream and all of its memory, so that uploads, labelling and publishing of several frames overlap; links alone wait, for
// the labels of the frame before.
#include "track/cuda_work.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/engine_state.hpp"
#include "engine/image_checks.hpp"
#include "skerry/error.hpp"
#include "track/background.cuh"
#include "track/cuda_slot.cuh"
#include "track/frame_steps.hpp"
#include "track/inherit.hpp"

namespace skerry::track_steps {
namespace {

using publishing = track_options::publishing;
using policy = frame_threshold::policy;

constexpr u64 least_row_capacity = 1024;

// Ids are inherited from links as long as no id is remembered: then only the frame before counts.
bool uses_links(const track_options& options) { return options.inherit.keep_alive == 0 && options.inherit.memory == 0; }

slot_plan plan_for(const track_options& options) {
  slot_plan plan{};
  plan.frame_bytes = dense_bytes(options.type, options.size);
  plan.pixels = static_cast<u64>(options.size.pixels());
  const u64 most = plan.pixels / 2 + 1;  // components, or runs in a row
  plan.row_capacity = std::min(std::max<u64>(options.capacity, least_row_capacity), std::max<u64>(most, 1));
  plan.link_capacity = std::bit_ceil(std::min<u64>(4 * plan.row_capacity, u64{1} << 24));
  plan.run_capacity = std::min(64 * plan.row_capacity, plan.pixels);
  const bool links = uses_links(options);
  plan.lists = {options.moments, options.intensities, links, !links};
  plan.published_bytes = published_places::of(plan.lists, plan.row_capacity, plan.link_capacity, plan.run_capacity).end;
  plan.label_images = links || options.labels;
  plan.mask = options.threshold.kind != policy::fixed;
  plan.otsu = options.threshold.kind == policy::otsu;
  plan.host_labels = options.labels;
  plan.publish_on_device = options.publish != publishing::mapped;
  return plan;
}

class cuda_work final : public frame_work {
 public:
  cuda_work(engine& on, const track_options& options);
  ~cuda_work() override;

  mutable_image frame_memory(std::size_t number) override;
  void upload(std::size_t number, const image_view& frame) override;
  void analyse(std::size_t number, frame_result& result) override;
  void inherit(std::size_t number, frame_result& result) override;
  [[nodiscard]] std::chrono::microseconds patience() const override { return options_.patience; }

 private:
  [[nodiscard]] image_view device_frame(const cuda_slot& slot) const {
    return {slot.frame, options_.type, options_.size};
  }
  [[nodiscard]] image_view foreground_image(const cuda_slot& slot) const {
    return plan_.mask ? image_view(slot.mask, options_.size) : device_frame(slot);
  }
  [[nodiscard]] foreground rule() const { return plan_.mask ? foreground::nonzero() : options_.threshold.rule; }
  [[nodiscard]] bool has_background() const { return options_.threshold.kind == policy::background; }
  [[nodiscard]] cuda::job job_of(const cuda_slot& slot, u32 image) const;
  void take_memory();
  void capture(cuda_slot& slot);
  void settle(cuda_slot& slot);
  void upload_pixels(const cuda_slot& slot) const;
  void compare(cuda_slot& slot);
  [[nodiscard]] link_call links_of(const cuda_slot& slot, u32 image, const u32* before) const {
    return {slot.labels[image], before, static_cast<i64>(plan_.pixels), slot.links};
  }
  void label(cuda_slot& slot);
  void publish(const cuda_slot& slot) const;
  void copy_result(cuda_slot& slot) const;
  void link_to_last_good(cuda_slot& slot);
  [[nodiscard]] const u32* last_labels();
  const published_header& wait_for(cuda_slot& slot);
  void read_table(const cuda_slot& slot, const published_header& header, frame_result& result) const;
  void inherit_published(cuda_slot& slot, frame_result& result);
  void inherit_overflowing(cuda_slot& slot, frame_result& result);
  void read_runs(const u32* labels, std::vector<labelled_run>& runs) const;
  void paint(const cuda_slot& slot, frame_result& result) const;

  engine& on_;
  track_options options_;
  int device_;
  slot_plan plan_;
  std::optional<pinned_memory> host_;
  device_memory on_device_, scratch_;
  std::size_t scratch_bytes_ = 0;  // of each slot
  i32* mean_ = nullptr;            // of the running background
  std::vector<std::unique_ptr<cuda_slot>> slots_;

  // Of the thread that analyses.
  cuda_slot* enqueued_ = nullptr;  // the slot of the frame before
  const u32* enqueued_labels_ = nullptr;
  u64 enqueued_frame_ = 0;
  bool has_mean_ = false;
  std::atomic<u64> predicted_bytes_ = 0;

  // Of the thread that inherits; the first two are read by the other.
  std::mutex mutex_;
  const u32* seen_labels_ = nullptr;  // image of the last good frame
  std::optional<u64> seen_frame_;     // its number
  inheritance inheritance_;
  std::vector<labelled_run> runs_, runs_before_;
};

// ---- start and end --------------------------------------------------------------------------------------------------

cuda_work::cuda_work(engine& on, const track_options& options)
    : on_(on), options_(options), device_(on.inside().device), plan_(plan_for(options)), inheritance_(options.inherit) {
  const current_device here(device_);
  predicted_bytes_ = sizeof(published_header);
  for (int i = 0; i < options.slots; ++i) slots_.push_back(std::make_unique<cuda_slot>());
  take_memory();
  if (plan_.pixels == 0) return;
  for (const auto& slot : slots_) capture(*slot);
  for (const auto& slot : slots_) check_cuda(cudaStreamSynchronize(slot->stream), "start");
}

cuda_work::~cuda_work() {
  cudaSetDevice(device_);
  for (const auto& slot : slots_) cudaStreamSynchronize(slot->stream);
}

void cuda_work::take_memory() {
  const auto lay_out = [&](piece_dealer& host, piece_dealer& device) {
    if (has_background()) device.deal(mean_, plan_.pixels);
    for (const auto& slot : slots_) {
      slot->lay_out_host(host, plan_);
      slot->lay_out_device(device, plan_);
    }
  };
  piece_dealer host_needs(nullptr), device_needs(nullptr);
  lay_out(host_needs, device_needs);
  host_.emplace(host_needs.used());
  on_device_.reserve(device_needs.used(), "the slots of the stream");
  std::memset(host_->data(), 0, host_needs.used());
  check_cuda(cudaMemset(on_device_.data(), 0, device_needs.used()), "start");
  piece_dealer host(host_->data()), device(static_cast<char*>(on_device_.data()));
  lay_out(host, device);
  if (plan_.pixels == 0) return;
  scratch_bytes_ = (cuda::scratch_bytes(job_of(*slots_[0], 0)) + 255) / 256 * 256;
  scratch_.reserve(scratch_bytes_ * slots_.size(), "the scratch of the slots of the stream");
  auto* scratch = static_cast<char*>(scratch_.data());
  for (const auto& slot : slots_) slot->scratch = std::exchange(scratch, scratch + scratch_bytes_);
}

cuda::job cuda_work::job_of(const cuda_slot& slot, u32 image) const {
  cuda::job work;
  work.image = foreground_image(slot);
  work.connectivity = options_.connectivity;
  work.foreground = rule();
  work.selection = options_.selection;
  work.offsets = slot.offsets;
  if (plan_.label_images) work.labels = {slot.labels[image], options_.size};
  work.row_capacity = plan_.row_capacity;
  work.rows = slot.rows;
  work.moments = slot.moments;
  work.intensities = slot.intensities;
  work.scales = slot.scale;
  if (plan_.lists.intensities) work.intensity_image = device_frame(slot);
  work.runs = slot.runs;
  work.run_offsets = slot.run_offsets;
  work.run_capacity = plan_.lists.runs ? plan_.run_capacity : 0;
  return work;
}

void cuda_work::capture(cuda_slot& slot) {
  const auto enqueue_labelling = [&](u32 image) {
    if (!has_background()) upload_pixels(slot);
    if (plan_.otsu)
      find_otsu_foreground(device_frame(slot), options_.threshold.where == frame_threshold::side::dark, slot.otsu,
                           slot.mask, slot.stream);
    cuda::enqueue(job_of(slot, image), slot.scratch, scratch_bytes_, slot.stream);
    if (plan_.host_labels)
      check_cuda(cudaMemcpyAsync(slot.host_labels, slot.labels[image], plan_.pixels * sizeof(u32),
                                 cudaMemcpyDeviceToHost, slot.stream),
                 "emit");
    if (plan_.lists.links)
      check_cuda(cudaEventRecordWithFlags(slot.labelled, slot.stream, cudaEventRecordExternal), "link");
  };
  for (u32 image = 0; image < 2; ++image) {
    slot.label_graphs[image].capture(slot.stream, [&] { enqueue_labelling(image); });
    if (plan_.lists.links)
      slot.link_graphs[image].capture(slot.stream, slot.compared, links_of(slot, image, nullptr),
                                      [&] { publish(slot); });
  }
  if (!plan_.lists.links) slot.publish_graph.capture(slot.stream, [&] { publish(slot); });
}

// ---- upload ---------------------------------------------------------------------------------------------------------

// A frame that was dropped may still be read, or be written.
void cuda_work::settle(cuda_slot& slot) {
  if (!slot.on_its_way) return;
  slot.on_its_way = false;
  check_cuda(cudaStreamSynchronize(slot.stream), "upload");
}

mutable_image cuda_work::frame_memory(std::size_t number) {
  const current_device here(device_);
  settle(*slots_[number]);
  return {slots_[number]->pixels, options_.type, options_.size};
}

void cuda_work::upload(std::size_t number, const image_view& frame) {
  if (plan_.pixels == 0) return;
  const current_device here(device_);
  cuda_slot& slot = *slots_[number];
  settle(slot);
  const bool there = frame.data == slot.pixels;
  if (!there && is_device_memory(frame.data)) {
    // The caller may write over the frame as soon as this returns, and the result shows it in memory of the host.
    const i64 pixel = options_.type == dtype::bit ? 1 : static_cast<i64>(size_of(options_.type));
    extent size = options_.size;
    byte_strides step = frame.strides;
    if (options_.type == dtype::bit) size.width = (size.width + 7) / 8, step.x = 1;
    gather_kernel<<<blocks_for(static_cast<i64>(plan_.frame_bytes), 256), 256, 0, slot.stream>>>(
        static_cast<const char*>(frame.data), size, step, pixel, slot.frame);
    check_cuda(cudaGetLastError(), "upload");
    check_cuda(cudaMemcpyAsync(slot.pixels, slot.frame, plan_.frame_bytes, cudaMemcpyDeviceToHost, slot.stream),
               "upload");
    check_cuda(cudaStreamSynchronize(slot.stream), "upload");
  } else if (!there) {
    copy_dense(frame, slot.pixels);
  }
  if (!has_background()) label(slot);
}

// ---- analyse --------------------------------------------------------------------------------------------------------

const u32* cuda_work::last_labels() {
  const std::lock_guard held(mutex_);
  return seen_labels_;
}

void cuda_work::upload_pixels(const cuda_slot& slot) const {
  check_cuda(cudaMemcpyAsync(slot.frame, slot.pixels, plan_.frame_bytes, cudaMemcpyHostToDevice, slot.stream),
             "upload");
}

// The mean goes from frame to frame, and so from stream to stream.
void cuda_work::compare(cuda_slot& slot) {
  if (has_mean_) check_cuda(cudaStreamWaitEvent(slot.stream, enqueued_->compared, 0), "threshold");
  compare_with_background(device_frame(slot), !has_mean_, mean_limits::of(options_.threshold), mean_, slot.mask,
                          slot.stream);
  check_cuda(cudaEventRecord(slot.compared, slot.stream), "threshold");
  has_mean_ = true;
}

void cuda_work::label(cuda_slot& slot) {
  slot.on_its_way = true;
  // The other image may be that of the last good frame, which was in this slot and is still linked to.
  slot.image = plan_.label_images && last_labels() == slot.labels[0] ? 1 : 0;
  slot.label_graphs[slot.image].launch(slot.stream);
}

void cuda_work::publish(const cuda_slot& slot) const {
  constexpr u64 bytes_per_block = 1 << 14, most_blocks = 32;
  const u64 blocks =
      std::min((plan_.row_capacity * sizeof(geometry) + bytes_per_block - 1) / bytes_per_block, most_blocks);
  char* const target = plan_.publish_on_device ? slot.published_on_device : slot.published;
  publish_kernel<<<static_cast<u32>(blocks), publish_threads, 0, slot.stream>>>(slot.result(plan_), target);
  check_cuda(cudaGetLastError(), "publish");
}

// Of a result that was published on the device.
void cuda_work::copy_result(cuda_slot& slot) const {
  ++slot.publications;
  if (!plan_.publish_on_device) return;
  slot.copied = options_.publish == publishing::whole ? plan_.published_bytes
                                                      : std::min(predicted_bytes_.load(), plan_.published_bytes);
  check_cuda(
      cudaMemcpyAsync(slot.published, slot.published_on_device, slot.copied, cudaMemcpyDeviceToHost, slot.stream),
      "publish");
}

void cuda_work::analyse(std::size_t number, frame_result& result) {
  cuda_slot& slot = *slots_[number];
  result.image = {slot.pixels, options_.type, options_.size};
  if (plan_.pixels == 0) return;
  const current_device here(device_);
  slot.linked = enqueued_ != nullptr;
  slot.linked_to = enqueued_frame_;
  if (has_background()) {
    upload_pixels(slot);
    compare(slot);
    label(slot);
  }
  if (plan_.lists.links) {
    link_graph& links = slot.link_graphs[slot.image];
    links.follow(slot.linked && enqueued_ != &slot ? enqueued_->labelled : slot.compared, enqueued_labels_);
    links.launch(slot.stream);
  } else {
    slot.publish_graph.launch(slot.stream);
  }
  enqueued_ = &slot;
  enqueued_labels_ = slot.labels[slot.image];
  enqueued_frame_ = result.frame;
  copy_result(slot);
}

// ---- inherit --------------------------------------------------------------------------------------------------------

// Looks at the header until the device has written it; in between, whether the device has failed.
const published_header& cuda_work::wait_for(cuda_slot& slot) {
  auto& header = *reinterpret_cast<published_header*>(slot.published);
  if (plan_.publish_on_device) {
    check_cuda(cudaStreamSynchronize(slot.stream), "publish");
    if (header.bytes > slot.copied)
      check_cuda(cudaMemcpy(slot.published + slot.copied, slot.published_on_device + slot.copied,
                            header.bytes - slot.copied, cudaMemcpyDeviceToHost),
                 "publish");
    const double wanted = static_cast<double>(header.bytes) * (1 + options_.margin);
    predicted_bytes_ = static_cast<u64>(wanted) / 256 * 256 + 256;
  } else {
    const std::atomic_ref<u64> sequence(header.sequence);
    for (u32 looks = 1; sequence.load(std::memory_order_acquire) != slot.publications; ++looks) {
      if (looks % 1024 != 0) continue;
      const cudaError_t state = cudaStreamQuery(slot.stream);
      if (state != cudaErrorNotReady) check_cuda(state, "publish");
      std::this_thread::yield();
    }
  }
  return header;
}

void cuda_work::read_table(const cuda_slot& slot, const published_header& header, frame_result& result) const {
  const published_places at = published_places::of(plan_.lists, header.count, header.links, header.runs);
  const auto read = [&](auto& rows, u64 place) {
    rows.resize(header.count);
    if (header.count > 0) std::memcpy(rows.data(), slot.published + place, header.count * sizeof rows[0]);
  };
  read(result.table.components, at.rows);
  if (plan_.lists.moments) read(result.table.moments, at.moments);
  if (plan_.lists.intensities) read(result.table.intensities, at.intensities);
  result.table.sum_exponent = header.scale.sum_exponent;
  result.table.square_exponent = header.scale.square_exponent;
}

// Links anew when the frame before was dropped, or had an error: its pixels do not count.
void cuda_work::link_to_last_good(cuda_slot& slot) {
  links_of(slot, slot.image, seen_labels_).enqueue(slot.stream);
  publish(slot);
  copy_result(slot);
  (void)wait_for(slot);
}

void cuda_work::inherit_published(cuda_slot& slot, frame_result& result) {
  const auto& header = *reinterpret_cast<const published_header*>(slot.published);
  read_table(slot, header, result);
  const published_places at = published_places::of(plan_.lists, header.count, header.links, header.runs);
  if (plan_.lists.links) {
    const auto* const links = reinterpret_cast<const link*>(slot.published + at.links);
    inheritance_.step(result.frame, {links, header.links}, result.table.components, result.objects, result.events);
  } else {
    const auto* const runs = reinterpret_cast<const labelled_run*>(slot.published + at.runs);
    runs_.assign(runs, runs + header.runs);
    inheritance_.step(result.frame, runs_, result.table.components, result.objects, result.events);
  }
}

// The runs of a label image on the device.
void cuda_work::read_runs(const u32* labels, std::vector<labelled_run>& runs) const {
  runs.clear();
  if (labels == nullptr) return;
  std::vector<u32> pixels(plan_.pixels);
  check_cuda(cudaMemcpy(pixels.data(), labels, pixels.size() * sizeof(u32), cudaMemcpyDeviceToHost), "publish");
  const i64 width = options_.size.width;
  for (i64 row = 0; row < options_.size.rows(); ++row) {
    const u32* const line = pixels.data() + row * width;
    for (i64 x = 0; x < width; ++x) {
      if (line[x] == 0) continue;
      const i64 begin = x;
      while (x + 1 < width && line[x + 1] == line[begin]) ++x;
      runs.push_back({row, static_cast<i32>(begin), static_cast<i32>(x + 1), line[begin]});
    }
  }
}

// A frame with more objects, links or runs than the slot holds: once more, by the blocking call, whose memory grows.
void cuda_work::inherit_overflowing(cuda_slot& slot, frame_result& result) {
  check_cuda(cudaStreamSynchronize(slot.stream), "publish");
  label_options how;
  how.connectivity = options_.connectivity;
  how.foreground = rule();
  how.selection = options_.selection;
  measure_options features;
  features.moments = options_.moments;
  if (options_.intensities) features.intensity = device_frame(slot);
  measure_outputs outputs;
  outputs.runs = &runs_;
  result.count = measure(on_, foreground_image(slot), how, features, result.table, outputs);
  if (plan_.lists.links) {
    read_runs(seen_labels_, runs_before_);
    inheritance_.set_runs(runs_before_);
  }
  inheritance_.step(result.frame, runs_, result.table.components, result.objects, result.events);
}

// Labels become ids.
void cuda_work::paint(const cuda_slot& slot, frame_result& result) const {
  for (u64 i = 0; i < plan_.pixels; ++i)
    if (const u32 label = slot.host_labels[i]; label != 0) slot.host_labels[i] = result.objects[label - 1].id;
  result.labels = {slot.host_labels, dtype::u32, options_.size};
}

void cuda_work::inherit(std::size_t number, frame_result& result) {
  cuda_slot& slot = *slots_[number];
  if (plan_.pixels > 0) {
    const current_device here(device_);
    const published_header& header = wait_for(slot);
    if (header.no_threshold != 0) refuse("image: no pixel is finite");
    result.count = header.count;
    result.transferred = plan_.publish_on_device ? std::max(header.bytes, slot.copied) : header.bytes;
    const bool linked_right =
        slot.linked == seen_frame_.has_value() && (!slot.linked || slot.linked_to == *seen_frame_);
    if (plan_.lists.links && !linked_right && header.overflow == 0) link_to_last_good(slot);
    if (header.overflow == 0) inherit_published(slot, result);
    else inherit_overflowing(slot, result);
    slot.on_its_way = false;
    const std::lock_guard held(mutex_);
    seen_labels_ = slot.labels[slot.image];
    seen_frame_ = result.frame;
  } else {
    runs_.clear();
    inheritance_.step(result.frame, runs_, result.table.components, result.objects, result.events);
  }
  if (options_.labels) paint(slot, result);
  cut(options_, result);
}

}  // namespace

std::unique_ptr<frame_work> make_cuda_work(engine& on, const track_options& options) {
  try {
    return std::make_unique<cuda_work>(on, options);
  } catch (const out_of_memory&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw out_of_memory("out of memory: the slots of the stream do not fit");
  }
}

}  // namespace skerry::track_steps
