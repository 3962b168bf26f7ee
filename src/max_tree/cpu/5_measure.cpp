// SPDX-License-Identifier: Apache-2.0
// Stage 5, measure: sums over the pixels of each node.
//
// Reads   node_of_pixel, parents, levels
// Writes  one row per node
// Method  pixels of one node that follow each other in a row are one run, whose share is known in closed form; then rows
//         are joined to those of their parents, which come before them, from the last node to the first. Each thread does
//         so for the pixels of a strip, and for the nodes at home there (node_strips.hpp); what it finds for nodes of the
//         trunk it keeps in rows of its own, which are joined at the end.
#include <algorithm>
#include <array>
#include <bit>

#include "core/feature.hpp"
#include "core/intensity.hpp"
#include "core/real_intensity.hpp"
#include "engine/cpu/parallel.hpp"
#include "engine/stop.hpp"
#include "max_tree/cpu/shared_rows.hpp"

namespace skerry::tree_stages {
namespace {

// Gives each row its first value: value(node).
template <class Row, class Value>
void set_rows(engine::state& on, const node_strips& strips, std::vector<Row>& rows, Value value) {
  for_each_in_parallel(on, strips.count(), [&](std::size_t number) {
    const auto [begin, end] = strips.share(rows.size(), number);
    for (std::size_t node = begin; node < end; ++node) rows[node] = value(node);
  });
}

// ---- areas --------------------------------------------------------------------------------------------------------------

// `levels_are_long`: nodes are those of bytes, so that pixels near each other have nodes near each other, of each level.
void count_nodes(std::span<const u32> node_of_pixel, bool levels_are_long, u32* count) {
  in_stretches(0, node_of_pixel.size(), [=](std::size_t first, std::size_t last) {
    const std::span<const u32> nodes = node_of_pixel.subspan(first, last - first);
    if (!levels_are_long) {
      for (const u32 node : nodes) ++count[node];
      return;
    }
    for (const u32 node : nodes) {
      // The next nodes of its level: levels are in different pages.
      __builtin_prefetch(count + node + words_of_line, 1);
      ++count[node];
    }
  });
}

bool levels_are_long(const max_tree& tree) { return size_of(tree.type()) == 1; }

// Each strip counts for all nodes that it meets in counts of its own, since a look at where a node belongs would take as long as
// counting its pixel.
class area_counts {
 public:
  area_counts(const max_tree& tree, const node_strips& strips, buffer<u32>& counts) : tree_(tree), strips_(strips) {
    counts.reserve(strips.count() * tree.nodes());
    counts_ = counts.data();
  }

  void count_pixels(std::size_t strip) const {
    u32* const count = of(strip);
    strips_.each_range_from_last(strip, [&](u32 begin, u32 end) { std::fill(count + begin, count + end, 0); });
    for (const u32 node : strips_.trunk(strip).list()) count[node] = 0;
    const auto [begin, end] = strips_.rows(strip);
    const auto width = static_cast<std::size_t>(tree_.size().width), row = static_cast<std::size_t>(begin);
    count_nodes(tree_.node_of_pixel().subspan(row * width, (static_cast<std::size_t>(end) - row) * width),
                levels_are_long(tree_), count);
  }

  // The nodes of the strip and those of the trunk in order.
  void carry_towards_root(std::size_t strip) const {
    u32* const count = of(strip);
    const u32* const parent = tree_.parent().data();
    const u32* next = strips_.trunk(strip).list().data();
    const u32* const root = next + strips_.trunk(strip).list().size() - 1;
    strips_.each_range_from_last(strip, [&](u32 begin, u32 end) {
      stop_point();
      for (; *next >= end; ++next) count[parent[*next]] += count[*next];
      for (u32 node = end; node-- > std::max(begin, u32{1});) {
        if (node > nodes_ahead) __builtin_prefetch(&count[parent[node - nodes_ahead]], 1);
        count[parent[node]] += count[node];
      }
      while (next < root && *next >= begin) ++next;
    });
    for (; next < root; ++next) count[parent[*next]] += count[*next];
  }

