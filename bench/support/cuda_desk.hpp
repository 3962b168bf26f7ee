// SPDX-License-Identifier: Apache-2.0
// Images of one shape in device memory, with everything that jobs on them need, and the right answers beside.
#pragma once
#include <vector>

#include "skerry/cuda.hpp"
#include "skerry/engine.hpp"
#include "skerry/measure.hpp"
#include "support/cuda_clock.hpp"
#include "support/cuda_memory.hpp"

namespace skerry::bench {

/// What a job is asked for. Something new to be timed is a line in `cuda_outputs`, an array of the desk, its place in
/// job(), and its comparison in compare().
struct cuda_output {
  const char* name;
  bool labels, rows;
};
inline constexpr cuda_output cuda_outputs[] = {{"labels", true, false}, {"features", false, true}};

class cuda_desk {
 public:
  /// Copies of the image that jobs take in turn, so that none finds its pixels in the cache.
  static constexpr int places = 3;
  /// Tables have room for a component in this many pixels; random images have at most one in 7.6.
  static constexpr std::int64_t pixels_per_row = 6;

  explicit cuda_desk(const extent& size);
  ~cuda_desk();
  cuda_desk(const cuda_desk&) = delete;
  cuda_desk& operator=(const cuda_desk&) = delete;

  /// Puts an image on the desk and finds the right answer for these neighbours on the CPU. With 4 or 8 neighbours the
  /// slices of a rank 3 image are the frames of a batch.
  void take(const std::uint8_t* pixels, int connectivity);
  /// Runs the job once in each place and compares every bit; throws std::runtime_error.
  void check(const cuda_output& what, const std::string& name);
  /// Device time of one call, from replays of a graph of several; what the last call wrote is compared again.
  [[nodiscard]] timing time(const cuda_output& what, const std::string& name, int replays);

  void enqueue(const cuda_output& what, int place) const;
  [[nodiscard]] std::size_t scratch_bytes(const cuda_output& what) const;
  [[nodiscard]] std::size_t pixels() const { return static_cast<std::size_t>(size_.pixels()); }
  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  [[nodiscard]] std::uint64_t components() const { return right_offsets_.back(); }
  [[nodiscard]] const std::uint8_t* image(int place) const { return images_[place].data<std::uint8_t>(); }
  [[nodiscard]] std::uint32_t* labels() const { return labels_.data<std::uint32_t>(); }
  [[nodiscard]] const std::uint32_t* right_labels() const { return right_labels_.data<std::uint32_t>(); }

 private:
  [[nodiscard]] cuda::job job(const cuda_output& what, int place) const;
  void compare(const cuda_output& what, const std::string& name);
  void find_right_answer(const std::uint8_t* pixels);
  [[nodiscard]] bool is_batch() const { return size_.rank == 3 && (connectivity_ == 4 || connectivity_ == 8); }
  [[nodiscard]] std::uint64_t row_capacity() const {
    return static_cast<std::uint64_t>(size_.pixels() / pixels_per_row + 1);
  }

  extent size_;
  int connectivity_ = 0;
  engine cpu_ = engine::cpu();
  cudaStream_t stream_ = nullptr;
  device_buffer images_[places], labels_, rows_, offsets_, scratch_, right_labels_, right_rows_;
  pinned_buffer host_labels_;
  feature_table table_;
  std::vector<std::uint64_t> right_offsets_;
};

}  // namespace skerry::bench
