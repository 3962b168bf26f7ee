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
  // `own` if it is wanted.
  area_counts(const max_tree& tree, const node_strips& strips, measure_scratch& scratch, u32* area, u32* own)
      : tree_(tree), strips_(strips), scratch_(scratch), area_(area), own_(own) {
    scratch.counts.reserve(strips.count() * tree.nodes());
    if (scratch.of_guests.size() < strips.count()) scratch.of_guests.resize(strips.count());
  }

  // Writes what a strip counts: of nodes at home there to the result, of guests to a list of its own.
  void count(std::size_t strip) const {
    const guests_of_strip& guests = strips_.guests(strip);
    scratch_.of_guests[strip].area.reserve(guests.count);
    count_pixels(strip, guests.list());
    if (own_ != nullptr) keep_own(strip, guests.list());
    carry_towards_root(strip, guests.list());
  }

  // Adds what all strips have counted of their guests, in a share of all nodes.
  void add_guests(std::size_t number) const {
    strips_.each_guest_in_share(number, [&](std::size_t strip, node_range places) {
      const u32* const node = strips_.guests(strip).nodes.data();
      const guest_counts& found = scratch_.of_guests[strip];
      for (u32 k = places.begin; k < places.end; ++k) area_[node[k]] += found.area[k];
      if (own_ == nullptr) return;
      for (u32 k = places.begin; k < places.end; ++k) own_[node[k]] += found.own[k];
    });
  }

 private:
  [[nodiscard]] u32* counts_of(std::size_t strip) const { return scratch_.counts.data() + strip * tree_.nodes(); }

  void count_pixels(std::size_t strip, std::span<const u32> guests) const {
    u32* const count = counts_of(strip);
    strips_.each_range_from_last(strip, [&](u32 begin, u32 end) { std::fill(count + begin, count + end, 0); });
    for (const u32 node : guests) count[node] = 0;
    const auto [begin, end] = strips_.rows(strip);
    const auto width = static_cast<std::size_t>(tree_.size().width), row = static_cast<std::size_t>(begin);
    count_nodes(tree_.node_of_pixel().subspan(row * width, (static_cast<std::size_t>(end) - row) * width),
                levels_are_long(tree_), count);
  }

  void keep_own(std::size_t strip, std::span<const u32> guests) const {
    const u32* const count = counts_of(strip);
    strips_.each_range_from_last(strip,
                                 [&](u32 begin, u32 end) { std::copy(count + begin, count + end, own_ + begin); });
    buffer<u32>& of_guests = scratch_.of_guests[strip].own;
    of_guests.reserve(guests.size());
    for (std::size_t k = 0; k < guests.size(); ++k) of_guests[k] = count[guests[k]];
  }

  // Nodes at home and guests in order. A count is done when its node's turn comes.
  void carry_towards_root(std::size_t strip, std::span<const u32> guests) const {
    u32* const count = counts_of(strip);
    u32* const of_guests = scratch_.of_guests[strip].area.data();
    const u32* const parent = tree_.parent().data();
    std::size_t k = 0;
    const auto carry_guests = [&](u32 end) {
      for (; k < guests.size() && guests[k] >= end; ++k) count[parent[guests[k]]] += of_guests[k] = count[guests[k]];
    };
    strips_.each_range_from_last(strip, [&](u32 begin, u32 end) {
      carry_guests(end);
      for (u32 node = end; node-- > std::max(begin, u32{1});) {
        if (node >= begin + nodes_ahead) __builtin_prefetch(&count[parent[node - nodes_ahead]], 1);
        count[parent[node]] += area_[node] = count[node];
      }
    });
    carry_guests(1);
    if (guests.empty() || guests.back() != 0) area_[0] = count[0];
    else of_guests[k] = count[0];
  }

  const max_tree& tree_;
  const node_strips& strips_;
  measure_scratch& scratch_;
  u32* area_;
  u32* own_;
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
  const area_counts counts(tree, strips, scratch, area.data(), own);
  for_each_in_parallel(on, strips.count(), [&](std::size_t strip) {
    strips.prepare(strip);
    counts.count(strip);
  });
  for_each_in_parallel(on, strips.guest_shares(), [&](std::size_t number) { counts.add_guests(number); });
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
    shared_rows<Row>(tree, strips, scratch, rows)
        .sum(
            on, none, [&](u32) { return none; },
            [&](row_range of_image, auto join_to) {
              each_run(tree, of_image, [&](u32 node, const placed_run& run) { join_to(node, of_run(run)); });
            });
  }
  template <class Row>
  void levels(std::vector<Row>& rows) const {
    const u32* const own = scratch.own.data();
    shared_rows<Row>(tree, strips, scratch, rows)
        .sum(
            on, Row(), [&](u32 node) { return grey_of(tree.level()[node], own[node], Row()); }, [](row_range, auto) {});
  }
};

}  // namespace

void measure(engine::state& on, const max_tree& tree, const attribute_options& wanted, measure_scratch& scratch,
             attribute_table& table) {
  const std::size_t nodes = tree.nodes();
  const bool places = wanted.geometry || wanted.moments, reals = sums_reals(tree.type());
  table.rank = tree.size().rank;
  resize_stoppably(table.area, nodes);
  resize_stoppably(table.components, places ? nodes : 0);
  resize_stoppably(table.moments, wanted.moments ? nodes : 0);
  resize_stoppably(table.intensities, wanted.levels && !reals ? nodes : 0);
  resize_stoppably(table.real_intensities, wanted.levels && reals ? nodes : 0);
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
