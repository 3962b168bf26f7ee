// SPDX-License-Identifier: Apache-2.0
// Stage 5, measure: sums over the pixels of each node.
//
// Reads   node_of_pixel, parents, levels
// Writes  one row per node
// Method  pixels of one node that follow each other in a row are one run, whose share is known in closed form; then one
//         loop backwards over the nodes joins each to its parent, which comes before it.
#include <algorithm>
#include <array>

#include "core/feature.hpp"
#include "core/intensity.hpp"
#include "core/real_intensity.hpp"
#include "engine/cpu/parallel.hpp"
#include "max_tree/cpu/stages.hpp"

namespace skerry::tree_stages {
namespace {

// Calls visit(node, run) for each run of pixels of one node.
template <class Visit>
void each_run(const max_tree& tree, Visit visit) {
  const u32* row = tree.node_of_pixel().data();
  for (i64 z = 0; z < tree.size().depth; ++z)
    for (i64 y = 0; y < tree.size().height; ++y, row += tree.size().width)
      for (i64 begin = 0, end = 0; begin < tree.size().width; begin = end) {
        const u32 node = row[begin];
        for (end = begin + 1; end < tree.size().width && row[end] == node;) ++end;
        visit(node, placed_run{z, y, y + 1, begin, end});
      }
}

template <class Row>
void join_children(const max_tree& tree, std::vector<Row>& rows) {
  for (std::size_t node = rows.size(); node-- > 1;) join(rows[tree.parent()[node]], rows[node], join_alone());
}

// Pixels are near each other, their nodes are not: each thread looks at all pixels, and counts those of its own nodes, so
// that the threads wait for memory at the same time.
void count_pixels(engine::state& on, const max_tree& tree, std::vector<u32>& area) {
  const std::size_t nodes = tree.nodes();
  const std::size_t parts = std::clamp<std::size_t>(nodes / static_cast<std::size_t>(16 * block_pixels(on)), 1,
                                                    static_cast<std::size_t>(std::min(on.threads, 8)));
  if (parts == 1) {
    for (const u32 node : tree.node_of_pixel()) ++area[node];
    return;
  }
  for_each_in_parallel(on, parts, [&](std::size_t part) {
    const std::size_t begin = nodes * part / parts, own = nodes * (part + 1) / parts - begin;
    // Own nodes are picked without a branch.
    std::array<u32, 1024> picked;
    for (std::size_t pixel = 0; pixel < tree.node_of_pixel().size(); pixel += picked.size()) {
      const std::size_t end = std::min(tree.node_of_pixel().size(), pixel + picked.size());
      std::size_t count = 0;
      for (std::size_t p = pixel; p < end; ++p) {
        picked[count] = tree.node_of_pixel()[p];
        count += tree.node_of_pixel()[p] - begin < own ? 1 : 0;
      }
      for (std::size_t i = 0; i < count; ++i) ++area[picked[i]];
    }
  });
}

void measure_area(engine::state& on, const max_tree& tree, std::vector<u32>& area) {
  area.assign(tree.nodes(), 0);
  count_pixels(on, tree, area);
  constexpr std::size_t ahead = 64;
  for (std::size_t node = area.size(); node-- > 1;) {
    if (node > ahead) __builtin_prefetch(&area[tree.parent()[node - ahead]], 1);
    area[tree.parent()[node]] += area[node];
  }
}

// A node's own pixels have one value: sums are their number times those of one.
intensity grey_of(double level, u64 pixels, const intensity&) {
  intensity grey;
  add_integer(grey, static_cast<i64>(level));
  grey.sum = times(grey.sum, pixels);
  grey.squares = times(grey.squares, pixels);
  return grey;
}
real_intensity grey_of(double level, u64 pixels, const real_intensity&) { return real_intensity_of(level, pixels); }

template <class Row>
void measure_levels(const max_tree& tree, const std::vector<u32>& area, buffer<u32>& own,
                    std::vector<Row>& intensities) {
  intensities.resize(tree.nodes());
  own.reserve(tree.nodes());
  std::copy(area.begin(), area.end(), own.data());
  for (std::size_t node = tree.nodes(); node-- > 1;) own[tree.parent()[node]] -= area[node];
  for (std::size_t node = 0; node < tree.nodes(); ++node)
    intensities[node] = grey_of(tree.level()[node], own[node], Row());
  join_children(tree, intensities);
}

}  // namespace

void measure(engine::state& on, const max_tree& tree, const attribute_options& wanted, buffer<u32>& own,
             attribute_table& table) {
  table.rank = tree.size().rank;
  measure_area(on, tree, table.area);
  const bool components = wanted.geometry || wanted.moments;
  table.components.assign(components ? tree.nodes() : 0, empty_geometry(tree.size().rank));
  table.moments.assign(wanted.moments ? tree.nodes() : 0, {});
  if (components) {
    each_run(tree,
             [&](u32 node, const placed_run& run) { join(table.components[node], geometry_of(run), join_alone()); });
    join_children(tree, table.components);
  }
  if (wanted.moments) {
    each_run(tree,
             [&](u32 node, const placed_run& run) { join(table.moments[node], second_moments_of(run), join_alone()); });
    join_children(tree, table.moments);
  }
  table.intensities.clear();
  table.real_intensities.clear();
  if (wanted.levels && sums_reals(tree.type())) measure_levels(tree, table.area, own, table.real_intensities);
  else if (wanted.levels) measure_levels(tree, table.area, own, table.intensities);
}

}  // namespace skerry::tree_stages
