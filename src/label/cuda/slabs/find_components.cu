// SPDX-License-Identifier: Apache-2.0
// The first pass over slabs: stages 1 to 5 of each alone, and the components that touch across borders.
//
//   lane   two slabs at a time: while one is copied, the other is computed; then the host takes its table. The next slab
//          is on its way before anything else is done with this one
//   border the layers of labels on both sides are compared on the device of the lane that comes second
//   table  rows of the first slabs are placed as soon as their labels are final
#include <algorithm>
#include <tuple>
#include <type_traits>

#include "engine/stop.hpp"
#include "label/cuda/slabs/call.cuh"
#include "label/cuda/slabs/slab_job.cuh"

namespace skerry::label_stages::on_device {
namespace {

// What the device has counted in a slab. The plan knows the first two numbers; the third follows them in the same memory.
struct slab_counts {
  u64 before, components, listed;
};

// Calls visit(rows on the device) for each group that the plan measures besides geometry.
template <class Visit>
void each_other_group(const cuda::label_job& work, Visit visit) {
  each_job_group([&]<class Group>(Group, auto list, const char*) {
    if constexpr (!std::is_same_v<Group, geometry_group>)
      if (work.*list != nullptr) visit(static_cast<const typename Group::row*>(work.*list));
  });
}

// Rows go to memory of the host that the lane keeps, behind the slab's work in the stream: nobody waits for them here. Geometry goes
// in short rows.
slab_rows download_rows(const cuda::label_job& work, const slab_counts& counts, const slab_slot& slot, lane& on,
                        std::size_t nth) {
  slab_rows rows;
  rows.frame = frame_of(work.image.size);
  std::size_t bytes = counts.components * sizeof(u64) + counts.listed * sizeof(geometry);
  each_other_group(work, [&](const auto* list) { bytes += counts.components * sizeof *list; });
  if (bytes == 0) return rows;
  auto* to = static_cast<char*>(on.table(nth, bytes));
  const auto download = [&]<class Row>(const Row* from, u64 count) {
    check_cuda(cudaMemcpyAsync(to, from, count * sizeof(Row), cudaMemcpyDeviceToHost, slot.stream), "measure");
    const auto* const there = reinterpret_cast<const Row*>(to);
    to += count * sizeof(Row);
    return there;
  };
  rows.shapes = download(static_cast<const u64*>(slot.short_rows.data()), counts.components);
  rows.large = download(static_cast<const geometry*>(slot.listed_rows.data()), counts.listed);
  each_other_group(
      work, [&]<class Row>(const Row* list) { std::get<const Row*>(rows.others) = download(list, counts.components); });
  return rows;
}

// ---- borders --------------------------------------------------------------------------------------

std::size_t layer_bytes(const extent& size) {
  return static_cast<std::size_t>(size.rank == 3 ? size.height * size.width : size.width) * sizeof(u32);
}

constexpr std::size_t count_bytes = 256, told_pairs = 1 << 14;

// Lists all pairs of a border, in memory that stays with the lane. A block passes over most pairs that it has listed before; over
// which of them depends on the order of its warps. So each run of the kernel has a number of pairs of its own.
void list_pairs(const layer_pair& layers, border_slot& slot) {
  constexpr std::size_t pair_bytes = sizeof(touching_labels);
  if (slot.counters.bytes() == 0) {
    slot.counters.reserve(count_bytes, "the counters of borders");
    check_cuda(cudaMemsetAsync(slot.counters.data(), 0, slot.counters.bytes(), slot.stream), "merge");
  }
  slot.told.reserve(count_bytes + told_pairs * pair_bytes, "what the device tells");
  auto* const count = static_cast<u64*>(slot.told.data());
  auto* const told = reinterpret_cast<touching_labels*>(static_cast<char*>(slot.told.data()) + count_bytes);
  const auto find = [&] {
    auto* const more = static_cast<touching_labels*>(slot.pairs.data());
    find_pairs(layers,
               {count, told, more, told_pairs, told_pairs + slot.pairs.bytes() / pair_bytes,
                static_cast<u64*>(slot.counters.data())},
               slot.stream);
    check_cuda(cudaStreamSynchronize(slot.stream), "merge");
    return *count;
  };
  u64 pairs = find();
  while (pairs > told_pairs + slot.pairs.bytes() / pair_bytes) {
    const u64 more = pairs - told_pairs;
    slot.pairs.reserve((more + more / 8) * pair_bytes, "the pairs of a border");
    pairs = find();
  }
  const u64 beyond = pairs - std::min<u64>(pairs, told_pairs);
  slot.found.assign(told, told + (pairs - beyond));
  if (beyond == 0) return;
  slot.found.resize(pairs);
  check_cuda(cudaMemcpyAsync(slot.found.data() + told_pairs, slot.pairs.data(), beyond * pair_bytes,
                             cudaMemcpyDeviceToHost, slot.stream),
             "merge");
  check_cuda(cudaStreamSynchronize(slot.stream), "merge");
}

// Both layers are there. One that another device has is copied: a slice of a volume, which is read often, or what this device
// cannot read.
void join_border(slab_call& call, std::size_t border, lane& here) {
  slab_border& both = call.borders[border];
  border_slot& slot = here.borders;
  const extent& size = call.slabs[border].image.size;
  const void* layers[2] = {both.before->data(), both.here->data()};
  const int devices[2] = {both.lane_before->device(), both.lane_here->device()};
  for (int k = 0; k < 2; ++k) {
    if (devices[k] == here.device() || (size.rank == 2 && here.reads(devices[k]))) continue;
    slot.other_layer.reserve(layer_bytes(size), "the labels of a border");
    check_cuda(cudaMemcpyPeerAsync(slot.other_layer.data(), here.device(), layers[k], devices[k], layer_bytes(size),
                                   slot.stream),
               "merge");
    layers[k] = slot.other_layer.data();
  }
  list_pairs({static_cast<const u32*>(layers[0]), static_cast<const u32*>(layers[1]), size, call.options.connectivity},
             slot);
  // One thread will unite the pairs of all lanes.
  if (slot.found.size() > told_pairs) keep_uniting(slot.found, slot.sets);
  call.numbers->unite(border, slot.found);
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
      found_slab found = collect(slot);
      begin(slot, own_[k], k);
      tell(std::move(found));
    }
    tell(collect(lane_.slots[own_.size() % 2]));
    tell(collect(lane_.slots[(own_.size() + 1) % 2]));
    for (const slab_slot& slot : lane_.slots) check_cuda(cudaStreamSynchronize(slot.stream), "measure");
  }

