// SPDX-License-Identifier: Apache-2.0
// What a published method on CUDA gets, and what it gives. A method is one function, solve(task): it enqueues its own work,
// in named phases, and leaves labels and features as its paper has them. Bringing both to 1..n in raster order is not its
// work (canonical.hpp), and is not counted as such.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/portable.hpp"
#include "engine/cuda/device_memory.cuh"
#include "skerry/measure.hpp"

namespace skerry::published {

// The image of the papers, in device memory: a byte for each pixel, 0 is background.
struct device_image {
  const u8* pixels = nullptr;
  i64 row_bytes = 0;
  u32 width = 0, height = 0;

  [[nodiscard]] SKERRY_BOTH const u8* row(i64 y) const { return pixels + y * row_bytes; }
  // Background where there is no pixel.
  [[nodiscard]] SKERRY_BOTH bool at(i64 y, i64 x) const {
    return y >= 0 && y < i64{height} && x >= 0 && x < i64{width} && row(y)[x] != 0;
  }
  [[nodiscard]] SKERRY_BOTH u64 size() const { return u64{width} * height; }
};

// Device memory of a method, taken in the same order on every call, so that a second call finds what the first has left
// and allocates nothing.
class device_arena {
 public:
  void begin() { next_ = 0; }
  template <class T>
  [[nodiscard]] T* take(u64 count, const char* what) {
    device_memory& block = next_block();
    block.reserve(count * sizeof(T), what);
    return static_cast<T*>(block.data());
  }
  // The same, all 0 when it is new: memory that is copied farther than it has been written.
  template <class T>
  [[nodiscard]] T* take_cleared(u64 count, const char* what) {
    device_memory& block = next_block();
    const std::size_t former = block.bytes();
    block.reserve(count * sizeof(T), what);
    if (block.bytes() != former) {
      check_cuda(cudaMemset(block.data(), 0, block.bytes()), "start");
      check_cuda(cudaDeviceSynchronize(), "start");  // streams do not wait for this one
    }
    return static_cast<T*>(block.data());
  }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = host.bytes();
    for (const auto& block : blocks_) sum += block->bytes();
    return sum;
  }

  pinned_memory host;     // of a method that brings its results to the host itself
  u64 remembered = 0;     // from call to call, by a method that predicts
  u64 second_copies = 0;  // in all calls, where too few were predicted

 private:
  device_memory& next_block() {
    if (next_ == blocks_.size()) blocks_.push_back(std::make_unique<device_memory>());
    return *blocks_[next_++];
  }

  std::vector<std::unique_ptr<device_memory>> blocks_;
  std::size_t next_ = 0;
};

// Marks in a stream where the phases of a method begin and end. Phases of one name are added up.
class phase_marks {
 public:
  phase_marks() = default;
  phase_marks(const phase_marks&) = delete;
  phase_marks& operator=(const phase_marks&) = delete;
  ~phase_marks() {
    for (const mark& each : marks_) {
      cudaEventDestroy(each.begin);
      cudaEventDestroy(each.end);
    }
  }
  void begin(std::string_view name, cudaStream_t stream) {
    mark& added = marks_.emplace_back(mark{name, nullptr, nullptr});
    check_cuda(cudaEventCreate(&added.begin), "start");
    check_cuda(cudaEventCreate(&added.end), "start");
    check_cuda(cudaEventRecord(added.begin, stream), "start");
  }
  void end(cudaStream_t stream) { check_cuda(cudaEventRecord(marks_.back().end, stream), "start"); }
  // Waits for the last of them.
  [[nodiscard]] std::vector<phase_time> times() const {
    std::vector<phase_time> sums;
    for (const mark& each : marks_) {
      float milliseconds = 0;
      check_cuda(cudaEventSynchronize(each.end), "phases");
      check_cuda(cudaEventElapsedTime(&milliseconds, each.begin, each.end), "phases");
      std::size_t at = 0;
      while (at < sums.size() && sums[at].name != each.name) ++at;
      if (at == sums.size()) sums.push_back({each.name, 0, 0});
      sums[at].milliseconds += milliseconds;
      ++sums[at].times;
    }
    return sums;
  }

 private:
  struct mark {
    std::string_view name;
    cudaEvent_t begin, end;
  };
  std::vector<mark> marks_;
};

// Runs one part of a method under its name, which must stay; no marks when nobody asks for times.
template <class Work>
void run_phase(phase_marks* marks, cudaStream_t stream, const char* name, Work work) {
  if (marks != nullptr) marks->begin(name, stream);
  work();
  check_cuda(cudaGetLastError(), name);
  if (marks != nullptr) marks->end(stream);
}

struct device_task {
  device_image image;
  int connectivity = 0;
  u32 planes = 1;  // of a volume, whose lines follow each other in the image
  u32* labels = nullptr;  // as wide as the image: 0, or 1 + a number of the method's own; null when none are wanted
  bool features = false;  // are wanted; only methods that have any of their own are asked
  cudaStream_t stream = nullptr;
  device_arena& memory;
  phase_marks* marks = nullptr;  // null when nobody asks for times
  bool counting = false;         // the slower kernels that fill device_answer::hits
  u64 first_copy = 1024;         // items that a method that predicts brings to the host at its first call

  template <class Work>
  void phase(const char* name, Work work) const {
    run_phase(marks, stream, name, work);
  }
};

// Where a method has left its features: in slots, of which only some are components. Functions enqueue.
struct device_answer {
  u64 label_slots = 0;  // labels are at most this
  u64 slots = 0;        // of features, in raster order of first pixels
  // Sets a word to 1 for each slot that is a component; all words are 0 before.
  std::function<void(u32* is_component)> mark = {};
  // Writes the row of each component: number ranks[slot].
  std::function<void(const u32* is_component, const u32* ranks, geometry* rows)> write_rows = {};
  // A method that brings its features to the host itself does so here, in any order; then the two above are empty.
  std::function<void(table_rows<geometry>& rows)> fetch = {};
  // The arrays of features as they are, for a caller who takes all of them.
  struct array {
    const void* data;
    u64 bytes;
  };
  std::vector<array> arrays = {};
  u32* hits = nullptr;  // of a counting build: votes that each slot has got
  unsigned long long* met = nullptr;  // and how many set off while another was under way to the same slot
  u32 iterations = 0;   // of a method that has any
};

using device_function = device_answer (*)(const device_task&);

// Features of given labels, 0 or 1 .. half the number of pixels, rounded up; no two of them touch along a line.
using measuring_function = device_answer (*)(const device_task&, const u32* labels);

// Whether a method measures by itself. The others get votes of pixels on their labels (vote_on_labels).
struct device_method {
  device_function solve = nullptr;
  bool has_features = false;
  bool waits = false;                  // for the device, so that it cannot be captured in a graph
  measuring_function measure = nullptr;  // of a method that can begin with a given label image
};

// Features of labels that a method of labels alone has made, 1..components in raster order: each pixel votes, as in
// [Lemaitre2021], algorithm 6. Writes rows in device memory.
void vote_on_labels(const device_task& work, const u32* labels, u64 components, geometry* rows);

/// The method of this name; solve is null when there is none on CUDA.
[[nodiscard]] device_method find_device_method(std::string_view name);

// Threads of a block, where a kernel asks for no other number.
inline constexpr u32 usual_threads = 256;

SKERRY_BOTH constexpr u32 blocks_of(u64 items, u32 in_a_block) {
  return static_cast<u32>((items + in_a_block - 1) / in_a_block);
}

}  // namespace skerry::published
