// SPDX-License-Identifier: Apache-2.0
// The results of jobs on the device, each beside the right one, which the CPU engine found.
#pragma once
#include <vector>

#include "skerry/engine.hpp"
#include "skerry/measure.hpp"
#include "support/cuda_memory.hpp"
#include "support/cuda_output.hpp"

namespace skerry::bench {

/// One kind of result.
struct result_table {
  std::size_t item_bytes;
  device_buffer given = {}, right = {};
  std::uint64_t capacity = 0, items = 0;

  void reserve(std::uint64_t wanted);
  void upload(const void* from, std::uint64_t count);
};

class cuda_results {
 public:
  /// Tables have room for a component in this many pixels; random images have at most one in 7.6.
  static constexpr std::int64_t pixels_per_row = 6;
  /// The same for runs; noise has at most one in 4.
  static constexpr std::int64_t pixels_per_run = 3;

  explicit cuda_results(const extent& size);
  /// Finds the right results for an image in host memory. With 4 or 8 neighbours the slices of a rank 3 image are the
  /// frames of a batch; those have labels and rows only.
  void expect(const cuda_output& what, const std::uint8_t* pixels, const image_view& intensities, int connectivity);
  /// Lets a job write here.
  void attach(const cuda_output& what, cuda::label_job& work) const;
  /// Makes whatever is not written look wrong.
  void spoil(cudaStream_t stream) const;
  /// Compares every bit of a job that has run; throws std::runtime_error that begins with `name`.
  void compare(const cuda_output& what, const std::string& name) const;

  [[nodiscard]] std::uint64_t components() const { return right_offsets_.back(); }
  [[nodiscard]] std::uint32_t* labels() const { return labels_.given.data<std::uint32_t>(); }
  [[nodiscard]] const geometry* rows() const { return rows_.given.data<geometry>(); }
  [[nodiscard]] const geometry* right_rows() const { return rows_.right.data<geometry>(); }
  [[nodiscard]] const std::uint64_t* offsets() const { return offsets_.data<std::uint64_t>(); }
  [[nodiscard]] const std::uint32_t* right_labels() const { return labels_.right.data<std::uint32_t>(); }

 private:
  void find_frame(const cuda_output& what, const image_view& image, const image_view& intensities, int connectivity,
                  std::uint32_t* labels);
  void number_by_first_pixel(std::size_t pixels);

  extent size_;
  bool batch_ = false;
  engine cpu_ = engine::cpu();
  result_table labels_{sizeof(std::uint32_t)}, rows_{sizeof(geometry)}, moments_{sizeof(second_moments)},
      intensities_{sizeof(intensity)}, reals_{sizeof(real_intensity)}, runs_{sizeof(labelled_run)};
  device_buffer offsets_;
  pinned_buffer host_labels_;
  feature_table table_;
  table_rows<geometry> frame_rows_;
  std::vector<labelled_run> host_runs_;
  std::vector<std::uint64_t> right_offsets_ = {0};
};

}  // namespace skerry::bench
