// SPDX-License-Identifier: Apache-2.0
// Stage 2, local: where the trees of tiles will be joined, for keys of 16 or 32 bits.
//
// Reads   keys on both sides of the borders between tiles
// Writes  the pixels of pairs across borders, and their numbers tile by tile
// Method  a pair connects its tiles from its lower pixel down. It is left out when another pair of the same border connects
//         them no later, and its pixels are the same or touch these on each side: in noise one in ten or twenty is left.
//         Borders across x end where a tile ends, those across y go through the whole slice, those across z through the
//         volume, so that no two pairs are left out because of each other; pairs with the same lower pixel have an order.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "core/adjacency.hpp"
#include "engine/cpu/parallel.hpp"
#include "engine/stop.hpp"
#include "max_tree/cpu/stages.hpp"

namespace skerry::tree_stages {
namespace {

// Where a pixel of a border is in the plane of its side, or how far from another.
struct border_place {
  int beside, along;
  friend constexpr border_place operator+(border_place a, border_place b) {
    return {a.beside + b.beside, a.along + b.along};
  }
  friend constexpr border_place operator-(border_place a, border_place b) {
    return {a.beside - b.beside, a.along - b.along};
  }
  // Along how many axes.
  [[nodiscard]] constexpr int moved() const { return (beside != 0 ? 1 : 0) + (along != 0 ? 1 : 0); }
};

// Straight first.
constexpr std::array<border_place, 9> border_steps = {
    {{0, 0}, {0, -1}, {0, 1}, {-1, 0}, {1, 0}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}};

// The border between a tile and those before it along an axis: two planes of pixels, or lines.
template <class Key>
class border {
 public:
  border(const key_image<Key>& image, const box& own, std::size_t axis)
      : keys_(image.keys), own_(own), axes_(axes_of(image.connectivity)), along_(axis == 2 ? 1 : 2),
        beside_(3 - axis - along_) {
    const std::array<i64, 3> stride = {image.size.height * image.size.width, image.size.width, 1};
    const std::array<i64, 3> side = {image.size.depth, image.size.height, image.size.width};
    const auto ends = [&](std::size_t a) {
      return a > axis ? std::pair<i64, i64>(0, side[a]) : std::pair<i64, i64>(own.begin[a], own.end[a]);
    };
    std::tie(begin_.along, end_.along) = ends(along_);
    std::tie(begin_.beside, end_.beside) = ends(beside_);
    stride_along_ = stride[along_];
    stride_beside_ = stride[beside_];
    corner_ = (own.begin[axis] - 1) * stride[axis];
    across_ = stride[axis];
    for (const border_place step : border_steps)
      if (step.moved() < axes_) find_rivals(step);
  }

  // Calls visit(one, other) for each pair that is kept and has its first pixel beside the tile.
  template <class Visit>
  void each_pair(Visit visit) const {
    for (auto k = static_cast<int>(own_.begin[beside_]); k < own_.end[beside_]; ++k)
      for (auto i = static_cast<int>(own_.begin[along_]); i < own_.end[along_]; ++i) {
        const border_place one{k, i};
        const i64 pixel = corner_ + offset(one);
        for (std::size_t kind = 0; kind < kinds_; ++kind) {
          const border_place step = rivals_[first_[kind]].other;
          const i64 other = pixel + across_ + offset(step);
          if (is_inside(one + step) && !is_replaced(one, pixel, other, kind))
            visit(static_cast<u32>(pixel), static_cast<u32>(other));
        }
      }
  }

 private:
  // Another pair, from the first pixel of a pair: it connects the sides, too, since its pixels touch those of the pair or are the same.
  // The first rival of each kind of pair is the pair itself.
  struct rival {
    border_place one, other;
    i64 one_offset, other_offset;
    bool wins;  // where both have the same lower pixel
  };

  [[nodiscard]] i64 offset(border_place p) const { return p.beside * stride_beside_ + p.along * stride_along_; }
  [[nodiscard]] bool is_inside(border_place p) const {
    return p.along >= begin_.along && p.along < end_.along && p.beside >= begin_.beside && p.beside < end_.beside;
  }
  // No rival of any pair from here is outside.
  [[nodiscard]] bool is_deep(border_place p) const {
    return is_inside(p - border_place{2, 2}) && is_inside(p + border_place{2, 2});
  }
  // Of pairs with the same lower pixel the straighter one goes before, or that of earlier pixels.
  [[nodiscard]] bool goes_before(border_place one, border_place other, border_place step) const {
    if ((other - one).moved() != step.moved()) return (other - one).moved() < step.moved();
    return offset(one) != 0 ? offset(one) < 0 : offset(other) < offset(step);
  }
  void add(border_place one, border_place other, bool wins) {
    rivals_[count_++] = {one, other, offset(one), across_ + offset(other), wins};
  }
  void find_rivals(border_place step) {
    first_[kinds_++] = count_;
    add({0, 0}, step, false);
    for (const border_place across : border_steps)
      for (const border_place aside : border_steps) {
        const border_place other = aside + across, apart = other - step;
        const bool near = std::abs(apart.along) <= 1 && std::abs(apart.beside) <= 1 && apart.moved() <= axes_;
        const bool same = aside.moved() == 0 && apart.moved() == 0;
        if (aside.moved() <= axes_ && across.moved() < axes_ && near && !same)
          add(aside, other, goes_before(aside, other, step));
      }
    first_[kinds_] = count_;
  }

