// SPDX-License-Identifier: Apache-2.0
// Stage 6, emit: what is left of an image after filtering.
//
// Reads   the tree, and which nodes stay
// Writes  an image of the tree's type
// Method  [Salembier1998] one loop from the root to the leaves gives each node its new level, one look-up each pixel.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/cpu/parallel.hpp"
#include "max_tree/stages.hpp"

namespace skerry::tree_stages {
namespace {

template <class Pixel>
void emit_rows(const max_tree& tree, const Pixel* value, const mutable_image& out, row_range rows) {
  const i64 width = out.size.width;
  for (i64 r = rows.begin; r < rows.end; ++r) {
    const u32* const node = tree.node_of_pixel().data() + r * width;
    std::byte* const row =
        static_cast<std::byte*>(out.data) + r / out.size.height * out.strides.z + r % out.size.height * out.strides.y;
    if (out.strides.x == static_cast<i64>(sizeof(Pixel))) {
      for (i64 x = 0; x < width; ++x)
        std::memcpy(row + x * static_cast<i64>(sizeof(Pixel)), &value[node[x]], sizeof(Pixel));
    } else {
      for (i64 x = 0; x < width; ++x) std::memcpy(row + x * out.strides.x, &value[node[x]], sizeof(Pixel));
    }
  }
}

template <class Pixel>
void emit_as(engine::state& on, const max_tree& tree, bool top_hat, filter_scratch& scratch, const mutable_image& out) {
  auto* const value = static_cast<Pixel*>(static_cast<void*>(scratch.values.data()));
  const double* const levels = scratch.levels.data();
  for (std::size_t node = 0; node < tree.nodes(); ++node) {
    // Equal infinities are 0 apart.
    const double apart = levels[node] == tree.level()[node] ? 0 : std::abs(tree.level()[node] - levels[node]);
    value[node] = static_cast<Pixel>(top_hat ? apart : levels[node]);
  }
  const row_blocks blocks(out.size, block_pixels(on));
  for_each_in_parallel(on, blocks.count(), [&](std::size_t k) { emit_rows(tree, value, out, blocks[k]); });
}

}  // namespace

void filtered_levels(const max_tree& tree, filter_rule rule, filter_scratch& scratch) {
  u8* const kept = scratch.kept.data();
  double* const levels = scratch.levels.data();
  kept[0] = 1;
  if (rule == filter_rule::max)
    for (std::size_t node = tree.nodes(); node-- > 1;)
      if (kept[node] != 0) kept[tree.parent()[node]] = 1;
  levels[0] = tree.level()[0];
  for (std::size_t node = 1; node < tree.nodes(); ++node) {
    const u32 parent = tree.parent()[node];
    if (rule == filter_rule::min && kept[parent] == 0) kept[node] = 0;
    if (rule == filter_rule::subtractive) {
      // As long as nothing is dropped on the way, the level is taken as it is: floats are then not rounded. A step from
      // or to infinity leads to the level as well.
      const double step = tree.level()[node] - tree.level()[parent];
      const bool as_it_was = levels[parent] == tree.level()[parent] || !std::isfinite(step);
      const double above = as_it_was ? tree.level()[node] : levels[parent] + step;
      levels[node] = kept[node] == 0 ? levels[parent] : above;
    } else {
      levels[node] = kept[node] != 0 ? tree.level()[node] : levels[parent];
    }
  }
}

void cut_levels(const max_tree& tree, double h, filter_scratch& scratch) {
  const bool up = tree.kind() == tree_kind::max;
  double* const levels = scratch.levels.data();
  // The farthest level in each component, then what is left of it.
  std::copy(tree.level().begin(), tree.level().end(), levels);
  for (std::size_t node = tree.nodes(); node-- > 1;) {
    double& below = levels[tree.parent()[node]];
    below = up ? std::max(below, levels[node]) : std::min(below, levels[node]);
  }
  levels[0] = tree.level()[0];
  for (std::size_t node = 1; node < tree.nodes(); ++node) {
    const double cut = up ? levels[node] - h : levels[node] + h;
    const double own = up ? std::min(cut, tree.level()[node]) : std::max(cut, tree.level()[node]);
    const double below = levels[tree.parent()[node]];
    levels[node] = up ? std::max(own, below) : std::min(own, below);
  }
}

void emit(engine::state& on, const max_tree& tree, bool top_hat, filter_scratch& scratch, const mutable_image& out) {
  switch (out.type) {
    case dtype::u16: return emit_as<u16>(on, tree, top_hat, scratch, out);
    case dtype::i16: return emit_as<std::int16_t>(on, tree, top_hat, scratch, out);
    case dtype::u32: return emit_as<u32>(on, tree, top_hat, scratch, out);
    case dtype::f32: return emit_as<float>(on, tree, top_hat, scratch, out);
    default: return emit_as<u8>(on, tree, top_hat, scratch, out);
  }
}

}  // namespace skerry::tree_stages
