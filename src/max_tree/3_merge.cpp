// SPDX-License-Identifier: Apache-2.0
// Stage 3, merge: joins the trees of neighbouring strips.
//
// Reads   keys along the border
// Writes  links of the two chains that each joined pair walks down
// Needs   keys of 8 bits, so that a chain has at most 256 levels
// Method  [Wilkinson2008] the two chains to the roots are merged like sorted lists, level by level. A pair of touching
//         pixels is left out when a neighbouring pair joins the two sides at a level that is not lower: only one in three
//         or four pairs is walked.
#include <algorithm>

#include "max_tree/stages.hpp"

namespace skerry::tree_stages {
namespace {

class chain_merger {
 public:
  chain_merger(const u8* keys, u32* link) : keys_(keys), link_(link) {}

  void join(u32 a, u32 b) {
    a = level_root(a);
    b = level_root(b);
    while (a != b) {
      if (lower(a, b)) std::swap(a, b);
      const u32 next = link_[a];  // a is the higher one
      if (next == a) {
        link_[a] = b;
        return;
      }
      const u32 below = level_root(next);
      if (lower(below, b)) {
        link_[a] = b;
        a = b;
        b = below;
      } else {
        a = below;
      }
    }
  }

 private:
  [[nodiscard]] bool lower(u32 a, u32 b) const { return keys_[a] != keys_[b] ? keys_[a] < keys_[b] : a < b; }

  // The first pixel of the node so far; halves the way there.
  u32 level_root(u32 p) {
    for (;;) {
      const u32 next = link_[p];
      if (next == p || keys_[next] != keys_[p]) return p;
      const u32 after = link_[next];
      if (keys_[after] == keys_[p]) link_[p] = after;
      p = next;
    }
  }

  const u8* keys_;
  u32* link_;
};

// Joins two rows of which every pixel touches the one at the same place, and with `reach` 1 the two beside that.
// Straight pairs are kept where the lower of the two keys has a local maximum along the row, one per plateau; slanted
// pairs where it is above both straight pairs next to it.
void join_rows(const u8* upper, const u8* lower, i64 width, int reach, u32 upper_first, u32 lower_first,
               chain_merger& merger) {
  const auto pass_of = [&](i64 x) { return x < 0 || x >= width ? -1 : static_cast<int>(std::min(upper[x], lower[x])); };
  int before = -1, here = pass_of(0);
  for (i64 x = 0; x < width; ++x) {
    const int after = pass_of(x + 1);
    const auto i = static_cast<u32>(x);
    if (here > before && here >= after) merger.join(upper_first + i, lower_first + i);
    if (reach == 1 && x + 1 < width) {
      const int straight = std::max(here, after);
      if (std::min(upper[x], lower[x + 1]) > straight) merger.join(upper_first + i, lower_first + i + 1);
      if (std::min(upper[x + 1], lower[x]) > straight) merger.join(upper_first + i + 1, lower_first + i);
    }
    before = here;
    here = after;
  }
}

}  // namespace

void merge(const key_image<u8>& image, i64 begin, i64 middle, i64 end, u32* link) {
  const i64 width = image.size.width;
  chain_merger merger(image.keys, link);
  const neighbourhood_rows near(image.size, image.connectivity);
  const i64 border = image.size.rank == 3 ? image.size.height + 1 : 1;  // rows that touch the strip before
  for (i64 r = middle; r < std::min(end, middle + border); ++r)
    for (const auto& row : near) {
      const i64 number = near.row_number(r, row);
      if (number < begin || number >= middle) continue;
      join_rows(image.keys + number * width, image.keys + r * width, width, row.reach, static_cast<u32>(number * width),
                static_cast<u32>(r * width), merger);
    }
}

}  // namespace skerry::tree_stages
