// SPDX-License-Identifier: Apache-2.0
// The driver of slabs: deals them to lanes, passes over them once or twice, and numbers their components in between.
#include "label/cuda/slabs/on_slabs.hpp"

#include <algorithm>
#include <exception>
#include <string>

#include "core/feature_groups.hpp"
#include "engine/cpu/processors.hpp"
#include "engine/image_checks.hpp"
#include "engine/stop.hpp"
#include "label/check.hpp"
#include "label/cuda/slabs/call.cuh"
#include "label/cuda/slabs/upload.cuh"
#include "label/slabs/crew.hpp"
#include "skerry/error.hpp"

namespace skerry {
namespace {

using namespace label_stages;
using namespace label_stages::on_device;

// Pixels of a slab of the host: few, so that the first copy and the last computation, which nothing overlaps, are short; but in
// volumes many slices, of which the first and the last are compared with those of other slabs. The last slabs of planes are
// smaller still.
i64 pixels_of_copy(const extent& size) {
  constexpr i64 of_plane = 1 << 26, least = 1 << 27, most = 1 << 29, slices = 32;
  return size.rank == 3 ? std::clamp(slices * size.height * size.width, least, most) : of_plane;
}

std::size_t bytes_of(const feature_table& table) {
  std::size_t sum = 0;
  each_feature_group(
      [&](auto group) { sum += (table.*group.rows).capacity() * sizeof(typename decltype(group)::row); });
  return sum;
}

// What an engine keeps for slabs.
struct slab_scratch final : job_scratch {
  std::vector<std::unique_ptr<lane>> lanes;  // one for each device that was named
  feature_table rows;
  slab_numbering numbers;
  slab_table table;
  crew threads;

  [[nodiscard]] std::size_t bytes() const override {
    std::size_t sum = bytes_of(rows) + numbers.bytes() + table.bytes();
    for (const auto& each : lanes) sum += each->bytes();
    return sum;
  }
};

const std::vector<int>& devices_of(const engine::state& on, std::vector<int>& alone) {
  alone = {on.device};
  return on.devices.empty() ? alone : on.devices;
}

// Lets a device read the memory of the others, where their link can: a border is then read, or copied, without the host. Returns
// those that it reads, itself among them.
std::vector<int> reached_from(int device, const std::vector<int>& devices) {
  std::vector<int> reached = {device};
  for (const int other : devices) {
    int can = 0;
    if (other == device || cudaDeviceCanAccessPeer(&can, device, other) != cudaSuccess || can == 0) continue;
    const cudaError_t answer = cudaDeviceEnablePeerAccess(other, 0);
    if (answer == cudaSuccess || answer == cudaErrorPeerAccessAlreadyEnabled) reached.push_back(other);
  }
  cudaGetLastError();  // it may have been allowed before
  return reached;
}

slab_scratch& scratch_in(engine::state& on, const std::vector<int>& devices) {
  if (on.slab_scratch == nullptr) {
    auto made = std::make_unique<slab_scratch>();
    for (const int device : devices) {
      const current_device here(device);
      made->lanes.push_back(std::make_unique<lane>(
          device, static_cast<int>(std::count(devices.begin(), devices.end(), device)), reached_from(device, devices)));
    }
    on.slab_scratch = std::move(made);
  }
  return static_cast<slab_scratch&>(*on.slab_scratch);
}

// ---- who labels what ------------------------------------------------------------------------------

// The device that a slab has to be labelled on, or on_host where any will do.
int device_of(const slab_question& asked, std::size_t slab, const std::vector<int>& devices) {
  const slab_images& images = asked.slabs[slab];
  const std::string where = asked.one_image ? "" : " of slab " + std::to_string(slab);
  int device = on_host;
  const char* first = nullptr;
  const auto look_at = [&](const char* name, const void* data) {
    const int owner = data == nullptr ? on_host : owner_of(data, devices.front());
    if (owner == on_host) return;
    if (std::find(devices.begin(), devices.end(), owner) == devices.end())
      refuse(name + where + ": is in memory of GPU " + std::to_string(owner) +
             ", which is not among those of the engine; give engine::cuda() its number, too");
    if (device != on_host && owner != device)
      refuse(name + where + ": is in memory of GPU " + std::to_string(owner) + ", but its " + first + " of GPU " +
             std::to_string(device) + "; copy it there");
    device = owner;
    first = name;
  };
  look_at("image", images.image.data);
  look_at("labels", images.labels.data);
  look_at("intensity", images.intensity.data);
  return device;
}

// Cuts the slabs of one device, or those of the host, and deals them to its lanes, in order.
class dealer {
 public:
  dealer(slab_call& call, const std::vector<std::unique_ptr<lane>>& lanes, const engine::state& on)
      : call_(call), lanes_(lanes), on_(on) {}

