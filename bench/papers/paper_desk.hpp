// SPDX-License-Identifier: Apache-2.0
// Images in device memory, and on them any published method of CUDA, next to the library's own: each result is compared
// with that of the CPU engine before it is timed.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "papers/paper_report.hpp"
#include "published/cuda/canonical.hpp"
#include "skerry/regions.hpp"
#include "support/cuda_desk.hpp"

namespace skerry::bench {

/// What several desks can share: the memory of methods, in which one that predicts keeps what it remembers; and room on the
/// host for what they bring.
struct desk_memory {
  explicit desk_memory(std::size_t host_bytes = 4096) : host(host_bytes) {}
  published::device_arena methods;
  pinned_buffer host;
};

/// A call that ends with the features on the host, and its parts.
struct parted_call {
  double seconds = 0;  // until it returns
  double copies = 0;   // of these, by the device's clock
  std::vector<phase_time> phases;
};

enum class paper_job {
  labels,
  features,
  both,               // labels and features in one call
  features_of_labels  // of a given label image
};

class paper_desk {
 public:
  /// Methods that begin with a given label image, 1..n, instead of an image have this at the end of their names.
  static constexpr std::string_view of_labels = " of labels";
  /// The library's own labels, each 1 + the place of its component's first pixel, as rivals leave labels of their own numbering.
  static constexpr std::string_view own_first_pixel = "skerry, first pixel";

  /// `memory`: with room on the host for what time_to_host() brings.
  explicit paper_desk(const extent& size, std::shared_ptr<desk_memory> memory = std::make_shared<desk_memory>());
  paper_desk(const paper_desk&) = delete;
  paper_desk& operator=(const paper_desk&) = delete;

  /// Finds the right results of an image, and compares the library's own; `pixels` must stay until the next one.
  void take(const std::uint8_t* pixels, int connectivity, paper_job job);
  /// Runs a method and compares what it gives; throws std::runtime_error. The functions below that time do so first.
  void check(const std::string& method);
  /// Device time of a method, or of published::own_method, with results left on the device: replays of a graph of several calls on
  /// copies of the image in turn; of a method that waits for the host, or takes long, calls one by one. Fills
  /// `seconds`, `spread` and `iterations`.
  void time(const std::string& method, int repetitions, paper_sample& sample);
  /// Until the features are on the host: `tmk` as it is, `ha` with all of its arrays, and the library's own with as many
  /// rows as there are; `skerry of labels` is a whole call of measure_regions(). Fills `seconds`, `spread` and the phase "copy".
  void time_to_host(const std::string& method, int repetitions, paper_sample& sample);
  /// One such call, unchecked, which ends with the features on the host.
  void bring(const std::string& method, int place, published::phase_marks* marks = nullptr);
  /// The same with marks between its phases, which take time of their own.
  parted_call bring_in_parts(const std::string& method, int place);
  /// Phases of one call, without a check; medians of `repetitions`.
  void time_phases(const std::string& method, int repetitions, paper_sample& sample);
  /// Votes, by the counting build of a method. Fills `updates`, `conflicts` and `met`.
  void count_votes(const std::string& method, paper_sample& sample);

  [[nodiscard]] cudaStream_t stream() const { return desk_.stream(); }
  [[nodiscard]] std::uint64_t components() const { return desk_.results().components(); }

 private:
  [[nodiscard]] published::device_task task(int place);
  published::device_answer run(const std::string& method, const published::device_task& work);
  void bring_own_rows(const std::string& method, int place, const published::device_task& work);
  void check_own_regions();
  [[nodiscard]] bool asks_for_labels() const { return job_ == paper_job::labels || job_ == paper_job::both; }
  /// Makes `output` what the library's own calls write, and what is right.
  void ask_for(const cuda_output& output);

  extent size_;
  const std::uint8_t* pixels_ = nullptr;
  int connectivity_ = 0;
  paper_job job_ = paper_job::labels;
  cuda_output output_, asked_;  // of the job; and that of the plans of desk_
  cuda_desk desk_;
  std::shared_ptr<desk_memory> memory_;
  published::device_arena numbering_;
  engine on_ = engine::cuda();
  region_table regions_;
};

}  // namespace skerry::bench
