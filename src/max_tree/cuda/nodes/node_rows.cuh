// SPDX-License-Identifier: Apache-2.0
// Nodes of a tree in device memory, and what is known of them: a row for each node in each array that is wanted. A new
// group of features is a field of node_row, an array, and a line in each(); for keys of 8 bits also what tiles have of it (tile_part.cuh).
#pragma once
#include "core/real_intensity.hpp"
#include "engine/cuda/join_rows.cuh"
#include "engine/cuda/pieces.cuh"
#include "max_tree/cuda/tree_grid.cuh"

namespace skerry::tree_stages::on_device {

inline constexpr int node_threads = 256;

inline u32 node_blocks(u32 nodes) { return (nodes + node_threads - 1) / node_threads; }

__device__ inline u32 this_node() { return blockIdx.x * node_threads + threadIdx.x; }

// Nodes by level and first pixel. Kernels are launched for all rows, since only the device knows how many nodes there are.
struct node_list {
  u32 rows = 0;                // that there is room for
  const u32* count = nullptr;  // more than `rows`: then there are none here
  u32* first_pixel = nullptr;
  u32* parent = nullptr;

  __device__ u32 number() const {
    const u32 nodes = *count;
    return nodes <= rows ? nodes : 0;
  }
};

struct node_area {
  u32 pixels = 0;
};

template <class Join>
SKERRY_BOTH void join(node_area& a, const node_area& b, Join with) {
  with.sum(a.pixels, b.pixels);
}

// The node of the farthest level of a component: its key above, below it the node, turned round, so that the first of
// several is the largest word.
struct node_peak {
  u64 word = 0;
  static SKERRY_BOTH node_peak of(u32 key, u32 node) { return {u64{key} << 32 | static_cast<u32>(~node)}; }
  [[nodiscard]] SKERRY_BOTH u32 key() const { return static_cast<u32>(word >> 32); }
  [[nodiscard]] SKERRY_BOTH u32 node() const { return ~static_cast<u32>(word); }
};

template <class Join>
SKERRY_BOTH void join(node_peak& a, const node_peak& b, Join with) {
  with.most(a.word, b.word);
}

struct node_row {
  node_area area;
  geometry shape;
  second_moments moments;
  intensity grey;
  node_peak peak;
};

// What a row joins to, and that has its range.
__device__ inline node_row emptied(const node_row&) { return {}; }

// What is not wanted is empty in both.
__device__ inline void join(node_row& a, const node_row& b) {
  join(a.area, b.area, join_alone());
  join(a.shape, b.shape, join_alone());
  join(a.moments, b.moments, join_alone());
  join(a.grey, b.grey, join_alone());
  join(a.peak, b.peak, join_alone());
}

// Which arrays there are.
struct node_groups {
  bool area = false, components = false, moments = false, intensities = false, peaks = false;
  [[nodiscard]] bool any() const { return area || components || moments || intensities || peaks; }
  // An area beside boxes is taken from them, and is no group.
  [[nodiscard]] bool only_area() const { return area && !moments && !intensities && !peaks; }
};

template <class Row>
__device__ Row read_past_first_cache(const Row* from) {
  Row row;
  auto* to = reinterpret_cast<word_of_row<Row>*>(&row);
#pragma unroll
  for (u32 k = 0; k < words_of_row<Row>; ++k) to[k] = __ldcg(reinterpret_cast<const word_of_row<Row>*>(from) + k);
  return row;
}

struct node_table {
  using row = node_row;
  node_area* area = nullptr;
  geometry* components = nullptr;
  second_moments* moments = nullptr;
  intensity* intensities = nullptr;
  node_peak* peaks = nullptr;

  [[nodiscard]] SKERRY_BOTH bool from_pixels() const {
    return area != nullptr || components != nullptr || moments != nullptr;
  }
  // Memory for those that have none yet.
  void take(pieces& scratch, const node_groups& groups, u32 rows) {
    if (groups.area && area == nullptr) scratch.take(area, rows);
    if (groups.components && components == nullptr) scratch.take(components, rows);
    if (groups.moments && moments == nullptr) scratch.take(moments, rows);
    if (groups.intensities && intensities == nullptr) scratch.take(intensities, rows);
    if (groups.peaks && peaks == nullptr) scratch.take(peaks, rows);
  }