  // No two pixels are equally high.
  [[nodiscard]] u64 height(i64 pixel) const { return static_cast<u64>(keys_[pixel]) << 32 | static_cast<u64>(pixel); }
  [[nodiscard]] bool is_replaced(border_place one, i64 pixel, i64 other, std::size_t kind) const {
    const u64 least = std::min(height(pixel), height(other));
    const bool deep = is_deep(one);
    for (std::size_t i = first_[kind] + 1; i < first_[kind + 1]; ++i) {
      const rival& each = rivals_[i];
      if (!deep && !(is_inside(one + each.one) && is_inside(one + each.other))) continue;
      const u64 high = std::min(height(pixel + each.one_offset), height(pixel + each.other_offset));
      if (high > least || (each.wins && high == least)) return true;
    }
    return false;
  }

  const Key* keys_;
  const box& own_;
  int axes_;
  std::size_t along_, beside_;
  border_place begin_{}, end_{};  // of places that count
  i64 stride_along_ = 0, stride_beside_ = 0;
  i64 corner_ = 0, across_ = 0;  // the pixel at place 0, 0 of the first side; from there to the other
  std::size_t kinds_ = 0, count_ = 0;
  std::array<std::size_t, 10> first_{};  // rivals of each kind
  std::array<rival, 450> rivals_;
};

// Calls visit(one, other) for each pair of a tile with those before it that is kept.
template <class Key, class Visit>
void each_pair_of_tile(const key_image<Key>& image, const box& own, Visit visit) {
  for (const std::size_t axis : {2, 1, 0})
    if (own.begin[axis] != 0) border<Key>(image, own, axis).each_pair(visit);
}

// Counts become places: each the sum of those before it.
void add_up(u32* counts, std::size_t number) {
  u32 sum = 0;
  for (std::size_t i = 0; i <= number; ++i) sum += std::exchange(counts[i], sum);
}

void number_gates(const tiling& tiles, std::size_t ends, gates& found) {
  found.first_gate.reserve(tiles.tiles() + 1);
  u32* const next = found.first_gate.data();
  std::fill(next, next + tiles.tiles() + 1, 0u);
  for (std::size_t i = 0; i < ends; ++i) ++next[tiles.place_of(found.pixels[i]) >> tiles.cell_bits()];
  add_up(next, tiles.tiles());
  for (std::size_t i = 0; i < ends; ++i) {
    stop_point(i);
    const u32 place = tiles.place_of(found.pixels[i]);
    const u32 gate = next[place >> tiles.cell_bits()]++;
    found.gate_of[i] = gate;
    found.cells[gate] = static_cast<u16>(place & ((1u << tiles.cell_bits()) - 1));
  }
  std::copy_backward(next, next + tiles.tiles(), next + tiles.tiles() + 1);
  next[0] = 0;
}

}  // namespace

template <class Key>
void find_gates(engine::state& on, const key_image<Key>& image, const tiling& tiles, gates& found) {
  found.first_pair.reserve(tiles.tiles() + 1);
  u32* const first = found.first_pair.data();
  first[tiles.tiles()] = 0;
  for_each_in_parallel(on, tiles.tiles(), [&](std::size_t tile) {
    first[tile] = 0;
    each_pair_of_tile(image, tiles.tile(tile), [&](u32, u32) { ++first[tile]; });
  });
  add_up(first, tiles.tiles());
  const std::size_t ends = std::size_t{2} * first[tiles.tiles()];
  for (buffer<u32>* each : {&found.pixels, &found.gate_of, &found.ranks}) each->reserve(ends);
  found.cells.reserve(ends);
  found.joints.reserve(ends + ends / 2);
  for_each_in_parallel(on, tiles.tiles(), [&](std::size_t tile) {
    u32* to = found.pixels.data() + std::size_t{2} * first[tile];
    each_pair_of_tile(image, tiles.tile(tile), [&](u32 one, u32 other) {
      *to++ = one;
      *to++ = other;
    });
  });
  number_gates(tiles, ends, found);
}

template void find_gates(engine::state&, const key_image<u16>&, const tiling&, gates&);
template void find_gates(engine::state&, const key_image<u32>&, const tiling&, gates&);

}  // namespace skerry::tree_stages
