// SPDX-License-Identifier: Apache-2.0
// Stage 3, merge: joins the trees of neighbouring tiles.
//
// Reads   keys along the border
// Writes  links of the two chains that each joined pair walks down; which pixels are no longer the first of their node
// Needs   keys of 8 bits, so that a chain has at most 256 levels
// Method  [Wilkinson2008] the two chains to the roots are merged like sorted lists, level by level. A pair of touching
//         pixels is left out when a neighbouring pair joins the two sides at a level that is not lower: only one in three
//         or four pairs is walked.
#include <algorithm>
#include <utility>

#include "core/adjacency.hpp"
#include "engine/stop.hpp"
#include "max_tree/cpu/stages.hpp"

namespace skerry::tree_stages {
namespace {

class chain_merger {
 public:
  chain_merger(const u8* keys, const pixel_links& links)
      : keys_(keys), link_(links.link), former_first_(links.former_first) {}

  void join(u32 a, u32 b) {
    a = level_root(a);
    b = level_root(b);
    while (a != b) {
      if (lower(a, b)) std::swap(a, b);
      const u32 next = target(a);  // a is the higher one
      if (next == a) {
        link(a, b);
        return;
      }
      const u32 below = level_root(next);
      if (lower(below, b)) {
        link(a, b);
        a = b;
        b = below;
      } else {
        a = below;
      }
    }
  }

 private:
  [[nodiscard]] bool lower(u32 a, u32 b) const { return keys_[a] != keys_[b] ? keys_[a] < keys_[b] : a < b; }
  [[nodiscard]] u32 target(u32 first) const { return link_[first] & ~first_bit; }
  void link(u32 first, u32 lower) {
    if (keys_[first] != keys_[lower]) {
      link_[first] = lower | first_bit;
      return;
    }
    link_[first] = lower;
    // Another thread may be at another bit of the word.
    atomic_ref<u64, sharing::device>(former_first_[first / 64]).fetch_or(u64{1} << (first % 64), relaxed);
  }

  // The first pixel of the node so far; halves the way there.
  u32 level_root(u32 p) {
    for (;;) {
      const u32 next = link_[p];
      if ((next & first_bit) != 0) return p;
      const u32 after = link_[next];
      if ((after & first_bit) != 0) return next;
      link_[p] = after;
      p = after;
    }
  }

  const u8* keys_;
  u32* link_;
  u64* former_first_;
};

// Two lines of pixels next to each other, with the same steps. Every pixel touches the one at the same place, and with
// `reach` 1 the two beside that. Straight pairs are kept where the lower of the two keys has a local maximum along the
// line, one per plateau; slanted pairs where it is above both straight pairs next to it.
void join_lines(const u8* keys, u32 one, u32 other, u32 step, i64 length, int reach, chain_merger& merger) {
  const u8 *const a = keys + one, *const b = keys + other;
  const auto lower_at = [&](i64 i, i64 k) { return static_cast<int>(std::min(a[i * step], b[k * step])); };
  const auto straight_at = [&](i64 i) { return i < 0 || i >= length ? -1 : lower_at(i, i); };
  const auto place = [&](u32 first, i64 i) { return first + static_cast<u32>(i) * step; };
  int before = -1, here = straight_at(0);
  for (i64 i = 0; i < length; ++i) {
    const int after = straight_at(i + 1);
    if (here > before && here >= after) merger.join(place(one, i), place(other, i));
    if (reach == 1 && i + 1 < length) {
      const int straight = std::max(here, after);
      if (lower_at(i, i + 1) > straight) merger.join(place(one, i), place(other, i + 1));
      if (lower_at(i + 1, i) > straight) merger.join(place(one, i + 1), place(other, i));
    }
    before = here;
    here = after;
  }
}

}  // namespace

void merge(const key_image<u8>& image, const box& joined, std::size_t axis, i64 middle, const pixel_links& links) {
  chain_merger merger(image.keys, links);
  // Lines run along x, or along y where the halves meet along x; the third axis counts them.
  const std::size_t along = axis == 2 ? 1 : 2, across = 3 - axis - along;
  const int axes = axes_of(image.connectivity);
  const std::array<i64, 3> stride = {image.size.height * image.size.width, image.size.width, 1};
  const i64 length = joined.end[along] - joined.begin[along];
  for (i64 k = joined.begin[across]; k < joined.end[across]; ++k)
    for (int step = -1; step <= 1; ++step) {
      const int reach = reach_of(axes, 1, step);
      if (reach < 0 || k + step < joined.begin[across] || k + step >= joined.end[across]) continue;
      stop_point();
      const i64 one = (middle - 1) * stride[axis] + k * stride[across] + joined.begin[along] * stride[along];
      const i64 other = one + stride[axis] + step * stride[across];
      join_lines(image.keys, static_cast<u32>(one), static_cast<u32>(other), static_cast<u32>(stride[along]), length,
                 reach, merger);
    }
}

}  // namespace skerry::tree_stages