  void deal(const slab_question& asked, const std::vector<int>& devices) {
    std::vector<int> owner;
    for (std::size_t i = 0; i < asked.slabs.size(); ++i) owner.push_back(device_of(asked, i, devices));
    std::vector<int> owner_of_part;
    for (std::size_t i = 0; i < asked.slabs.size(); ++i) {
      const i64 sharers = std::count(owner.begin(), owner.end(), owner[i]);
      slab_limits limits;
      limits.slabs = (static_cast<i64>(lanes_for(owner[i]).size()) + sharers - 1) / sharers;
      limits.pixels = owner[i] == on_host ? pixels_of_copy(asked.whole) : 0;
      if (owner[i] == on_host && asked.whole.rank == 2) limits.quartered = limits.slabs;
      limits.layers = on_.layers_of_slab;
      cut(asked.slabs[i], limits, call_.slabs);
      owner_of_part.resize(call_.slabs.size(), owner[i]);
    }
    call_.lane_of.resize(call_.slabs.size());
    std::vector<int> owners = owner_of_part;
    std::sort(owners.begin(), owners.end());
    owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
    for (const int each : owners) deal_to(lanes_for(each), each, owner_of_part, asked.whole.rank);
    list_work();
  }

 private:
  [[nodiscard]] std::vector<lane*> lanes_for(int owner) const {
    std::vector<lane*> found;
    for (const auto& each : lanes_)
      if (owner == on_host || each->device() == owner) found.push_back(each.get());
    return found;
  }
  // Slabs of the host go to the lanes in turns, so that the first of them have final labels early. In volumes, where a
  // border is a slice, only if it need not go by way of the host.
  void deal_to(const std::vector<lane*>& lanes, int owner, const std::vector<int>& owner_of_part, int rank) {
    const auto parts = static_cast<std::size_t>(std::count(owner_of_part.begin(), owner_of_part.end(), owner));
    const bool in_turns =
        owner == on_host && (rank == 2 || std::all_of(lanes.begin(), lanes.end(), [&](lane* each) {
                               return each->reads(lanes.front()->device()) && lanes.front()->reads(each->device());
                             }));
    std::size_t nth = 0;
    for (std::size_t i = 0; i < owner_of_part.size(); ++i) {
      if (owner_of_part[i] != owner) continue;
      call_.lane_of[i] = lanes[in_turns ? nth % lanes.size() : nth * lanes.size() / parts];
      ++nth;
    }
  }
  void list_work() {
    for (const auto& each : lanes_) {
      std::vector<std::size_t> own;
      for (std::size_t i = 0; i < call_.slabs.size(); ++i)
        if (call_.lane_of[i] == each.get()) own.push_back(i);
      if (own.empty()) continue;
      call_.lanes.push_back(each.get());
      call_.work.push_back(std::move(own));
    }
  }

