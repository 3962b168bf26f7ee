// SPDX-License-Identifier: Apache-2.0
// Stage 6, emit: what is left of an image after filtering.
//
// Reads   the tree, and what is decided about its nodes
// Writes  an image of the tree's type
// Method  [Salembier1998] each node gets the level of the nearest node below that stays: by threads that have consecutive
//         nodes each, then across their shares; by one loop from the root to the leaves where steps add up. Then one
//         look-up each pixel.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>

#include "core/float16.hpp"
#include "core/pixel_type.hpp"
#include "engine/cpu/parallel.hpp"
#include "engine/stop.hpp"
#include "max_tree/cpu/node_strips.hpp"
#include "max_tree/cpu/stages.hpp"

namespace skerry::tree_stages {
namespace {

// Nodes in equal shares, one for each thread that has enough to do.
class node_shares {
 public:
  node_shares(const engine::state& on, std::size_t nodes)
      : nodes_(nodes), count_(std::clamp<std::size_t>(nodes / static_cast<std::size_t>(block_pixels(on)), 1,
                                                      static_cast<std::size_t>(on.threads))) {}
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t begin(std::size_t share) const { return nodes_ * share / count_; }
  // Part of a share, of as many parts as there are shares.
  [[nodiscard]] std::size_t begin(std::size_t share, std::size_t part) const {
    return begin(share) + (begin(share + 1) - begin(share)) * part / count_;
  }

