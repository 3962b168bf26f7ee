// SPDX-License-Identifier: Apache-2.0
#include "label/cuda/on_cuda.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "engine/cuda/copy_to_host.cuh"
#include "engine/cuda/host_images.cuh"
#include "engine/cuda/prepared_work.hpp"
#include "engine/cuda/stage_marks.cuh"
#include "label/check.hpp"
#include "label/cuda/emit/caller_labels.cuh"
#include "label/cuda/job_groups.hpp"

namespace skerry {
namespace {

using cuda::label_job;

// What the CUDA engine keeps from call to call.
struct cuda_scratch final : job_scratch {
  cuda_stream stream;
  device_memory image, intensity_image, labels, runs, work, counts;
  device_memory rows[label_stages::job_groups];
  copy_scratch copies;
  buffer<std::byte> packed;  // an image of the host on its way, or labels, that are not dense there
  std::uint64_t row_capacity = 1 << 16, run_capacity = 1 << 18;

  [[nodiscard]] std::size_t bytes() const override {
    std::size_t sum = packed.bytes() + copies.bytes();
    for (const device_memory* held : {&image, &intensity_image, &labels, &runs, &work, &counts}) sum += held->bytes();
    for (const device_memory& held : rows) sum += held.bytes();
    return sum;
  }
};

cuda_scratch& scratch_in(std::unique_ptr<job_scratch>& slot) {
  if (slot == nullptr) slot = std::make_unique<cuda_scratch>();
  return static_cast<cuda_scratch&>(*slot);
}

// ---- the caller's label image ---------------------------------------------------------------------

void copy_labels(cuda_scratch& scratch, const mutable_image& labels) {
  if (!is_dense(labels) && is_device_memory(labels.data)) {
    spread_labels(scratch.labels, labels, scratch.stream);
    return check_cuda(cudaStreamSynchronize(scratch.stream), "emit");
  }
  copy_from_dense(scratch.labels, labels, scratch.stream, scratch.packed);
}

// ---- the job --------------------------------------------------------------------------------------

// What the device tells the host when a job is done.
struct job_counts {
  std::uint64_t offsets[2], run_offsets[2];
};

// Enqueues the job and waits for its counts.
job_counts run(label_job& work, cuda_scratch& scratch, stage_clock& clock) {
  scratch.counts.reserve(sizeof(job_counts), "the counts");
  auto* const counts = static_cast<job_counts*>(scratch.counts.data());
  work.offsets = counts->offsets;
  if (work.runs != nullptr) work.run_offsets = counts->run_offsets;
  const cuda::label_plan plan(work);
  scratch.work.reserve(plan.scratch_bytes(), "scratch");
  check_cuda(cudaMemsetAsync(counts, 0, sizeof(job_counts), scratch.stream), "start");
  std::optional<stage_marks> marks;
  if (clock.on()) marks.emplace(scratch.stream);
  enqueue(plan, scratch.work.data(), scratch.stream, marks ? &*marks : nullptr);
  if (marks) marks->finish(clock);
  job_counts result{};
  check_cuda(cudaMemcpyAsync(&result, counts, sizeof result, cudaMemcpyDeviceToHost, scratch.stream), "resolve");
  check_cuda(cudaStreamSynchronize(scratch.stream), "resolve");
  return result;
}

template <class Item>
Item* list_of(device_memory& memory, std::uint64_t capacity, const char* what) {
  memory.reserve(capacity * sizeof(Item), what);
  return static_cast<Item*>(memory.data());
}

// Room for results whose number is not known yet: what the largest call so far had.
void make_room(label_job& work, const label_request& asked, const label_outputs& out, cuda_scratch& scratch,
               std::uint64_t rows, std::uint64_t runs) {
  if (out.table != nullptr) {
    work.row_capacity = scratch.row_capacity = std::max(scratch.row_capacity, rows);
    device_memory* memory = scratch.rows;
    label_stages::each_job_group([&]<class Group>(Group, auto list, const char* name) {
      if (Group::is_wanted(asked.features))
        work.*list =
            list_of<typename Group::row>(*memory, work.row_capacity, ("the table's " + std::string(name)).c_str());
      ++memory;
    });
  }
  if (out.runs != nullptr) {
    work.run_capacity = scratch.run_capacity = std::max(scratch.run_capacity, runs);
    work.runs = list_of<labelled_run>(scratch.runs, work.run_capacity, "the runs");
  }
}

// Everything but the label image.
void bring_lists(engine::state& on, cuda_scratch& scratch, const label_job& work, const label_outputs& out,
                 std::uint64_t rows, std::uint64_t runs) {
  std::vector<list_to_host> lists;
  if (out.table != nullptr)
    label_stages::each_job_group([&](auto group, auto list, const char*) {
      const auto* from = work.*list;
      lists.push_back(room_for_list(out.table->*group.rows, from, from == nullptr ? 0 : rows));
    });
  if (out.runs != nullptr) lists.push_back(room_for_list(*out.runs, work.runs, runs));
  copy_to_host(on, scratch.copies, lists, scratch.stream);
}

}  // namespace

std::uint64_t run_on_cuda(engine::state& on, const label_request& asked, const label_outputs& out) {
  const current_device here(on.device);
  cuda_scratch& scratch = scratch_in(on.label_scratch);
  label_job work;
  work.image = on_device(asked.image, scratch.stream, scratch.image, scratch.packed, "image");
  work.connectivity = asked.options.connectivity;
  work.foreground = asked.options.foreground;
  work.selection = asked.options.selection;
  work.joining = asked.options.joining;
  work.periodic = asked.options.periodic;
  if (out.table != nullptr && asked.features.intensity.data != nullptr)
    work.intensity_image =
        on_device(asked.features.intensity, scratch.stream, scratch.intensity_image, scratch.packed, "intensity");
  // Labels go to the caller directly when they cannot overflow there, and over a dense copy otherwise.
  const mutable_image& labels = out.labels;
  const bool direct =
      labels.data != nullptr && is_device_memory(labels.data) && size_of(labels.type) >= 4 && is_aligned(labels);
  if (direct) {
    work.labels = labels;
  } else if (labels.data != nullptr) {
    scratch.labels.reserve(dense_bytes(labels), "the labels");
    work.labels = {scratch.labels.data(), labels.type, labels.size};
  }
  make_room(work, asked, out, scratch, 0, 0);
  job_counts counts = run(work, scratch, on.clock);
  const std::uint64_t count = counts.offsets[1], runs = counts.run_offsets[1];
  if ((work.rows != nullptr && count > work.row_capacity) || (work.runs != nullptr && runs > work.run_capacity)) {
    make_room(work, asked, out, scratch, count, runs);  // now the numbers are known
    counts = run(work, scratch, on.clock);
  }
  if (labels.data != nullptr) check_count(count, labels.type);
  bring_lists(on, scratch, work, out, count, runs);
  if (labels.data != nullptr && !direct) copy_labels(scratch, labels);  // last: it takes memory before it writes
  return count;
}

}  // namespace skerry
