// SPDX-License-Identifier: Apache-2.0
// Images of one shape in device memory, with everything that jobs on them need.
#pragma once
#include <memory>
#include <vector>

#include "support/cuda_clock.hpp"
#include "support/cuda_results.hpp"

namespace skerry::bench {

class cuda_desk {
 public:
  /// Copies of the image that jobs take in turn, so that none finds its pixels in the cache.
  static constexpr int places = 3;

  explicit cuda_desk(const extent& size);
  ~cuda_desk();
  cuda_desk(const cuda_desk&) = delete;
  cuda_desk& operator=(const cuda_desk&) = delete;

  /// Puts an image on the desk; `pixels` must stay until the next one.
  void take(const std::uint8_t* pixels, int connectivity);
  /// Finds the right results on the CPU, runs the job once in each place and compares every bit; throws
  /// std::runtime_error.
  void check(const cuda_output& what, const std::string& name);
  /// Device time of one call, from replays of a graph of several; what the last call wrote is compared again.
  /// The job must have been checked just before.
  [[nodiscard]] timing time(const cuda_output& what, const std::string& name, int replays);

  /// The job that was checked last.
  void enqueue(int place) const;
  [[nodiscard]] double scratch_bytes_per_pixel(const cuda_output& what) const;
  [[nodiscard]] std::size_t pixels() const { return static_cast<std::size_t>(size_.pixels()); }
  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  [[nodiscard]] const std::uint8_t* image(int place) const { return images_[place].data<std::uint8_t>(); }
  [[nodiscard]] const cuda_results& results() const { return results_; }

 private:
  [[nodiscard]] cuda::label_job job(const cuda_output& what, int place) const;
  void make_intensities();

  extent size_;
  int connectivity_ = 0;
  const std::uint8_t* pixels_ = nullptr;
  cudaStream_t stream_ = nullptr;
  device_buffer images_[places], intensity_image_, real_image_, scratch_;
  std::vector<float> reals_;
  std::vector<std::uint8_t> intensities_;  // one place: there are few of them per pixel that are read
  cuda_results results_;
  std::vector<cuda::label_plan> plans_;  // one for each place
};

}  // namespace skerry::bench