 private:
  std::size_t nodes_, count_;
};

// ---- which node a pixel falls to --------------------------------------------------------------------------------------

// By masks: a branch on what stays would mispredict.
template <class Keep>
void find_staying_in_share(const u32* parent, Keep keep, std::size_t begin, std::size_t end, u32* staying) {
  if (begin == 0) staying[0] = 0;
  in_stretches(std::max<std::size_t>(begin, 1), end, [=](std::size_t first, std::size_t last) {
    for (std::size_t node = first; node < last; ++node) {
      const u32 below = parent[node], of_below = staying[std::max(below, static_cast<u32>(begin))];
      const u32 falls = below >= begin ? of_below : below, stays = 0 - static_cast<u32>(keep(node));
      staying[node] = (static_cast<u32>(node) & stays) | (falls & ~stays);
    }
  });
}

// staying: of each node, itself if it stays, or the nearest one below that does. Within its share a thread finds all that
// do not fall out of it; the others hold a node of an earlier share, which is known when it is their share's turn.
template <class Keep>
void find_staying(engine::state& on, std::span<const u32> parent, Keep keep, u32* staying) {
  const node_shares shares(on, parent.size());
  for_each_in_parallel(on, shares.count(), [&](std::size_t share) {
    find_staying_in_share(parent.data(), keep, shares.begin(share), shares.begin(share + 1), staying);
  });
  for (std::size_t share = 1; share < shares.count(); ++share)
    for_each_in_parallel(on, shares.count(), [&](std::size_t part) {
      const std::size_t begin = shares.begin(share);
      for (std::size_t node = shares.begin(share, part); node < shares.begin(share, part + 1); ++node)
        if (staying[node] < begin) staying[node] = staying[staying[node]];
    });
}

// Calls work(keep), with bool keep(node).
template <class Work>
void with_decision(const decision& about, Work work) {
  const auto at_least = [&](const auto* number, auto least) {
    return work([=](std::size_t node) { return number[node] >= least; });
  };
  if (about.area != nullptr) return at_least(about.area, about.least_area);
  if (about.attribute != nullptr) return at_least(about.attribute, about.least);
  return at_least(about.keep, u8{1});
}

// Rule min: no node below may be dropped. The nearest dropped node below is found as the nearest staying one is.
template <class Keep>
void drop_above_dropped(engine::state& on, std::span<const u32> parent, Keep keep, u32* dropped, u8* kept) {
  find_staying(
      on, parent, [=](std::size_t node) { return !keep(node); }, dropped);
  const node_shares shares(on, parent.size());
  for_each_in_parallel(on, shares.count(), [&](std::size_t share) {
    for (std::size_t node = shares.begin(share); node < shares.begin(share + 1); ++node)
      kept[node] = dropped[node] == 0 ? 1 : 0;  // the root, where the search ends
  });
}

// Rule max: what is below a kept node is kept. Threads go down from each kept node until they meet one that is marked: who has
// marked it goes on from there. The order in which marks are seen does not matter.
template <class Keep>
void keep_below_kept(engine::state& on, std::span<const u32> parent, Keep keep, u8* kept) {
  const node_shares shares(on, parent.size());
  for_each_in_parallel(on, shares.count(), [&](std::size_t share) {
    for (std::size_t node = shares.begin(share); node < shares.begin(share + 1); ++node)
      kept[node] = node == 0 || keep(node) ? 1 : 0;
  });
  for_each_in_parallel(on, shares.count(), [&](std::size_t share) {
    for (std::size_t node = shares.begin(share + 1); node-- > shares.begin(share);) {
      if (!keep(node)) continue;
      for (u32 below = parent[node];; below = parent[below]) {
        const std::atomic_ref<u8> mark(kept[below]);
        if (mark.load(relaxed) != 0) break;
        mark.store(1, relaxed);
      }
    }
  });
}

// ---- levels that follow from steps ------------------------------------------------------------------------------------

// By a step that is whole and up to 2^54, which a double need not hold.
double moved(double level, double from, double to) {
  return static_cast<double>(static_cast<i64>(level) + (static_cast<i64>(to) - static_cast<i64>(from)));
}

template <class Keep>
void subtract(engine::state& on, const max_tree& tree, Keep keep, const node_trunk& trunk, double* levels) {
  const bool of_i64 = tree.type() == dtype::i64;
  const std::span<const u32> parent_of = tree.parent();
  const std::span<const double> level = tree.level();
  levels[0] = level[0];
  each_from_root(on, trunk, [=](u32 node) {
    const u32 parent = parent_of[node];
    // As long as nothing is dropped on the way, the level is taken as it is: floats are then not rounded. A step from
    // or to infinity leads to the level as well.
    const double step = level[node] - level[parent];
    const bool as_it_was = levels[parent] == level[parent] || !std::isfinite(step);
    const double above = as_it_was ? level[node]
                         : of_i64  ? moved(levels[parent], level[parent], level[node])
                                   : levels[parent] + step;
    levels[node] = keep(node) ? above : levels[parent];
  });
}

void cut(engine::state& on, const max_tree& tree, double h, const node_trunk& trunk, double* levels) {
  const bool up = tree.kind() == tree_kind::max;
  const std::span<const u32> parent = tree.parent();
  const std::span<const double> level = tree.level();
  // The farthest level in each component, then what is left of it.
  const node_strips& strips = trunk.strips();
  for_each_in_parallel(on, strips.count(), [&](std::size_t number) {
    const auto [begin, end] = strips.share(tree.nodes(), number);
    std::copy(level.data() + begin, level.data() + end, levels + begin);
  });
  each_towards_root(on, trunk, [=](u32 node, bool shared) {
    const double far = levels[node];
    double& below = levels[parent[node]];
    if (!shared) {
      below = up ? std::max(below, far) : std::min(below, far);
      return;
    }
    const std::atomic_ref<double> farthest(below);
    for (double now = farthest.load(relaxed);
         (up ? now < far : now > far) && !farthest.compare_exchange_weak(now, far, relaxed);) {}
  });
  levels[0] = level[0];
  each_from_root(on, trunk, [=](u32 node) {
    const double cut = up ? levels[node] - h : levels[node] + h;
    const double own = up ? std::min(cut, level[node]) : std::max(cut, level[node]);
    const double below = levels[parent[node]];
    levels[node] = up ? std::max(own, below) : std::min(own, below);
  });
}

// ---- pixels -------------------------------------------------------------------------------------------------------------

// Whole words where pixels are dense: a store for each pixel would take longer than the two loads.
template <class Pixel>
void emit_row(const u32* node, const Pixel* value, i64 width, Pixel* row) {
  constexpr i64 word_bytes = 8, pixels = word_bytes / i64{sizeof(Pixel)};
  i64 x = 0;
  for (; x + pixels <= width; x += pixels) {
    std::array<Pixel, pixels> word;
    for (i64 k = 0; k < pixels; ++k) word[static_cast<std::size_t>(k)] = value[node[x + k]];
    std::memcpy(static_cast<void*>(row + x), word.data(), sizeof word);
  }
  for (; x < width; ++x) std::memcpy(static_cast<void*>(row + x), value + node[x], sizeof(Pixel));
}

template <class Pixel>
void emit_rows(const u32* nodes, const Pixel* value, const mutable_image& out, row_range rows) {
  const i64 width = out.size.width;
  for (i64 r = rows.begin; r < rows.end; ++r) {
    const u32* const node = nodes + r * width;
    std::byte* const row =
        static_cast<std::byte*>(out.data) + r / out.size.height * out.strides.z + r % out.size.height * out.strides.y;
    if (out.strides.x == static_cast<i64>(sizeof(Pixel)))
      emit_row(node, value, width, static_cast<Pixel*>(static_cast<void*>(row)));
    else
      for (i64 x = 0; x < width; ++x) std::memcpy(row + x * out.strides.x, &value[node[x]], sizeof(Pixel));
  }
}

template <class Pixel>
Pixel pixel_of(double level) {
  if constexpr (std::is_same_v<Pixel, f16>) return f16_of(level);
  else return static_cast<Pixel>(level);
}

// How far two levels are apart; equal infinities are not.
template <class Pixel>
Pixel pixels_apart(double a, double b) {
  if (a == b) return pixel_of<Pixel>(0);
  if constexpr (std::is_same_v<Pixel, u64>) {
    const i64 apart = static_cast<i64>(a) - static_cast<i64>(b);
    return static_cast<u64>(apart < 0 ? -apart : apart);
  } else {
    return pixel_of<Pixel>(std::abs(a - b));
  }
}

// The value of each node of a share: left(node) is the level that it has now. Nothing is read through what a pixel that is
// written could be, a byte of anything.
template <class Pixel, class Left>
void find_values(const double* level, std::size_t begin, std::size_t end, bool top_hat, Left left, Pixel* value) {
  if (!top_hat) {
    for (std::size_t node = begin; node < end; ++node) value[node] = pixel_of<Pixel>(left(node));
    return;
  }
  for (std::size_t node = begin; node < end; ++node) value[node] = pixels_apart<Pixel>(level[node], left(node));
}

template <class Pixel, class Left>
void emit_as(engine::state& on, const max_tree& tree, bool top_hat, Left left, filter_scratch& scratch,
             const mutable_image& out) {
  scratch.values.reserve(tree.nodes() * sizeof(Pixel) / sizeof(u64) + 1);
  auto* const value = static_cast<Pixel*>(static_cast<void*>(scratch.values.data()));
  const node_shares shares(on, tree.nodes());
  for_each_in_parallel(on, shares.count(), [&](std::size_t share) {
    find_values(tree.level().data(), shares.begin(share), shares.begin(share + 1), top_hat, left, value);
  });
  const u32* const nodes = tree.node_of_pixel().data();
  const row_blocks blocks(out.size, block_pixels(on));
  for_each_in_parallel(on, blocks.count(), [&](std::size_t k) { emit_rows(nodes, value, out, blocks[k]); });
}

template <class Left>
void emit(engine::state& on, const max_tree& tree, bool top_hat, Left left, filter_scratch& scratch,
          const mutable_image& out) {
  with_pixel_type(out.type,
                  [&]<class Pixel>(pixel_type<Pixel>) { emit_as<Pixel>(on, tree, top_hat, left, scratch, out); });
}

}  // namespace

void emit_filtered(engine::state& on, const max_tree& tree, const decision& about, const filter_options& options,
                   filter_scratch& scratch, const mutable_image& out) {
  const std::span<const u32> parent = tree.parent();
  with_decision(about, [&](auto keep) {
    if (options.rule == filter_rule::subtractive) {
      scratch.levels.reserve(tree.nodes());
      double* const levels = scratch.levels.data();
      const node_strips strips(on, tree, scratch.strips);
      subtract(on, tree, keep, node_trunk(on, strips, scratch.strips), levels);
      return emit(
          on, tree, options.top_hat, [=](std::size_t node) { return levels[node]; }, scratch, out);
    }
    scratch.staying.reserve(tree.nodes());
    u32* const staying = scratch.staying.data();
    if (options.rule == filter_rule::direct) {
      find_staying(on, parent, keep, staying);
    } else {
      scratch.kept.reserve(tree.nodes());
      u8* const kept = scratch.kept.data();
      if (options.rule == filter_rule::min) drop_above_dropped(on, parent, keep, staying, kept);
      else keep_below_kept(on, parent, keep, kept);
      find_staying(
          on, parent, [=](std::size_t node) { return kept[node] != 0; }, staying);
    }
    const double* const level = tree.level().data();
    emit(
        on, tree, options.top_hat, [=](std::size_t node) { return level[staying[node]]; }, scratch, out);
  });
}

void emit_cut(engine::state& on, const max_tree& tree, double h, bool top_hat, filter_scratch& scratch,
              const mutable_image& out) {
  scratch.levels.reserve(tree.nodes());
  const double* const levels = scratch.levels.data();
  const node_strips strips(on, tree, scratch.strips);
  cut(on, tree, h, node_trunk(on, strips, scratch.strips), scratch.levels.data());
  emit(
      on, tree, top_hat, [=](std::size_t node) { return levels[node]; }, scratch, out);
}

}  // namespace skerry::tree_stages