  // Once they are there, as areas or in boxes.
  [[nodiscard]] __device__ u64 pixels_of(u32 node) const {
    return components != nullptr ? components[node].area : area[node].pixels;
  }

  // Calls use(array, its part of a row) for each array that is wanted.
  template <class Use>
  __device__ void each(node_row& row, Use use) const {
    if (area != nullptr) use(area, row.area);
    if (components != nullptr) use(components, row.shape);
    if (moments != nullptr) use(moments, row.moments);
    if (intensities != nullptr) use(intensities, row.grey);
    if (peaks != nullptr) use(peaks, row.peak);
  }
  __device__ void read(u32 node, node_row& row) const {
    each(row, [node](const auto* rows, auto& part) { part = read_past_first_cache(rows + node); });
  }
  __device__ void write(u32 node, node_row& row) const {
    each(row, [node](auto* rows, const auto& part) { rows[node] = part; });
  }
  // Of a node that no other thread joins to at that time.
  __device__ void join_from(u32 node, node_row& row) const {
    each(row, [node](const auto* rows, auto& part) { join(part, read_past_first_cache(rows + node), join_alone()); });
  }
  __device__ void join_to(u32 node, node_row& row) const {
    each(row, [node](auto* rows, const auto& part) { join(rows[node], part, join_to_row(rows[node])); });
  }
};

// ---- trees of one array ---------------------------------------------------------------------------------------------

__device__ inline node_area emptied(const node_area&) { return {}; }
__device__ inline void join(node_area& a, const node_area& b) { join(a, b, join_alone()); }
__device__ inline void join_beside_others(node_area& to, const node_area& row) { join(to, row, join_at_once()); }

// Grey values of floats: rows have the range of the whole component from the start, so that bins join without moving
// (core/real_intensity.hpp). They climb by themselves, when the farthest levels are known.
__device__ inline real_intensity emptied(const real_intensity& row) {
  real_intensity empty;
  empty.min = row.min;
  empty.max = row.max;
  return empty;
}
__device__ inline void join(real_intensity& a, const real_intensity& b) { join(a, b, join_alone()); }
__device__ inline void join_beside_others(real_intensity& to, const real_intensity& row) {
  join_bins(to, kept_bins::of(to), row, kept_bins::of(row), join_at_once());
  join_at_once().flags(to.non_finite, row.non_finite);
}

// Areas where they are all that is wanted; grey values of floats.
template <class Row>
struct row_array {
  using row = Row;
  Row* rows = nullptr;

  void take(pieces& scratch, const node_groups&, u32 count) {
    if (rows == nullptr) scratch.take(rows, count);
  }
  template <class Use>
  __device__ void each(Row& row, Use use) const {
    use(rows, row);
  }
  __device__ void read(u32 node, Row& row) const { row = read_past_first_cache(rows + node); }
  __device__ void write(u32 node, const Row& row) const { rows[node] = row; }
  __device__ void join_from(u32 node, Row& row) const { join(row, read_past_first_cache(rows + node)); }
  __device__ void join_to(u32 node, const Row& row) const { join_beside_others(rows[node], row); }
};
using area_table = row_array<node_area>;
using real_grey_table = row_array<real_intensity>;

// ---- pixels ---------------------------------------------------------------------------------------------------------

// What a rectangle of pixels adds to its node.
__device__ inline void join_pixels(const node_table& table, u32 node, const placed_run& run) {
  const auto pixels = static_cast<u32>(run.width() * run.height());
  if (table.area != nullptr) join(table.area[node], node_area{pixels}, join_at_once());
  if (table.components != nullptr) join(table.components[node], geometry_of(run), join_to_row(table.components[node]));
  if (table.moments == nullptr) return;
  const auto at = [](i64 place) { return static_cast<u64>(place); };
  join(table.moments[node],
       run.bottom - run.top == 1 ? second_moments_of_stretch(at(run.z), at(run.top), at(run.begin), at(run.end))
                                 : second_moments_of(run),
       join_at_once());
}

}  // namespace skerry::tree_stages::on_device
