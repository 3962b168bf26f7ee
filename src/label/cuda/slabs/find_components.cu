// SPDX-License-Identifier: Apache-2.0
// The first pass over slabs: stages 1 to 5 of each alone, and the components that touch across borders.
//
//   lane   two slabs at a time: while one is copied, the other is computed; then the host takes its table
//   border the layers of labels on both sides are compared on the device of the lane that comes second
#include <algorithm>
#include <tuple>

#include "engine/stop.hpp"
#include "label/cuda/slabs/call.cuh"
#include "label/cuda/slabs/slab_job.cuh"

namespace skerry::label_stages::on_device {
namespace {

// Rows go to memory of the host that the lane keeps, behind the slab's work in the stream: nobody waits for them here.
slab_rows download_rows(const cuda::label_job& work, u64 count, cudaStream_t stream, lane& on, std::size_t nth) {
  slab_rows rows;
  std::size_t bytes = 0;
  each_job_group(
      [&](auto, auto list, const char*) { bytes += work.*list == nullptr ? 0 : count * sizeof *(work.*list); });
  if (bytes == 0) return rows;
  auto* to = static_cast<char*>(on.table(nth, bytes));
  each_job_group([&]<class Group>(Group, auto list, const char*) {
    using row = typename Group::row;
    if (work.*list == nullptr) return;
    check_cuda(cudaMemcpyAsync(to, work.*list, count * sizeof(row), cudaMemcpyDeviceToHost, stream), "measure");
    std::get<const row*>(rows.groups) = reinterpret_cast<const row*>(to);
    to += count * sizeof(row);
  });
  return rows;
}

// ---- borders --------------------------------------------------------------------------------------

std::size_t layer_bytes(const extent& size) {
  return static_cast<std::size_t>(size.rank == 3 ? size.height * size.width : size.width) * sizeof(u32);
}

// A list of pairs in the slot's memory: their count, and from `list_begin` on the pairs.
constexpr std::size_t list_begin = 256, told_pairs = 4096;

class pair_list {
 public:
  pair_list(slab_slot& slot, u64 capacity) : slot_(slot), capacity_(capacity) {
    slot.pairs.reserve(list_begin + capacity * sizeof(touching_labels), "the pairs of a border");
    slot.told.reserve(list_begin + told_pairs * sizeof(touching_labels), "what the device tells");
  }
  // Returns how many pairs there are; all are in `to` if they are not more than the capacity.
  u64 find(const layer_pair& layers, std::vector<touching_labels>& to) {
    auto* const begin = static_cast<char*>(slot_.pairs.data());
    auto* const pairs = reinterpret_cast<touching_labels*>(begin + list_begin);
    const u64 told = std::min<u64>(capacity_, told_pairs);
    const std::size_t told_bytes = list_begin + told * sizeof(touching_labels);
    check_cuda(cudaMemsetAsync(begin, 0, told_bytes, slot_.stream), "merge");
    find_pairs(layers, pairs, capacity_, reinterpret_cast<u64*>(begin), slot_.stream);
    copy(slot_.told.data(), begin, told_bytes);
    const u64 count = *static_cast<const u64*>(slot_.told.data());
    if (count > capacity_) return count;
    to.resize(count);
    const auto* const first =
        reinterpret_cast<const touching_labels*>(static_cast<char*>(slot_.told.data()) + list_begin);
    std::copy(first, first + std::min(count, told), to.begin());
    if (count > told) copy(to.data() + told, pairs + told, (count - told) * sizeof(touching_labels));
    return count;
  }

 private:
  void copy(void* to, const void* from, std::size_t bytes) {
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, slot_.stream), "merge");
    check_cuda(cudaStreamSynchronize(slot_.stream), "merge");
  }
  slab_slot& slot_;
  u64 capacity_;
};

// Both layers are there. The one that another device has is copied.
void join_border(slab_call& call, std::size_t border, lane& here, slab_slot& slot) {
  slab_border& both = call.borders[border];
  const extent& size = call.slabs[border].image.size;
  const void* layers[2] = {both.before->data(), both.here->data()};
  const int devices[2] = {both.lane_before->device(), both.lane_here->device()};
  for (int k = 0; k < 2; ++k) {
    if (devices[k] == here.device()) continue;
    slot.other_layer.reserve(layer_bytes(size), "the labels of a border");
    check_cuda(cudaMemcpyPeerAsync(slot.other_layer.data(), here.device(), layers[k], devices[k], layer_bytes(size),
                                   slot.stream),
               "merge");
    layers[k] = slot.other_layer.data();
  }
  const layer_pair pair{static_cast<const u32*>(layers[0]), static_cast<const u32*>(layers[1]), size,
                        call.options.connectivity};
  std::vector<touching_labels> found;
  u64 capacity = std::max<u64>(told_pairs, layer_bytes(size) / sizeof(u32) / 8);
  for (u64 count = capacity + 1; count > capacity;) {
    count = pair_list(slot, capacity).find(pair, found);
    if (count > capacity) capacity = count + count / 8, count = capacity + 1;
  }
  if (call.slabs.size() > 2)
    keep_uniting(found);  // while the next slab is copied; of one border nothing goes on beside
  call.unions.add(border, found);
  both.lane_before->give_back(std::move(both.before));
  both.lane_here->give_back(std::move(both.here));
}

