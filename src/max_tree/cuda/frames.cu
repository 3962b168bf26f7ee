// SPDX-License-Identifier: Apache-2.0
// Each frame has a slot: a stream of its own, memory, and a tree plan that is bound to it. Copies of one frame and kernels of others
// overlap; a slot is used again when its frame is done.
#include "max_tree/cuda/frames.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "engine/cuda/host_images.cuh"
#include "skerry/cuda.hpp"

namespace skerry {
namespace {

class frame_slot {
 public:
  explicit frame_slot(const tree_stream_options& options) : size_(options.size), type_(options.type) {
    const auto pixels = static_cast<std::size_t>(size_.pixels());
    image_.reserve(pixels * size_of(type_), "a frame");
    parent_.reserve(pixels * sizeof(u32), "a tree");
    area_.reserve(pixels * sizeof(u32), "a tree");
    first_nan_.reserve(sizeof(u64), "a tree");
    told_nan_.reserve(sizeof(u64), "a tree");
    tree_.image = {image_.data(), type_, size_};
    tree_.connectivity = options.tree.connectivity;
    tree_.kind = options.tree.kind;
    tree_.parent = static_cast<u32*>(parent_.data());
    tree_.area = static_cast<u32*>(area_.data());
    if (type_ == dtype::f32) tree_.first_nan = static_cast<u64*>(first_nan_.data());
    const cuda::tree_plan build(tree_);
    words_.reserve(std::max(build.scratch_bytes(), cuda::scratch_bytes(filter_of(tree_.image, 0, false, {}))),
                   "scratch");
    build_.emplace(build.bind(words_.data()));
  }

  void start(u64 number, const image_view& frame, u64 least_area, bool top_hat, const mutable_image& output) {
    const image_view image = take(frame);
    const bool returns_to_host = !is_device_memory(output.data);
    mutable_image target = output;
    if (returns_to_host) {
      filtered_.reserve(dense_bytes(output), "an output");
      target = {filtered_.data(), output.type, output.size};
    }
    const cuda::tree_filter_plan filter(filter_of(image, least_area, top_hat, target));
    if (image.data == image_.data()) {
      build_->enqueue(stream_);
    } else {
      cuda::tree_job own = tree_;
      own.image = image;
      cuda::tree_plan(own).enqueue(words_.data(), stream_);
    }
    filter.enqueue(words_.data(), stream_);
    if (tree_.first_nan != nullptr) copy(told_nan_.data(), tree_.first_nan, sizeof(u64), "emit");
    to_unpack_.reset();
    if (returns_to_host) give_back(output);
    number_ = number;
  }

  [[nodiscard]] std::optional<u64> number() const { return number_; }

  [[nodiscard]] bool is_done() const {
    const cudaError_t state = cudaStreamQuery(stream_);
    if (state == cudaErrorNotReady) return false;
    check_cuda(state, "emit");
    return true;
  }

  i64 wait() {
    if (!number_) return -1;
    number_.reset();
    check_cuda(cudaStreamSynchronize(stream_), "emit");
    if (to_unpack_) unpack(static_cast<std::byte*>(returned_.data()), *to_unpack_);
    return tree_.first_nan == nullptr ? -1 : static_cast<i64>(*static_cast<const u64*>(told_nan_.data()));
  }

  // Also after an error: nothing may write to memory that is about to go.
  void end() noexcept { cudaStreamSynchronize(stream_); }

 private:
  void copy(void* to, const void* from, std::size_t bytes, const char* stage) const {
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), stage);
  }

  cuda::tree_filter_job filter_of(const image_view& image, u64 least_area, bool top_hat,
                                  const mutable_image& output) const {
    cuda::tree_filter_job work;
    work.image = image;
    work.kind = tree_.kind;
    work.parent = tree_.parent;
    work.area = tree_.area;
    work.least_area = least_area;
    work.top_hat = top_hat;
    work.output = output.data != nullptr ? output : mutable_image{parent_.data(), type_, size_};
    return work;
  }

  // Where the device finds the frame.
  image_view take(const image_view& frame) {
    const cudaMemoryType memory = memory_type_of(frame.data);
    if (is_device_memory(memory)) return frame;
    const void* from = frame.data;
    if (memory != cudaMemoryTypeHost || !is_dense(frame)) {
      taken_.reserve(dense_bytes(frame), "a frame");
      pack(frame, static_cast<std::byte*>(taken_.data()));
      from = taken_.data();
    }
    copy(image_.data(), from, dense_bytes(frame), "upload");
    return tree_.image;
  }

  void give_back(const mutable_image& output) {
    if (memory_type_of(output.data) == cudaMemoryTypeHost && is_dense(output))
      return copy(output.data, filtered_.data(), dense_bytes(output), "emit");
    returned_.reserve(dense_bytes(output), "an output");
    copy(returned_.data(), filtered_.data(), dense_bytes(output), "emit");
    to_unpack_ = output;
  }

  extent size_;
  dtype type_;
  cuda_stream stream_;
  device_memory image_, parent_, area_, first_nan_, words_, filtered_;
  pinned_memory taken_, returned_, told_nan_;
  cuda::tree_job tree_;
  std::optional<cuda::bound_plan> build_;
  std::optional<u64> number_;               // of the frame on its way
  std::optional<mutable_image> to_unpack_;  // its output, if that is not written by the device
};

class frames_in_slots final : public frames_on_device {
 public:
  frames_in_slots(const engine::state& on, const tree_stream_options& options)
      : device_(on.device), options_(options), slots_(static_cast<std::size_t>(options.in_flight)) {}
  frames_in_slots(const frames_in_slots&) = delete;
  frames_in_slots& operator=(const frames_in_slots&) = delete;
  ~frames_in_slots() override {
    try {
      const current_device here(device_);
      for (auto& slot : slots_)
        if (slot) slot->end();
      slots_.clear();
    } catch (const device_error&) {  // the device is lost, and with it what was on its way
    }
  }

  [[nodiscard]] int device() const override { return device_; }

  void start(u64 number, const image_view& frame, u64 least_area, bool top_hat, const mutable_image& output) override {
    const current_device here(device_);
    auto& slot = slots_[number % slots_.size()];
    if (!slot) slot = std::make_unique<frame_slot>(options_);
    if (const std::optional<u64> before = slot->number())
      if (const i64 nan = slot->wait(); nan >= 0) refused_[*before] = nan;
    slot->start(number, frame, least_area, top_hat, output);
  }

  bool is_done(u64 number) override {
    const current_device here(device_);
    const auto& slot = slots_[number % slots_.size()];
    return !slot || slot->number() != number || slot->is_done();
  }

  i64 wait(u64 number) override {
    const current_device here(device_);
    auto& slot = slots_[number % slots_.size()];
    if (slot && slot->number() == number) return slot->wait();
    const auto refused = refused_.find(number);
    if (refused == refused_.end()) return -1;
    const i64 nan = refused->second;
    refused_.erase(refused);
    return nan;
  }

 private:
  int device_;
  tree_stream_options options_;
  std::vector<std::unique_ptr<frame_slot>> slots_;
  std::map<u64, i64> refused_;  // frames with a NaN that nobody has waited for yet
};

}  // namespace

std::unique_ptr<frames_on_device> make_frames_on_device(const engine::state& on, const tree_stream_options& options) {
  return std::make_unique<frames_in_slots>(on, options);
}

}  // namespace skerry
