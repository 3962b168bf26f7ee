// SPDX-License-Identifier: Apache-2.0
// A max-tree in device memory, and the right one.
#pragma once
#include <cstdint>
#include <vector>

#include "cuda/device_image.hpp"
#include "skerry/cuda.hpp"

namespace skerry::test {

/// What the CPU engine finds, also written as an image of parents.
struct right_tree {
  max_tree tree;
  attribute_table table;
  std::vector<std::uint32_t> parent, area;  // of pixels
  right_tree(const image_view& image, const tree_options& options);
};

/// How the pixels of an image lie in device memory.
enum class stride_rule { dense, gaps, backward, unaligned, transposed };

class device_tree {
 public:
  /// Copies the image, which is dense.
  device_tree(const image_view& image, const tree_options& options, stride_rule rule = stride_rule::dense);

  void spoil() const;                       // what is written
  void build() const;                       // and waits
  void build_parents() const;               // without areas, in scratch of the size for this
  void enqueue(cudaStream_t stream) const;  // does not wait
  void expect(const right_tree& want) const;
  void expect_parents(const right_tree& want) const;
  [[nodiscard]] std::uint64_t first_nan() const;

  /// Decisions about the nodes of `want`.
  void expect_filtered(const right_tree& want, const std::vector<std::uint8_t>& keep, const filter_options& how) const;
  void expect_area_filtered(const right_tree& want, std::uint64_t least, bool top_hat) const;

  [[nodiscard]] const cuda::tree_job& job() const { return job_; }
  [[nodiscard]] cuda::tree_filter_job filter_job(std::uint64_t least, void* output) const;
  [[nodiscard]] void* scratch() const { return scratch_.data(); }

 private:
  [[nodiscard]] std::size_t pixels() const { return static_cast<std::size_t>(job_.image.size.pixels()); }
  [[nodiscard]] cuda::tree_job job_for(const image_view& image, const tree_options& options,
                                       const byte_strides& strides, std::int64_t origin) const;
  void expect_image(cuda::tree_filter_job work, const std::vector<std::uint8_t>& want) const;

  device_bytes image_, parent_, area_, nan_;
  cuda::tree_job job_;
  std::size_t bytes_;
  device_bytes scratch_;
};

}  // namespace skerry::test
