// SPDX-License-Identifier: Apache-2.0
#include "track/cuda_ring.cuh"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <thread>
#include <utility>

#include "track/background.cuh"
#include "track/frame_steps.hpp"
#include "track/packed_runs.hpp"

namespace skerry::track_steps {
namespace {

using publishing = track_options::publishing;
using policy = frame_threshold::policy;

constexpr u64 least_row_capacity = 1024;
// The device chooses ids where there is room for more objects than these: four small kernels in turn take longer than the host for a few.
constexpr u64 most_rows_named_by_host = 8192;
// One kernel for a small frame takes longer than several for thousands of components that its blocks have no room for. So
// callers get several kernels if they make room for more than these, and for more than one in 8 pixels.
constexpr u64 most_rows_in_one_kernel = 4096;
// Labelling reads each pixel once. Up to this size it reads the host's memory, in whole pieces of 16 bytes: the graph is enqueued in 3.4
// instead of 5.1 µs, and the result is there 6 to 8 µs earlier (H200). At 1024² the highest rate is 8 % lower
// (docs/decisions/0126).
constexpr u64 most_bytes_in_place = u64{1} << 20;
// The device copies a frame in pinned memory at the speed of its link, where a thread takes 100 µs for 1 MiB. For smaller
// frames the call and the wait cost more than they save.
constexpr u64 least_bytes_by_device = u64{1} << 17;

// Whether each frame follows the one that was enqueued just before it: none can be dropped, or lack a threshold.
bool frames_are_in_order(const track_options& options) {
  return options.full == track_options::when_full::wait &&
         (options.threshold.kind != policy::otsu || !sums_reals(options.type));
}

slot_plan plan_for(const track_options& options) {
  slot_plan plan{};
  plan.frame_bytes = dense_bytes(options.type, options.size);
  plan.pixels = static_cast<u64>(options.size.pixels());
  plan.words_of_row = packed_words_for(options.size.width);
  plan.words = static_cast<u64>(plan.words_of_row * options.size.rows());
  const u64 most = plan.pixels / 2 + 1;
  plan.row_capacity = std::min(std::max<u64>(options.capacity, least_row_capacity), std::max<u64>(most, 1));
  plan.link_capacity = std::bit_ceil(std::min<u64>(4 * plan.row_capacity, u64{1} << 24));
  const std::size_t row = sums_reals(options.type) ? sizeof(real_intensity) : sizeof(intensity);
  plan.lists = {options.moments, options.intensities ? row : 0};
  plan.published_bytes = published_places::of(plan.lists, plan.row_capacity, plan.link_capacity).end;
  plan.label_image = options.labels;
  plan.mask = options.threshold.kind != policy::fixed;
  plan.read_in_place = !plan.mask && !options.intensities && plan.frame_bytes <= most_bytes_in_place &&
                       dense_strides(options.type, options.size).y % 16 == 0;
  plan.otsu = options.threshold.kind == policy::otsu;
  plan.publish_on_device = options.publish != publishing::mapped;
  plan.ids = plan.row_capacity > most_rows_named_by_host && !remembers(options.inherit) && !plan.publish_on_device &&
             frames_are_in_order(options);
  return plan;
}

}  // namespace

// ---- start and end --------------------------------------------------------------------------------------------------

cuda_ring::cuda_ring(int device, const track_options& options)
    : device_(device), options_(options), plan_(plan_for(options)) {
  const current_device here(device_);
  for (int i = 0; i < options.slots; ++i) slots_.push_back(std::make_unique<cuda_slot>());
  take_memory();
}

void cuda_ring::bind(std::span<frame_result> results) {
  if (plan_.pixels == 0) return;
  const current_device here(device_);
  if (plan_.ids) {
    for (std::size_t i = 0; i < slots_.size(); ++i) share(*slots_[i], results[i]);
    write_ids({{}, options_.inherit.first_id, 0});
  }
  for (const auto& slot : slots_) capture(*slot);
  for (const auto& slot : slots_) check_cuda(cudaStreamSynchronize(slot->stream), "start");
}

// The lists have pages of their own.
void cuda_ring::share(cuda_slot& slot, frame_result& result) {
  const auto address_of = [&](auto& rows) -> char* {
    if (rows.capacity() == 0) return nullptr;
    shared_.push_back(std::make_unique<shared_with_device>(rows.data(), rows.capacity() * sizeof rows[0]));
    return shared_.back()->on_device();
  };
  char* const intensities = address_of(result.table.intensities);
  char* const real_intensities = address_of(result.table.real_intensities);
  slot.result = {address_of(result.table.components), address_of(result.table.moments),
                 intensities != nullptr ? intensities : real_intensities, address_of(result.objects),
                 address_of(result.events)};
}

cuda_ring::~cuda_ring() {
  for (const auto& slot : slots_) cudaStreamSynchronize(slot->stream);
}

void cuda_ring::take_memory() {
  const auto lay_out = [&](pieces& host, pieces& device) {
    if (has_background()) device.take(mean_, plan_.pixels);
    if (plan_.ids) ids_.lay_out(device, plan_.row_capacity);
    for (const auto& slot : slots_) {
      slot->lay_out_host(host, plan_);
      slot->lay_out_device(device, plan_);
    }
  };
  pieces host_needs(nullptr), device_needs(nullptr);
  lay_out(host_needs, device_needs);
  host_.reserve(host_needs.used(), "the slots of the stream");
  on_device_.reserve(device_needs.used(), "the slots of the stream");
  std::memset(host_.data(), 0, host_needs.used());
  check_cuda(cudaMemset(on_device_.data(), 0, device_needs.used()), "start");
  check_cuda(cudaStreamSynchronize(nullptr), "start");  // streams of the ring do not wait for it
  pieces host(host_.data()), device(on_device_.data());
  lay_out(host, device);
  if (remembers(options_.inherit)) reserve_copied_labels();
  if (plan_.pixels == 0) return;
  scratch_bytes_ = (cuda::scratch_bytes(job_of(*slots_[0], 0)) + 255) / 256 * 256;
  scratch_.reserve(scratch_bytes_ * slots_.size(), "the scratch of the slots of the stream");
  auto* scratch = static_cast<char*>(scratch_.data());
  for (const auto& slot : slots_) slot->scratch = std::exchange(scratch, scratch + scratch_bytes_);
}

cuda::label_job cuda_ring::job_of(const cuda_slot& slot, u32 image) const {
  cuda::label_job work;
  work.image = foreground_image(slot);
  work.connectivity = options_.connectivity;
  work.foreground = rule();
  work.selection = options_.selection;
  work.offsets = slot.offsets;
  work.packed = slot.packed[image];
  if (plan_.label_image) work.labels = {slot.labels, options_.size};
  work.one_kernel = plan_.row_capacity <= std::max(most_rows_in_one_kernel, plan_.pixels / 8);
  work.row_capacity = plan_.row_capacity;
  work.rows = slot.rows;
  work.moments = slot.moments;
  work.intensities = slot.intensities;
  work.real_intensities = slot.real_intensities;
  if (options_.intensities) work.intensity_image = device_frame(slot);
  return work;
}

void cuda_ring::enqueue_labelling(const cuda_slot& slot, u32 image) const {
  if (!has_background() && !plan_.read_in_place && !slot.is_on_device) upload_pixels(slot);
  if (plan_.otsu)
    find_otsu_foreground(device_frame(slot), options_.threshold.where == frame_threshold::side::dark, slot.otsu,
                         slot.mask, slot.stream);
  cuda::label_plan(job_of(slot, image)).enqueue(slot.scratch, slot.stream);
  if (plan_.label_image)
    check_cuda(
        cudaMemcpyAsync(slot.host_labels, slot.labels, plan_.pixels * sizeof(u32), cudaMemcpyDeviceToHost, slot.stream),
        "emit");
  check_cuda(cudaEventRecordWithFlags(slot.labelled, slot.stream, cudaEventRecordExternal), "link");
}

void cuda_ring::capture(cuda_slot& slot) {
  for (const bool is_on_device : {false, true})
    for (u32 image = 0; image < 2; ++image) {
      slot.is_on_device = is_on_device;
      frame_graph& graph = slot.graphs[image][is_on_device ? 1 : 0];
      graph.capture(slot.stream, [&] {
        enqueue_labelling(slot, image);
        if (plan_.ids) ids_of(slot).enqueue_clear(slot.stream);
        graph.enqueue_links(slot.stream, slot.compared, links_of(slot, image, {}));
        if (plan_.ids) {
          graph.wait_for_ids(slot.stream, slot.named);
          ids_of(slot).enqueue(slot.stream);
          check_cuda(cudaEventRecordWithFlags(slot.named, slot.stream, cudaEventRecordExternal), "inherit");
        }
        publish(slot);
      });
    }
}

// ---- upload ---------------------------------------------------------------------------------------------------------

// Waits for work on a dropped frame, which may still read or write the slot's memory.
void cuda_ring::settle(cuda_slot& slot) {
  if (!slot.on_its_way) return;
  slot.on_its_way = false;
  check_cuda(cudaStreamSynchronize(slot.stream), "upload");
}

mutable_image cuda_ring::frame_memory(std::size_t number) {
  const current_device here(device_);
  settle(*slots_[number]);
  return {slots_[number]->pixels, options_.type, options_.size};
}

// push() waits for the first copy, since the caller may then overwrite the frame. The copy to the host comes before the slot's
// labelling on its stream, so it has ended when the result is published.
void cuda_ring::copy_by_device(cuda_slot& slot, const image_view& frame) const {
  slot.is_on_device = slot.on_its_way = true;
  copy_by_stream(frame, slot.frame, slot.stream);
  check_cuda(cudaEventRecord(slot.taken, slot.stream), "upload");
  if (options_.images)
    check_cuda(cudaMemcpyAsync(slot.pixels, slot.frame, plan_.frame_bytes, cudaMemcpyDeviceToHost, slot.stream),
               "upload");
  check_cuda(cudaEventSynchronize(slot.taken), "upload");
}

void cuda_ring::upload(cuda_slot& slot, const image_view& frame) {
  if (plan_.pixels == 0) return;
  const current_device here(device_);
  settle(slot);
  slot.is_on_device = false;
  if (frame.data == slot.pixels) return;
  const cudaMemoryType memory = memory_type_of(frame.data);
  const bool by_device = is_device_memory(memory) || (memory == cudaMemoryTypeHost && is_dense(frame) &&
                                                      plan_.frame_bytes >= least_bytes_by_device);
  if (by_device) copy_by_device(slot, frame);
  else copy_dense(frame, slot.pixels);
}

// ---- analyse --------------------------------------------------------------------------------------------------------

void cuda_ring::upload_pixels(const cuda_slot& slot) const {
  check_cuda(cudaMemcpyAsync(slot.frame, slot.pixels, plan_.frame_bytes, cudaMemcpyHostToDevice, slot.stream),
             "upload");
}

// Each frame updates the mean, so its stream waits for that of the frame before.
void cuda_ring::compare(const cuda_slot& slot) {
  if (has_mean_) check_cuda(cudaStreamWaitEvent(slot.stream, enqueued_->compared, 0), "threshold");
  compare_with_background(device_frame(slot), !has_mean_, mean_limits::of(options_.threshold), mean_, slot.mask,
                          slot.stream);
  check_cuda(cudaEventRecord(slot.compared, slot.stream), "threshold");
  has_mean_ = true;
}

void cuda_ring::publish(const cuda_slot& slot) const {
  constexpr u64 bytes_per_block = 1 << 14, most_blocks = 32;
  const u64 blocks =
      std::min((plan_.row_capacity * sizeof(geometry) + bytes_per_block - 1) / bytes_per_block, most_blocks);
  char* const target = plan_.publish_on_device ? slot.published_on_device : slot.published;
  publish_kernel<<<static_cast<u32>(blocks), publish_threads, 0, slot.stream>>>(slot.publishing(plan_), target);
  check_cuda(cudaGetLastError(), "publish");
}

// Counts the publication, and enqueues the copy of a result that was published on the device.
void cuda_ring::copy_result(cuda_slot& slot) const {
  ++slot.publications;
  if (!plan_.publish_on_device) return;
  slot.copied = options_.publish == publishing::whole ? plan_.published_bytes
                                                      : std::min(predicted_bytes_.load(), plan_.published_bytes);
  check_cuda(
      cudaMemcpyAsync(slot.published, slot.published_on_device, slot.copied, cudaMemcpyDeviceToHost, slot.stream),
      "publish");
}

void cuda_ring::analyse(cuda_slot& slot, u64 frame, const cuda::packed_labels& last_labels) {
  if (plan_.pixels == 0) return;
  const current_device here(device_);
  slot.on_its_way = true;
  // Never overwrites the labels of the last good frame: it may have been in this slot, and a later frame may still link to it.
  slot.image = last_labels.bits == slot.packed[0].bits ? 1 : 0;
  slot.linked = enqueued_ != nullptr;
  slot.linked_to = enqueued_frame_;
  if (has_background()) {
    if (!slot.is_on_device) upload_pixels(slot);
    compare(slot);
  }
  frame_graph& graph = slot.graphs[slot.image][slot.is_on_device ? 1 : 0];
  if (plan_.ids) *slot.number = frame;
  const bool follows = slot.linked && enqueued_ != &slot;
  graph.follow(follows ? enqueued_->labelled : slot.compared, follows ? enqueued_->named : slot.named,
               enqueued_labels_);
  graph.launch(slot.stream);
  enqueued_ = &slot;
  enqueued_labels_ = slot.packed[slot.image];
  enqueued_frame_ = frame;
  copy_result(slot);
}

// ---- publication ----------------------------------------------------------------------------------------------------

// Mapped: polls the header until the device has written it, and checks in between whether the device has failed. Else waits for the
// copy.
const published_header& cuda_ring::wait_for(cuda_slot& slot) {
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

void cuda_ring::write_ids(const carried_ids& ids) {
  const current_device here(device_);
  const auto count = static_cast<u32>(ids.carriers.size());
  std::vector<u32> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](u32 a, u32 b) { return ids.carriers[a].id < ids.carriers[b].id; });
  const id_state state{{{count, ids.next_id, ids.newest_id}, {}}, 0, 0};
  const auto copy = [&](void* to, const void* from, std::size_t bytes) {
    if (bytes > 0) check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, copies_), "inherit");
  };
  copy(ids_.carriers[0], ids.carriers.data(), count * sizeof(carrier));
  copy(ids_.order[0], order.data(), count * sizeof(u32));
  copy(ids_.state, &state, sizeof state);
  check_cuda(cudaStreamSynchronize(copies_), "inherit");
}

