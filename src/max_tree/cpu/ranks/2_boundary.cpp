// SPDX-License-Identifier: Apache-2.0
// Stage 2, local: where the trees of tiles will be joined, for keys of 16 or 32 bits.
//
// Reads   keys on both sides of the borders between tiles
// Writes  the pixels of pairs across borders, and their numbers tile by tile
// Method  a pair connects its tiles from its lower pixel down. It is left out when a neighbouring pair of the same border
//         connects them sooner, since the pixels between lie as high: one in three or four pairs is left. Borders across
//         x end where a tile ends, those across y go through the whole slice, those across z through the volume, so that
//         no two pairs are left out because of each other.
#include <algorithm>

#include "engine/cpu/parallel.hpp"
#include "max_tree/cpu/stages.hpp"

namespace skerry::tree_stages {
namespace {

// Two lines of pixels next to each other, `step` apart along them; places [least, most) exist.
struct border_line {
  i64 one, other, step, least, most;
  bool slanted;  // pixels touch those beside that at the same place, too
};

template <class Key>
class border_pairs {
 public:
  border_pairs(const key_image<Key>& image, const tiling& tiles)
      : image_(image), tiles_(tiles), reach_(image.connectivity == 4 || image.connectivity == 6 ? 0 : 1),
        stride_{image.size.height * image.size.width, image.size.width, 1}, side_{image.size.depth, image.size.height,
                                                                                  image.size.width} {}

  // Calls visit(one, other) for each pair of a tile with those before it along an axis.
  template <class Visit>
  void of_tile(std::size_t number, Visit visit) const {
    const box own = tiles_.tile(number);
    for (const std::size_t axis : {2, 1, 0})
      if (own.begin[axis] != 0) across(own, axis, visit);
  }

 private:
  template <class Visit>
  void across(const box& own, std::size_t axis, Visit visit) const {
    const std::size_t along = axis == 2 ? 1 : 2, beside = 3 - axis - along;
    const auto limits = [&](std::size_t a) {
      return a > axis ? std::pair<i64, i64>(0, side_[a]) : std::pair<i64, i64>(own.begin[a], own.end[a]);
    };
    const auto [least, most] = limits(along);
    const auto [first, last] = limits(beside);
    for (i64 k = own.begin[beside]; k < own.end[beside]; ++k)
      for (i64 other = k - reach_; other <= k + reach_; ++other) {
        if (other < first || other >= last) continue;
        const i64 line = (own.begin[axis] - 1) * stride_[axis];
        in_line(
            {line + k * stride_[beside], line + stride_[axis] + other * stride_[beside], stride_[along], least, most,
             // Of 18 neighbours those in other lines are straight ahead.
             reach_ == 1 && (image_.connectivity != 18 || other == k)},
            own.begin[along], own.end[along], visit);
      }
  }

  // Straight pairs are kept where they are higher than those next to them; slanted ones where they are higher than both
  // straight ones of the same pixels.
  template <class Visit>
  void in_line(const border_line& line, i64 begin, i64 end, Visit visit) const {
    const auto straight_at = [&](i64 i) { return i < line.least || i >= line.most ? 0 : height(line, i, i); };
    const auto pixel = [&](i64 first, i64 i) { return static_cast<u32>(first + i * line.step); };
    u64 before = straight_at(begin - 1), here = straight_at(begin);
    for (i64 i = begin; i < end; ++i) {
      const u64 after = straight_at(i + 1);
      if ((here > before) & (here > after)) visit(pixel(line.one, i), pixel(line.other, i));
      if (line.slanted && i + 1 < line.most) {
        const u64 straight = std::max(here, after);
        if (height(line, i, i + 1) > straight) visit(pixel(line.one, i), pixel(line.other, i + 1));
        if (height(line, i + 1, i) > straight) visit(pixel(line.one, i + 1), pixel(line.other, i));
      }
      before = here;
      here = after;
    }
  }

  // The lower of two pixels, as a number above zero.
  [[nodiscard]] u64 height(const border_line& line, i64 i, i64 k) const {
    return std::min(height(line.one + i * line.step), height(line.other + k * line.step));
  }
  [[nodiscard]] u64 height(i64 pixel) const {
    return (static_cast<u64>(image_.keys[pixel]) << 32 | static_cast<u64>(pixel)) + 1;
  }

  const key_image<Key>& image_;
  const tiling& tiles_;
  i64 reach_;
  std::array<i64, 3> stride_, side_;
};

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
  const border_pairs<Key> borders(image, tiles);
  found.first_pair.reserve(tiles.tiles() + 1);
  u32* const first = found.first_pair.data();
  first[tiles.tiles()] = 0;
  for_each_in_parallel(on, tiles.tiles(), [&](std::size_t tile) {
    first[tile] = 0;
    borders.of_tile(tile, [&](u32, u32) { ++first[tile]; });
  });
  add_up(first, tiles.tiles());
  const std::size_t ends = std::size_t{2} * first[tiles.tiles()];
  for (buffer<u32>* each : {&found.pixels, &found.gate_of, &found.ranks}) each->reserve(ends);
  found.cells.reserve(ends);
  found.joints.reserve(ends + ends / 2);
  for_each_in_parallel(on, tiles.tiles(), [&](std::size_t tile) {
    u32* to = found.pixels.data() + std::size_t{2} * first[tile];
    borders.of_tile(tile, [&](u32 one, u32 other) {
      *to++ = one;
      *to++ = other;
    });
  });
  number_gates(tiles, ends, found);
}

template void find_gates(engine::state&, const key_image<u16>&, const tiling&, gates&);
template void find_gates(engine::state&, const key_image<u32>&, const tiling&, gates&);

}  // namespace skerry::tree_stages