  slab_call& call_;
  const std::vector<std::unique_ptr<lane>>& lanes_;
  const engine::state& on_;
};

// Threads that make the table while lanes go on. With few of them, moving the rows of noise takes longer than copying its slabs.
std::size_t helpers_of(const slab_call& call) {
  if (call.table == nullptr) return 0;
  const std::size_t there = static_cast<std::size_t>(count_processors()), lanes = call.lanes.size();
  return std::clamp<std::size_t>(there - std::min(there, lanes), 1, 8 * lanes);
}

// Calls work(0), the first on this thread, and others at the same time. Throws what the first of those that fail throws.
template <class Work>
void run_all(crew& threads, std::size_t count, const Work& work) {
  std::vector<std::exception_ptr> errors(count);
  threads.run(count, [&](std::size_t nth) {
    try {
      work(nth);
    } catch (...) {
      errors[nth] = std::current_exception();
    }
  });
  for (const std::exception_ptr& error : errors)
    if (error != nullptr) std::rethrow_exception(error);
}

// If it fails, nobody waits for it.
void help(slab_table& table) {
  try {
    table.help();
  } catch (...) {
    table.stop();
    throw;
  }
}

// Calls work(nth lane) on a thread for each lane, and has others make the table.
template <class Work>
void on_each_lane(const engine::state& on, crew& threads, const slab_call& call, const Work& work) {
  try {
    run_all(threads, call.lanes.size() + helpers_of(call), [&](std::size_t nth) {
      if (nth >= call.lanes.size()) return help(*call.table);
      try {
        const stop_scope stoppable(on.stop);
        const current_device here(call.lanes[nth]->device());
        work(nth);
      } catch (...) {
        if (call.table != nullptr) call.table->stop();
        throw;
      }
    });
  } catch (...) {
    for (lane* each : call.lanes) each->drain();
    throw;
  }
}

// ---- the journey ----------------------------------------------------------------------------------

void place_labels(slab_call& call, const mutable_image& labels) {
  for (slab_images& slab : call.slabs) slab.labels = layers_of(labels, slab.first, layers_of(slab.image.size));
}

void append_runs(slab_call& call, std::vector<labelled_run>& runs) {
  runs.clear();
  std::size_t all = 0;
  for (const auto& part : call.runs) all += part.size();
  runs.reserve(all);
  for (const auto& part : call.runs) runs.insert(runs.end(), part.begin(), part.end());
}

}  // namespace

u64 run_on_slabs(engine::state& on, const slab_question& asked, const slab_results& out) {
  std::vector<int> alone;
  const std::vector<int>& devices = devices_of(on, alone);
  slab_scratch& scratch = scratch_in(on, devices);
  const selection& keep = asked.options.selection;
  slab_call call{asked.options};
  call.measures = out.table != nullptr || selects(keep);
  call.moments = asked.features.moments;
  call.emits = out.has_labels || out.labels_for || out.runs != nullptr;
  call.keeps = call.emits && on.keeps_slabs;
  call.lists_runs = out.runs != nullptr;
  call.whole = asked.whole;
  dealer(call, scratch.lanes, on).deal(asked, devices);
  call.found.resize(call.slabs.size());
  call.solved.resize(call.slabs.size());
  call.borders = std::vector<slab_border>(call.slabs.size());
  slab_numbering& numbers = scratch.numbers;
  numbers.begin(call.found);
  call.numbers = &numbers;
  if (call.measures) {
    scratch.table.begin(call.found, numbers, scratch.rows);
    call.table = &scratch.table;
  }
  on_each_lane(on, scratch.threads, call, [&](std::size_t nth) { find_components(call, nth); });

  numbers.finish();
  u64 count = numbers.count();
  if (out.has_labels && !selects(keep)) check_count(count, out.labels);
  if (call.measures && scratch.table.fit())
    run_all(scratch.threads, helpers_of(call), [&](std::size_t) { help(scratch.table); });
  call.table = nullptr;
  if (selects(keep)) count = numbers.select(keep, call.whole, scratch.rows);
  if (out.has_labels) check_count(count, out.labels);
  if (out.labels_for) place_labels(call, out.labels_for(count));
  if (out.table != nullptr) std::swap(*out.table, scratch.rows);
  if (!call.emits) return count;
  call.runs.resize(call.slabs.size());
  call.labels.resize(call.slabs.size());
  on_each_lane(on, scratch.threads, call, [&](std::size_t nth) { emit_slabs(call, nth); });
  if (out.runs != nullptr) append_runs(call, *out.runs);
  return count;
}

}  // namespace skerry
