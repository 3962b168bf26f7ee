// SPDX-License-Identifier: Apache-2.0
// Every threshold set in turn, from the root's level on: each of its components that has pixels at the threshold is a
// node, whose parent is the node that held those pixels until now.
#include "reference/max_tree.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "reference/steps.hpp"

namespace skerry::reference {
namespace {

struct place {
  i64 z, y, x;
};

place place_of(const extent& size, u32 pixel) {
  const i64 p = pixel;
  return {p / size.width / size.height, p / size.width % size.height, p % size.width};
}

// Calls visit(q) for each neighbour q of a pixel.
template <class Visit>
void each_neighbour(const extent& size, int connectivity, u32 pixel, Visit visit) {
  const i64 axes = connectivity == 4 || connectivity == 6 ? 1 : connectivity == 18 ? 2 : 3;
  const place at = place_of(size, pixel);
  for (i64 dz = -1; dz <= 1; ++dz)
    for (i64 dy = -1; dy <= 1; ++dy)
      for (i64 dx = -1; dx <= 1; ++dx) {
        const i64 moved = std::abs(dz) + std::abs(dy) + std::abs(dx);
        const i64 z = at.z + dz, y = at.y + dy, x = at.x + dx;
        const bool inside = 0 <= z && z < size.depth && 0 <= y && y < size.height && 0 <= x && x < size.width;
        if (inside && 1 <= moved && moved <= axes) visit(static_cast<u32>((z * size.height + y) * size.width + x));
      }
}

std::vector<double> values_of(const image_view& image) {
  std::vector<double> values;
  for (i64 z = 0; z < image.size.depth; ++z)
    for (i64 y = 0; y < image.size.height; ++y)
      for (i64 x = 0; x < image.size.width; ++x) values.push_back(value_at(image, z, y, x) + 0.0);  // -0.0 is 0.0
  return values;
}

void add_to(wide_integer& sum, __int128 term) {
  const auto total =
      static_cast<unsigned __int128>(static_cast<__int128>(static_cast<unsigned __int128>(sum.high) << 64 | sum.low)) +
      static_cast<unsigned __int128>(term);
  sum = {static_cast<u64>(total), static_cast<u64>(total >> 64)};
}

void add_to(geometry& g, const place& at, int rank) {
  const i64 coordinate[3] = {at.z, at.y, at.x};
  g.area += 1;
  for (int axis = 0; axis < 3; ++axis) {
    const auto c = static_cast<i32>(coordinate[axis]);
    g.sum[axis] += static_cast<u64>(c);
    g.min[axis] = std::min(g.min[axis], c);
    g.max[axis] = std::max(g.max[axis], c);
  }
  if (rank == 2) g.min[0] = g.max[0] = 0;
}

void add_to(second_moments& m, const place& at) {
  add_to(m.zz, __int128{at.z} * at.z);
  add_to(m.zy, __int128{at.z} * at.y);
  add_to(m.zx, __int128{at.z} * at.x);
  add_to(m.yy, __int128{at.y} * at.y);
  add_to(m.yx, __int128{at.y} * at.x);
  add_to(m.xx, __int128{at.x} * at.x);
}

void add_to(intensity& grey, double value) {
  grey.min = std::min(grey.min, value);
  grey.max = std::max(grey.max, value);
  const auto whole = static_cast<__int128>(value);
  add_to(grey.sum, whole);
  add_to(grey.squares, whole * whole);
}

// Calls visit(node, pixel, level) for each pixel and each node whose component holds it.
template <class Visit>
void each_pixel_of_nodes(const max_tree& tree, Visit visit) {
  for (u32 p = 0; p < tree.node_of_pixel().size(); ++p)
    for (u32 node = tree.node_of_pixel()[p];; node = tree.parent()[node]) {
      visit(node, p, tree.level()[tree.node_of_pixel()[p]]);
      if (tree.parent()[node] == node) break;
    }
}

}  // namespace

tree_parts build(const image_view& image, const tree_options& options) {
  tree_parts tree;
  tree.kind = options.kind;
  tree.connectivity = options.connectivity;
  tree.type = image.type;
  tree.size = image.size;
  const std::vector<double> values = values_of(image);
  std::vector<double> thresholds = values;
  std::sort(thresholds.begin(), thresholds.end());
  thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
  if (options.kind == tree_kind::min) std::reverse(thresholds.begin(), thresholds.end());

  tree.node_of_pixel.assign(values.size(), 0);
  for (const double threshold : thresholds) {
    const auto in_set = [&](u32 p) {
      return options.kind == tree_kind::max ? values[p] >= threshold : values[p] <= threshold;
    };
    std::vector<u8> seen(values.size(), 0);
    for (u32 first = 0; first < values.size(); ++first) {
      if (values[first] != threshold || seen[first] != 0) continue;
      const auto node = static_cast<u32>(tree.parent.size());
      tree.parent.push_back(tree.node_of_pixel[first]);
      tree.first_pixel.push_back(first);
      tree.level.push_back(threshold);
      std::vector<u32> open = {first};
      seen[first] = 1;
      while (!open.empty()) {
        const u32 p = open.back();
        open.pop_back();
        tree.node_of_pixel[p] = node;
        each_neighbour(image.size, options.connectivity, p, [&](u32 q) {
          if (seen[q] != 0 || !in_set(q)) return;
          seen[q] = 1;
          open.push_back(q);
        });
      }
    }
  }
  return tree;
}

attribute_table measure(const max_tree& tree, const attribute_options& wanted) {
  attribute_table table;
  table.rank = tree.size().rank;
  table.area.resize(tree.nodes());
  if (wanted.geometry || wanted.moments) table.components.resize(tree.nodes());
  if (wanted.moments) table.moments.resize(tree.nodes());
  if (wanted.levels && sums_reals(tree.type())) table.real_intensities.resize(tree.nodes());
  else if (wanted.levels) table.intensities.resize(tree.nodes());
  each_pixel_of_nodes(tree, [&](u32 node, u32 p, double level) {
    const place at = place_of(tree.size(), p);
    table.area[node] += 1;
    if (!table.components.empty()) add_to(table.components[node], at, tree.size().rank);
    if (!table.moments.empty()) add_to(table.moments[node], at);
    if (!table.intensities.empty()) add_to(table.intensities[node], level);
    if (!table.real_intensities.empty()) add_range(table.real_intensities[node], level);
  });
  if (!table.real_intensities.empty())
    each_pixel_of_nodes(tree, [&](u32 node, u32, double level) { add_digits(table.real_intensities[node], level); });
  return table;
}

}  // namespace skerry::reference
