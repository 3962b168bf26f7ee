// SPDX-License-Identifier: Apache-2.0
// Stage 5, CUDA, measure: attributes that follow from the sums of a node, a column of doubles each.
//
//   thread  a node
//
// Reads   nodes, their keys, rows of sums, farthest levels
// Writes  columns
// Needs   the rows that a column follows from: boxes, moments, grey sums with areas or boxes, peaks
// Method  the formulas of the table of the host (attribute.hpp), compiled without fused products. A new one is a pointer and a line
//         here, and its name in tree_nodes_job.
#pragma once
#include "max_tree/attribute.hpp"
#include "max_tree/cuda/nodes/5_measure.cuh"

namespace skerry::tree_stages::on_device {

// ---- from boxes and moments -----------------------------------------------------------------------------------------

struct shape_columns {
  u32* area = nullptr;  // of boxes
  double *bbox_diagonal = nullptr, *elongation = nullptr, *compactness = nullptr;
  [[nodiscard]] bool any() const { return area != nullptr || bbox_diagonal != nullptr || from_moments(); }
  [[nodiscard]] bool from_moments() const { return elongation != nullptr || compactness != nullptr; }
};

__global__ void __launch_bounds__(node_threads)
    shape_columns_kernel(node_list nodes, node_table table, int rank, shape_columns columns) {
  const u32 node = this_node();
  if (node >= nodes.number()) return;
  const geometry shape = table.components[node];
  if (columns.area != nullptr) columns.area[node] = static_cast<u32>(shape.area);
  if (columns.bbox_diagonal != nullptr) columns.bbox_diagonal[node] = bbox_diagonal_of(shape, rank);
  if (columns.elongation == nullptr && columns.compactness == nullptr) return;
  const second_moments moments = table.moments[node];
  if (columns.elongation != nullptr) columns.elongation[node] = elongation_of(shape, moments, rank);
  if (columns.compactness != nullptr) columns.compactness[node] = compactness_of(shape, moments, rank);
}

// ---- from levels ----------------------------------------------------------------------------------------------------

// A peak stands for all components that it is the farthest of; the lowest of them meets one that reaches farther.
__global__ void __launch_bounds__(node_threads)
    meetings_kernel(node_list nodes, const node_peak* peaks, u32* lowest_of_peak) {
  const u32 node = this_node();
  if (node >= nodes.number()) return;
  const u32 parent = nodes.parent[node];
  if (parent == node || peaks[node].word != peaks[parent].word) lowest_of_peak[peaks[node].node()] = node;
}

struct level_columns {
  double *height = nullptr, *dynamics = nullptr;
  double *volume = nullptr, *mean = nullptr, *variance = nullptr;
  [[nodiscard]] bool from_peaks() const { return height != nullptr || dynamics != nullptr; }
  [[nodiscard]] SKERRY_BOTH bool from_sums() const {
    return volume != nullptr || mean != nullptr || variance != nullptr;
  }
  [[nodiscard]] bool any() const { return from_peaks() || from_sums(); }
};

template <class Key>
__global__ void __launch_bounds__(node_threads)
    level_columns_kernel(node_list nodes, node_table table, real_grey_table reals, grey_source<Key> image, dtype type,
                         const Key* keys, const u32* lowest_of_peak, level_columns columns) {
  const u32 node = this_node();
  if (node >= nodes.number()) return;
  const auto level = [&](u32 of) { return level_from(image, type, keys[of]); };
  if (columns.height != nullptr)
    columns.height[node] = levels_apart(level(table.peaks[node].node()), level(nodes.parent[node]));
  if (columns.dynamics != nullptr) {
    const u32 peak = table.peaks[node].node();
    columns.dynamics[node] = levels_apart(level(peak), level(nodes.parent[lowest_of_peak[peak]]));
  }
  if (!columns.from_sums()) return;
  const auto from_sums = [&](const auto& grey) {
    const u64 pixels = table.pixels_of(node);
    if (columns.volume != nullptr) columns.volume[node] = volume_of(grey, pixels, level(nodes.parent[node]));
    if (columns.mean != nullptr) columns.mean[node] = mean_of(grey, pixels);
    if (columns.variance != nullptr) columns.variance[node] = variance_of(grey, pixels);
  };
  if (reals.rows != nullptr) from_sums(reals.rows[node]);
  else from_sums(table.intensities[node]);
}

}  // namespace skerry::tree_stages::on_device
