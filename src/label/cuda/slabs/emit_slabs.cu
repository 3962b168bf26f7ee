// SPDX-License-Identifier: Apache-2.0
// The second pass over slabs: stage 6 with the labels of the image. Slabs whose tables were not kept are labelled once more.
#include <algorithm>

#include "engine/stop.hpp"
#include "label/cuda/slabs/call.cuh"
#include "label/cuda/slabs/slab_job.cuh"

namespace skerry::label_stages::on_device {
namespace {

// What becomes of the components of a slab, on its way to the device.
device_labels upload_labels(const slab_labels& labels, slab_slot& slot) {
  const std::size_t count = labels.given_up.size(), bytes = 2 * count * sizeof(u32);
  slot.given.reserve(count * sizeof(u64) + bytes, "the labels of borders");
  auto* const places = static_cast<u64*>(slot.given.data());
  auto* const given_up = reinterpret_cast<u32*>(places + count);
  if (count != 0) {
    slot.told.reserve(bytes, "the labels of borders");
    auto* const from = static_cast<u32*>(slot.told.data());
    std::copy(labels.label.begin(), labels.label.end(),
              std::copy(labels.given_up.begin(), labels.given_up.end(), from));
    check_cuda(cudaMemcpyAsync(given_up, from, bytes, cudaMemcpyHostToDevice, slot.stream), "resolve");
  }
  return {given_up, given_up + count, places, static_cast<u32>(count), labels.base};
}

class second_pass {
 public:
  second_pass(slab_call& call, std::size_t nth) : call_(call), lane_(*call.lanes[nth]), own_(call.work[nth]) {}

  void run() {
    for (std::size_t k = 0; k < own_.size(); ++k) {
      stop_point();
      slab_slot& slot = lane_.slots[k % 2];
      check_cuda(cudaStreamSynchronize(slot.stream), "emit");
      emit(slot, own_[k]);
    }
    for (const slab_slot& slot : lane_.slots) check_cuda(cudaStreamSynchronize(slot.stream), "emit");
  }

 private:
  void emit(slab_slot& slot, std::size_t slab) {
    const slab_images& images = call_.slabs[slab];
    solved_slab solved = call_.solved[slab];
    solved.stream = slot.stream;
    if (!solved.kept) solved = solved_alone(job_of(call_, images, slot, lane_.device()), nullptr, 0, slot);
    call_.labels[slab] = call_.numbers->labels_of(slab);
    const device_labels given = upload_labels(call_.labels[slab], slot);
    renumber(solved, given);
    if (images.labels.data != nullptr) write_labels(solved, given, images.labels, slot);
    if (call_.lists_runs) list_runs(solved, given, slot, slab);
  }
  void write_labels(const solved_slab& solved, const device_labels& given, const mutable_image& labels,
                    slab_slot& slot) {
    if (is_written_directly(labels, lane_.device())) return emit_labels(solved, given, labels);
    slot.labels.reserve(dense_bytes(labels), "the labels");
    emit_labels(solved, given, {slot.labels.data(), labels.type, labels.size});
    deliver(labels, slot, lane_.device());
  }
  void list_runs(const solved_slab& solved, const device_labels& given, slab_slot& slot, std::size_t slab) {
    const slab_images& images = call_.slabs[slab];
    const extent& size = images.image.size;
    constexpr std::size_t counts = 256;
    slot.runs_before.reserve(counts + units_of(size) * sizeof(u32), "the runs of rows");
    auto* const total = static_cast<u64*>(slot.runs_before.data());
    auto* const before = reinterpret_cast<u32*>(static_cast<char*>(slot.runs_before.data()) + counts);
    count_runs(solved, given, before, total);
    u64 told[2] = {0, 0};
    check_cuda(cudaMemcpyAsync(told, total, sizeof told, cudaMemcpyDeviceToHost, slot.stream), "emit");
    check_cuda(cudaStreamSynchronize(slot.stream), "emit");
    std::vector<labelled_run>& runs = call_.runs[slab];
    runs.resize(told[1]);
    if (runs.empty()) return;
    auto* const on_device = rows_in<labelled_run>(slot.runs, told[1], "the runs");
    write_runs(solved, given, before, on_device, told[1]);
    check_cuda(
        cudaMemcpyAsync(runs.data(), on_device, told[1] * sizeof(labelled_run), cudaMemcpyDeviceToHost, slot.stream),
        "emit");
    check_cuda(cudaStreamSynchronize(slot.stream), "emit");
    const i64 rows_before = images.first * (size.rank == 3 ? size.height : 1);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      stop_point(i);
      runs[i].row += rows_before;
    }
  }

  slab_call& call_;
  lane& lane_;
  const std::vector<std::size_t>& own_;
};

}  // namespace

void emit_slabs(slab_call& call, std::size_t nth_lane) { second_pass(call, nth_lane).run(); }

}  // namespace skerry::label_stages::on_device