carried_ids cuda_ring::read_ids() {
  const auto copy = [&](void* to, const void* from, std::size_t bytes) {
    if (bytes > 0) check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, copies_), "inherit");
    check_cuda(cudaStreamSynchronize(copies_), "inherit");
  };
  id_state state{};
  copy(&state, ids_.state, sizeof state);
  const id_side& side = state.sides[state.turn];
  carried_ids found{std::vector<carrier>(side.count), side.next_id, side.newest_id};
  copy(found.carriers.data(), ids_.carriers[state.turn], side.count * sizeof(carrier));
  return found;
}

void cuda_ring::link_again(cuda_slot& slot, const cuda::packed_labels& before) {
  links_of(slot, slot.image, before).enqueue(slot.stream);
  publish(slot);
  copy_result(slot);
  (void)wait_for(slot);
}

u64 cuda_ring::transferred(const cuda_slot& slot) const {
  const u64 bytes = reinterpret_cast<const published_header*>(slot.published)->bytes;
  return plan_.publish_on_device ? std::max(bytes, slot.copied) : bytes;
}

// Most words have one or two labels: more are copied only when the bits show that there are some.
void cuda_ring::read_runs(const cuda::packed_labels& from, const pixel_box& box, std::vector<labelled_run>& runs) {
  constexpr u64 usual = 2;
  const current_device here(device_);
  const extent& size = options_.size;
  const auto row_of = [&](const i32(&corner)[3]) {
    return std::clamp<i64>(corner[0], 0, size.depth - 1) * size.height + std::clamp<i64>(corner[1], 0, size.height - 1);
  };
  const i64 first = row_of(box.min), rows = row_of(box.max) + 1 - first;
  const u64 begin = static_cast<u64>(first * plan_.words_of_row), count = static_cast<u64>(rows * plan_.words_of_row);
  reserve_copied_labels();
  u32* const bits = static_cast<u32*>(copied_labels_.data());
  const auto copy_labels = [&](u64 some, u64 end) {
    check_cuda(
        cudaMemcpy2DAsync(bits + (some + 1) * count, count * sizeof(u32), from.labels + some * plan_.words + begin,
                          plan_.words * sizeof(u32), count * sizeof(u32), end - some, cudaMemcpyDeviceToHost, copies_),
        "publish");
    check_cuda(cudaStreamSynchronize(copies_), "publish");
  };
  check_cuda(cudaMemcpyAsync(bits, from.bits + begin, count * sizeof(u32), cudaMemcpyDeviceToHost, copies_), "publish");
  copy_labels(0, usual);
  const packed_image found{first, rows, plan_.words_of_row, bits, bits + count};
  if (const u64 labels = found.most_stretches(); labels > usual) copy_labels(usual, labels);
  found.list_runs(runs);
}

void cuda_ring::reserve_copied_labels() {
  copied_labels_.reserve((1 + most_stretches) * plan_.words * sizeof(u32), "the runs of a frame");
}

}  // namespace skerry::track_steps
