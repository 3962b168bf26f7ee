// SPDX-License-Identifier: Apache-2.0
// A lane: one device of an engine of several, with two slabs on their way, so that one is copied while the other is computed.
// A device that was named twice has two lanes. All memory only grows and stays with the engine.
#pragma once
#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/cpu/buffer.hpp"
#include "engine/cuda/device_memory.cuh"
#include "label/cuda/job_groups.hpp"
#include "label/cuda/slabs/stages.hpp"

namespace skerry::label_stages::on_device {

inline constexpr std::size_t no_slab = ~std::size_t{0};

/// One slab on its way.
struct slab_slot {
  cuda_stream stream;
  device_memory image, intensity_image, work, labels, given, runs, runs_before;
  device_memory rows[job_groups], short_rows, listed_rows;
  pinned_memory told;          // what the device says of a slab, and later what it is told
  buffer<std::byte> packed;    // an image of the host that is not dense there
  std::size_t slab = no_slab;  // its number, while it is on its way
  cuda_event rows_are_there;   // the rows of the slot's last slab have reached the host

  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = packed.bytes() + told.bytes();
    for (const device_memory* held :
         {&image, &intensity_image, &work, &labels, &given, &runs, &runs_before, &short_rows, &listed_rows})
      sum += held->bytes();
    for (const device_memory& held : rows) sum += held.bytes();
    return sum;
  }
};

/// Where a lane compares the labels of two layers, while its slots go on.
struct border_slot {
  cuda_stream stream{cuda_stream::urgent};  // a host thread that waits for it delays the next slab
  device_memory counters, pairs, other_layer;
  pinned_memory told;  // what the device says of a border
  std::vector<touching_labels> found;
  component_sets sets;

  [[nodiscard]] std::size_t bytes() const {
    return counters.bytes() + pairs.bytes() + other_layer.bytes() + told.bytes() + sets.bytes() +
           found.capacity() * sizeof(touching_labels);
  }
};

class lane {
 public:
  /// The device is the current one, and reads the memory of those `reached`. Of its free memory, `share` lanes use what is left from
  /// call to call.
  lane(int device, int share, std::vector<int> reached) : device_(device), reached_(std::move(reached)) {
    std::size_t free = 0, all = 0;
    check_cuda(cudaMemGetInfo(&free, &all), "start");
    budget_ = free / 5 * 3 / static_cast<std::size_t>(share);
  }

  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] bool reads(int device) const {
    return std::find(reached_.begin(), reached_.end(), device) != reached_.end();
  }
  slab_slot slots[2];
  border_slot borders;
  u64 row_capacity = 1 << 16;  // of slabs: what the largest so far had

  /// Memory that keeps a slab's tables from the first pass to the second, or null where there is not enough. `nth` slab of
  /// the lane; the same in every call.
  device_memory* kept(std::size_t nth, std::size_t bytes) {
    if (nth >= kept_.size()) kept_.resize(nth + 1);
    std::unique_ptr<device_memory>& memory = kept_[nth];
    const std::size_t now = memory == nullptr ? 0 : memory->bytes();
    if (bytes > now && kept_bytes_ - now + bytes > budget_) return nullptr;
    if (memory == nullptr) memory = std::make_unique<device_memory>();
    kept_bytes_ -= now;
    try {
      memory->reserve(bytes, "scratch of slabs");
    } catch (const out_of_memory&) {  // the caller has taken it since
      budget_ = kept_bytes_;
      return nullptr;
    }
    kept_bytes_ += memory->bytes();
    return memory.get();
  }

  /// Memory of the host for the table of the lane's `nth` slab.
  void* table(std::size_t nth, std::size_t bytes) {
    if (nth >= tables_.size()) tables_.resize(nth + 1);
    if (tables_[nth] == nullptr) tables_[nth] = std::make_unique<pinned_memory>();
    tables_[nth]->reserve(bytes, "the table");
    return tables_[nth]->data();
  }

  /// Memory for a layer of labels, of those that were given back. Threads of other lanes give back, too.
  std::unique_ptr<device_memory> take_layer(std::size_t bytes) {
    std::unique_ptr<device_memory> layer;
    {
      const std::lock_guard alone(spare_);
      if (!layers_.empty()) {
        layer = std::move(layers_.back());
        layers_.pop_back();
      }
    }
    if (layer == nullptr) layer = std::make_unique<device_memory>();
    layer->reserve(bytes, "the labels of a border");
    return layer;
  }
  void give_back(std::unique_ptr<device_memory> layer) {
    const std::lock_guard alone(spare_);
    layers_.push_back(std::move(layer));
  }

  /// Waits until nothing of a call that failed is on its way.
  void drain() noexcept {
    cudaStreamSynchronize(borders.stream);
    for (slab_slot& slot : slots) {
      cudaStreamSynchronize(slot.stream);
      slot.slab = no_slab;
    }
  }

  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = kept_bytes_ + borders.bytes();
    for (const slab_slot& slot : slots) sum += slot.bytes();
    for (const auto& layer : layers_) sum += layer->bytes();
    for (const auto& table : tables_) sum += table == nullptr ? 0 : table->bytes();
    return sum;
  }

 private:
  int device_;
  std::vector<int> reached_;
  std::size_t budget_, kept_bytes_ = 0;
  std::vector<std::unique_ptr<device_memory>> kept_, layers_;
  std::vector<std::unique_ptr<pinned_memory>> tables_;
  std::mutex spare_;
};

}  // namespace skerry::label_stages::on_device
