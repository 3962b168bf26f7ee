// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "reference/steps.hpp"

namespace skerry::reference {
namespace {

struct pixel {
  i64 z, y, x;
};

std::size_t number_of(const extent& size, const pixel& p) {
  return static_cast<std::size_t>((p.z * size.height + p.y) * size.width + p.x);
}

// Neighbours differ by at most 1 on each axis, and on at most this many axes.
int axes_of(int connectivity) {
  switch (connectivity) {
    case 4:
    case 6: return 1;
    case 8:
    case 18: return 2;
    default: return 3;
  }
}

// Joined background must not pass between pixels of joined foreground: where one may step diagonally the other may not.
int dual_axes_of(const extent& size, int connectivity) {
  if (size.rank == 2) return connectivity == 4 ? 2 : 1;
  return connectivity == 6 ? 3 : 1;
}

bool on_border(const extent& size, const pixel& p) {
  return p.y == 0 || p.y == size.height - 1 || p.x == 0 || p.x == size.width - 1 ||
         (size.rank == 3 && (p.z == 0 || p.z == size.depth - 1));
}

template <class Visit>
void each_pixel(const extent& size, Visit visit) {
  for (i64 z = 0; z < size.depth; ++z)
    for (i64 y = 0; y < size.height; ++y)
      for (i64 x = 0; x < size.width; ++x) visit(pixel{z, y, x});
}

// Visits all pixels that a path from `start` reaches. enter(number) tells whether a pixel is new and on the path, and
// marks it.
template <class Enter>
void flood(const extent& size, const pixel& start, int axes, Enter enter) {
  if (!enter(number_of(size, start))) return;
  std::vector<pixel> to_visit = {start};
  while (!to_visit.empty()) {
    const pixel p = to_visit.back();
    to_visit.pop_back();
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          const pixel q = {p.z + dz, p.y + dy, p.x + dx};
          if (std::abs(dz) + std::abs(dy) + std::abs(dx) > axes) continue;
          if (q.z < 0 || q.z >= size.depth || q.y < 0 || q.y >= size.height || q.x < 0 || q.x >= size.width) continue;
          if (enter(number_of(size, q))) to_visit.push_back(q);
        }
  }
}

}  // namespace

void fill_holes(std::vector<u8>& mask, const extent& size, int connectivity) {
  std::vector<u8> outside(mask.size(), 0);
  each_pixel(size, [&](const pixel& p) {
    if (!on_border(size, p)) return;
    flood(size, p, dual_axes_of(size, connectivity), [&](std::size_t i) {
      if (mask[i] != 0 || outside[i] != 0) return false;
      outside[i] = 1;
      return true;
    });
  });
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = outside[i] == 0 ? 1 : 0;
}

u64 label(const std::vector<u8>& mask, const extent& size, int connectivity, std::vector<u64>& labels) {
  labels.assign(mask.size(), 0);
  u64 count = 0;
  each_pixel(size, [&](const pixel& p) {
    const std::size_t first = number_of(size, p);
    if (mask[first] == 0 || labels[first] != 0) return;
    ++count;
    flood(size, p, axes_of(connectivity), [&](std::size_t i) {
      if (mask[i] == 0 || labels[i] != 0) return false;
      labels[i] = count;
      return true;
    });
  });
  return count;
}

u64 select(const selection& keep, const extent& size, u64 count, std::vector<u64>& labels) {
  std::vector<u64> area(count + 1, 0);
  std::vector<bool> at_border(count + 1, false);
  each_pixel(size, [&](const pixel& p) {
    const u64 label = labels[number_of(size, p)];
    ++area[label];
    if (on_border(size, p)) at_border[label] = true;
  });

  std::vector<u64> stays;
  for (u64 label = 1; label <= count; ++label)
    if (keep.min_area <= area[label] && area[label] <= keep.max_area && !(keep.clear_border && at_border[label]))
      stays.push_back(label);
  if (keep.largest != 0 && keep.largest < stays.size()) {
    std::stable_sort(stays.begin(), stays.end(), [&](u64 a, u64 b) { return area[a] > area[b]; });
    stays.resize(keep.largest);
    std::sort(stays.begin(), stays.end());
  }

  std::vector<u64> renamed(count + 1, 0);
  for (std::size_t i = 0; i < stays.size(); ++i) renamed[stays[i]] = i + 1;
  for (u64& label : labels) label = renamed[label];
  return stays.size();
}

std::vector<labelled_run> runs_of(const std::vector<u64>& labels, const extent& size) {
  std::vector<labelled_run> runs;
  for (i64 row = 0; row < size.rows(); ++row) {
    const u64* pixels = labels.data() + row * size.width;
    for (i64 x = 0; x < size.width; ++x) {
      if (pixels[x] == 0) continue;
      const bool goes_on = x > 0 && pixels[x - 1] != 0;  // pixels side by side always have one label
      if (goes_on) runs.back().end = static_cast<i32>(x + 1);
      else runs.push_back({row, static_cast<i32>(x), static_cast<i32>(x + 1), pixels[x]});
    }
  }
  return runs;
}

}  // namespace skerry::reference
