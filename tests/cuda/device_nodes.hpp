// SPDX-License-Identifier: Apache-2.0
// Numbered and measured nodes in device memory, and the right ones.
#pragma once
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "cuda/device_image.hpp"
#include "cuda/device_tree.hpp"
#include "skerry/cuda.hpp"

namespace skerry::test {

/// The columns of a job, under their names in attribute_table.
struct node_column {
  std::string_view name;
  double* cuda::tree_nodes_job::*place;
};
inline constexpr node_column node_columns[] = {
    {"height", &cuda::tree_nodes_job::height},
    {"dynamics", &cuda::tree_nodes_job::dynamics},
    {"bbox_diagonal", &cuda::tree_nodes_job::bbox_diagonal},
    {"elongation", &cuda::tree_nodes_job::elongation},
    {"compactness", &cuda::tree_nodes_job::compactness},
    {"volume", &cuda::tree_nodes_job::volume},
    {"level_mean", &cuda::tree_nodes_job::level_mean},
    {"level_variance", &cuda::tree_nodes_job::level_variance},
};

/// What an engine of the host finds.
struct right_nodes {
  max_tree tree;
  attribute_table table;
  right_nodes(engine& on, const image_view& image, const tree_options& options);
  [[nodiscard]] std::vector<double> column(std::string_view name) const { return table.column(tree, name); }
};

class device_nodes {
 public:
  /// Room for `capacity` nodes of a tree that has been built, and behind it for bytes that nobody may write.
  device_nodes(const device_tree& tree, std::size_t capacity);

  void spoil() const;                       // all that is written
  void enqueue(cudaStream_t stream) const;  // does not wait
  void build() const;                       // and waits
  void expect(const right_nodes& want) const;
  /// The bytes behind the arrays and the scratch are as spoil() has left them.
  void expect_nothing_behind() const;
  [[nodiscard]] std::uint32_t count() const { return count_.copied<std::uint32_t>(1)[0]; }

  cuda::tree_nodes_job job;  // tests leave out what they like

 private:
  struct array {
    const device_bytes* bytes;
    std::size_t used, all;
  };
  [[nodiscard]] std::vector<array> arrays() const;
  [[nodiscard]] std::size_t pixels() const { return static_cast<std::size_t>(job.image.size.pixels()); }

  std::size_t capacity_;
  device_bytes count_, first_pixel_, parent_node_, level_, node_of_pixel_, area_, components_, moments_, intensities_,
      real_intensities_, scratch_;
  std::deque<device_bytes> columns_;  // as node_columns
};

}  // namespace skerry::test