// ---- lane -----------------------------------------------------------------------------------------

class first_pass {
 public:
  first_pass(slab_call& call, std::size_t nth) : call_(call), lane_(*call.lanes[nth]), own_(call.work[nth]) {}

  void run() {
    for (std::size_t k = 0; k < own_.size(); ++k) {
      stop_point();
      slab_slot& slot = lane_.slots[k % 2];
      collect(slot);
      begin(slot, own_[k], k);
    }
    collect(lane_.slots[own_.size() % 2]);
    collect(lane_.slots[(own_.size() + 1) % 2]);
    for (const slab_slot& slot : lane_.slots) check_cuda(cudaStreamSynchronize(slot.stream), "measure");
  }

 private:
  struct layers {
    std::unique_ptr<device_memory> first, last;
  };

  void begin(slab_slot& slot, std::size_t slab, std::size_t nth) {
    slot.slab = slab;
    solve(slot, nth);
    const solved_slab& solved = call_.solved[slab];
    const std::size_t bytes = layer_bytes(call_.slabs[slab].image.size);
    layers& own = layers_of_slot(slot);
    if (slab > 0) publish_layer(solved, false, take(own.first, bytes));
    if (slab + 1 < call_.slabs.size()) publish_layer(solved, true, take(own.last, bytes));
  }
  void solve(slab_slot& slot, std::size_t nth) {
    const slab_images& images = call_.slabs[slot.slab];
    cuda::label_job work = job_of(call_, images, slot, lane_.device());
    if (call_.measures) measure_too(work, call_, images, slot, lane_);
    call_.solved[slot.slab] = solved_alone(work, call_.keeps ? &lane_ : nullptr, nth, slot);
    nth_of_slot(slot) = nth;
    slot.told.reserve(list_begin, "what the device tells");
    check_cuda(cudaMemcpyAsync(slot.told.data(), call_.solved[slot.slab].work.offsets, 2 * sizeof(u64),
                               cudaMemcpyDeviceToHost, slot.stream),
               "resolve");
  }
  void collect(slab_slot& slot) {
    if (slot.slab == no_slab) return;
    const std::size_t slab = slot.slab;
    slab_findings& found = call_.found[slab];
    found.count = count_of(slot);
    if (call_.measures && found.count > call_.solved[slab].work.row_capacity) {  // now the number is known
      lane_.row_capacity = std::max(lane_.row_capacity, found.count + found.count / 4);
      solve(slot, nth_of_slot(slot));
      found.count = count_of(slot);
    }
    if (call_.measures) {
      found.rows = download_rows(call_.solved[slab].work, found.count, slot.stream, lane_, nth_of_slot(slot));
      found.rows.first[call_.whole.rank == 3 ? 0 : 1] = call_.slabs[slab].first;
    }
    layers& own = layers_of_slot(slot);
    if (own.first != nullptr) arrive(slab - 1, false, std::move(own.first), slot);
    if (own.last != nullptr) arrive(slab, true, std::move(own.last), slot);
    slot.slab = no_slab;
  }
  u64 count_of(slab_slot& slot) {
    check_cuda(cudaStreamSynchronize(slot.stream), "resolve");
    return static_cast<const u64*>(slot.told.data())[1];
  }
  void arrive(std::size_t border, bool before, std::unique_ptr<device_memory> layer, slab_slot& slot) {
    slab_border& both = call_.borders[border];
    {
      const std::lock_guard alone(both.lock);
      (before ? both.before : both.here) = std::move(layer);
      (before ? both.lane_before : both.lane_here) = &lane_;
      if (both.before == nullptr || both.here == nullptr) return;
    }
    join_border(call_, border, lane_, slot);
  }
  u32* take(std::unique_ptr<device_memory>& layer, std::size_t bytes) {
    layer = lane_.take_layer(bytes);
    return static_cast<u32*>(layer->data());
  }
  layers& layers_of_slot(const slab_slot& slot) { return layers_[&slot - lane_.slots]; }
  std::size_t& nth_of_slot(const slab_slot& slot) { return nth_[&slot - lane_.slots]; }

  slab_call& call_;
  lane& lane_;
  const std::vector<std::size_t>& own_;
  layers layers_[2];
  std::size_t nth_[2] = {0, 0};
};

}  // namespace

void find_components(slab_call& call, std::size_t nth_lane) { first_pass(call, nth_lane).run(); }

}  // namespace skerry::label_stages::on_device