  // What all strips have counted.
  void add_up(engine::state& on, u32* sums) const {
    for_each_in_parallel(on, strips_.count(), [&](std::size_t strip) {
      const u32* const count = of(strip);
      strips_.each_range_from_last(strip,
                                   [&](u32 begin, u32 end) { std::copy(count + begin, count + end, sums + begin); });
    });
    for_each_in_parallel(on, strips_.count(), [&](std::size_t number) {
      strips_.each_trunk_in_share(number, [&](std::size_t, std::span<const u32> nodes) {
        for (const u32 node : nodes) sums[node] = 0;
      });
      strips_.each_trunk_in_share(number, [&](std::size_t strip, std::span<const u32> nodes) {
        for (const u32 node : nodes) sums[node] += of(strip)[node];
      });
    });
  }

 private:
  [[nodiscard]] u32* of(std::size_t strip) const { return counts_ + strip * tree_.nodes(); }

  const max_tree& tree_;
  const node_strips& strips_;
  u32* counts_;
};

// How many threads share the nodes of a tree that is counted by one loop.
std::size_t counting_parts(const engine::state& on, std::size_t nodes) {
  return std::clamp<std::size_t>(nodes / static_cast<std::size_t>(16 * block_pixels(on)), 1,
                                 static_cast<std::size_t>(std::min(on.threads, 8)));
}

// Pixels are near each other, their nodes are not: each thread looks at all pixels, and counts those of its own nodes, so
// that the threads wait for memory at the same time.
void count_all_pixels(engine::state& on, const max_tree& tree, std::size_t parts, std::vector<u32>& area) {
  const std::size_t nodes = tree.nodes();
  std::fill(area.begin(), area.end(), 0);
  if (parts == 1) return count_nodes(tree.node_of_pixel(), levels_are_long(tree), area.data());
  for_each_in_parallel(on, parts, [&](std::size_t part) {
    const std::size_t begin = nodes * part / parts, own = nodes * (part + 1) / parts - begin;
    // Own nodes are picked without a branch.
    std::array<u32, 1024> picked;
    for (std::size_t pixel = 0; pixel < tree.node_of_pixel().size(); pixel += picked.size()) {
      stop_point();
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

// The same where most pixels are the first of their nodes: each node has its first, and only the others are looked up. They
// are found by bits of pixels, which caches hold, where the counts of nodes are all over memory. Each part has bits of its own.
void count_later_pixels(engine::state& on, const max_tree& tree, std::size_t parts, buffer<u64>& first,
                        std::vector<u32>& area) {
  const std::size_t nodes = tree.nodes(), pixels = tree.node_of_pixel().size(), words = (pixels + 63) / 64;
  first.reserve(parts * words);
  u64* const bits = first.data();
  for_each_in_parallel(on, parts, [&](std::size_t part) {
    const std::size_t begin = nodes * part / parts, end = nodes * (part + 1) / parts;
    u64* const own = bits + part * words;
    std::fill_n(own, words, u64{0});
    std::fill(area.begin() + static_cast<std::ptrdiff_t>(begin), area.begin() + static_cast<std::ptrdiff_t>(end), 1);
    in_stretches(begin, end, [own, from = tree.first_pixel().data()](std::size_t low, std::size_t high) {
      for (std::size_t node = low; node < high; ++node) own[from[node] / 64] |= u64{1} << from[node] % 64;
    });
  });
  for_each_in_parallel(on, parts, [&](std::size_t part) {
    const std::size_t begin = nodes * part / parts, own = nodes * (part + 1) / parts - begin;
    for (std::size_t word = 0; word < words; ++word) {
      stop_point(word);
      u64 later = ~u64{0} >> (word + 1 == words ? words * 64 - pixels : 0);
      for (std::size_t each = 0; each < parts; ++each) later &= ~bits[each * words + word];
      for (; later != 0; later &= later - 1) {
        const u32 node = tree.node_of_pixel()[word * 64 + static_cast<std::size_t>(std::countr_zero(later))];
        if (node - begin < own) ++area[node];
      }
    }
  });
}

// All nodes by one loop.
void measure_area_alone(engine::state& on, const max_tree& tree, measure_scratch& scratch, std::vector<u32>& area,
                        u32* own) {
  const std::size_t parts = counting_parts(on, tree.nodes());
  if (!levels_are_long(tree) && tree.nodes() > tree.node_of_pixel().size() / 2)
    count_later_pixels(on, tree, parts, scratch.first_of_node, area);
  else count_all_pixels(on, tree, parts, area);
  if (own != nullptr) std::copy(area.begin(), area.end(), own);
  in_stretches_down(1, area.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t node = last; node-- > first;) {
      if (node > nodes_ahead) __builtin_prefetch(&area[tree.parent()[node - nodes_ahead]], 1);
      area[tree.parent()[node]] += area[node];
    }
  });
}

// Writes how many pixels each node has itself to `own`, if that is wanted.
void measure_area(engine::state& on, const max_tree& tree, const node_strips& strips, measure_scratch& scratch,
                  std::vector<u32>& area, u32* own) {
  if (strips.count() == 1) return measure_area_alone(on, tree, scratch, area, own);
  const area_counts counts(tree, strips, scratch.counts);
  for_each_in_parallel(on, strips.count(), [&](std::size_t strip) {
    counts.count_pixels(strip);
    if (own == nullptr) counts.carry_towards_root(strip);
  });
  if (own != nullptr) {
    counts.add_up(on, own);
    for_each_in_parallel(on, strips.count(), [&](std::size_t strip) { counts.carry_towards_root(strip); });
  }
  counts.add_up(on, area.data());
}

// ---- wider rows ---------------------------------------------------------------------------------------------------------

// A node's own pixels have one value: sums are their number times those of one.
intensity grey_of(double level, u64 pixels, const intensity&) {
  intensity grey;
  add_integer(grey, static_cast<i64>(level));
  grey.sum = times(grey.sum, pixels);
  grey.squares = times(grey.squares, pixels);
  return grey;
}
real_intensity grey_of(double level, u64 pixels, const real_intensity&) { return real_intensity_of(level, pixels); }

// What the groups of sums have in common.
struct measure_work {
  engine::state& on;
  const max_tree& tree;
  const node_strips& strips;
  measure_scratch& scratch;

  template <class Row, class OfRun>
  void places(std::vector<Row>& rows, const Row& none, OfRun of_run) const {
    set_rows(on, strips, rows, [&](std::size_t) { return none; });
    const shared_rows<Row> shared(tree, strips, scratch, rows);
    shared.add_pixels(on, none, of_run);
    shared.carry_towards_root(on);
  }
  template <class Row>
  void levels(std::vector<Row>& rows) const {
    const u32* const own = scratch.own.data();
    set_rows(on, strips, rows, [&](std::size_t node) { return grey_of(tree.level()[node], own[node], Row()); });
    const shared_rows<Row> shared(tree, strips, scratch, rows);
    shared.clear_trunk(on, Row());
    shared.carry_towards_root(on);
  }
};

}  // namespace

void measure(engine::state& on, const max_tree& tree, const attribute_options& wanted, measure_scratch& scratch,
             attribute_table& table) {
  const std::size_t nodes = tree.nodes();
  const bool places = wanted.geometry || wanted.moments, reals = sums_reals(tree.type());
  table.rank = tree.size().rank;
  table.area.resize(nodes);
  table.components.resize(places ? nodes : 0);
  table.moments.resize(wanted.moments ? nodes : 0);
  table.intensities.resize(wanted.levels && !reals ? nodes : 0);
  table.real_intensities.resize(wanted.levels && reals ? nodes : 0);
  if (nodes == 0) return;
  const bool only_areas = !places && !wanted.moments && !wanted.levels;
  const node_strips strips(on, tree, scratch.strips,
                           only_areas ? node_strips::least_nodes_for_areas : node_strips::least_nodes_of_level);
  const measure_work work{on, tree, strips, scratch};
  if (wanted.levels) scratch.own.reserve(nodes);
  measure_area(on, tree, strips, scratch, table.area, wanted.levels ? scratch.own.data() : nullptr);
  if (places) work.places(table.components, empty_geometry(table.rank), geometry_of);
  if (wanted.moments) work.places(table.moments, second_moments(), second_moments_of);
  if (!wanted.levels) return;
  if (reals) work.levels(table.real_intensities);
  else work.levels(table.intensities);
}

}  // namespace skerry::tree_stages