 private:
  struct layers {
    std::unique_ptr<device_memory> first, last;
  };
  struct found_slab {
    slab_slot* slot = nullptr;
    std::size_t slab = no_slab;
    layers labels;
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
    auto* const counts = reinterpret_cast<slab_counts*>(call_.solved[slot.slab].work.offsets);
    if (call_.measures) {
      const u64 room = lane_.row_capacity;
      shorten_rows(call_.solved[slot.slab], {rows_in<u64>(slot.short_rows, room, "the table"),
                                             rows_in<geometry>(slot.listed_rows, room, "the table"), &counts->listed});
    }
    slot.told.reserve(count_bytes, "what the device tells");
    check_cuda(cudaMemcpyAsync(slot.told.data(), counts, sizeof *counts, cudaMemcpyDeviceToHost, slot.stream),
               "resolve");
  }
  // What the device has found. Rows are on their way.
  found_slab collect(slab_slot& slot) {
    if (slot.slab == no_slab) return {};
    const std::size_t slab = slot.slab;
    slab_findings& found = call_.found[slab];
    slab_counts counts = counts_of(slot);
    found.count = counts.components;
    if (call_.measures && found.count > call_.solved[slab].work.row_capacity) {  // now the number is known
      lane_.row_capacity = std::max(lane_.row_capacity, found.count + found.count / 4);
      solve(slot, nth_of_slot(slot));
      counts = counts_of(slot);
    }
    if (call_.measures) {
      found.rows = download_rows(call_.solved[slab].work, counts, slot, lane_, nth_of_slot(slot));
      found.rows.first[call_.whole.rank == 3 ? 0 : 1] = call_.slabs[slab].first;
      check_cuda(cudaEventRecord(slot.rows_are_there, slot.stream), "measure");
    }
    slot.slab = no_slab;
    return {&slot, slab, std::move(layers_of_slot(slot))};
  }
  // What follows from it; the slot is at work again.
  void tell(found_slab found) {
    if (found.slab == no_slab) return;
    if (found.labels.first != nullptr) arrive(found.slab - 1, false, std::move(found.labels.first));
    if (found.labels.last != nullptr) arrive(found.slab, true, std::move(found.labels.last));
    if (call_.measures) check_cuda(cudaEventSynchronize(found.slot->rows_are_there), "measure");
    call_.numbers->arrive(found.slab);
    if (call_.table != nullptr) call_.table->news();  // to those who help
    else call_.numbers->number_final();
  }
  slab_counts counts_of(slab_slot& slot) {
    check_cuda(cudaStreamSynchronize(slot.stream), "resolve");
    return *static_cast<const slab_counts*>(slot.told.data());
  }
  void arrive(std::size_t border, bool before, std::unique_ptr<device_memory> layer) {
    slab_border& both = call_.borders[border];
    {
      const std::lock_guard alone(both.lock);
      (before ? both.before : both.here) = std::move(layer);
      (before ? both.lane_before : both.lane_here) = &lane_;
      if (both.before == nullptr || both.here == nullptr) return;
    }
    join_border(call_, border, lane_);
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
