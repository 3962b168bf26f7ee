// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "reference/steps.hpp"

namespace skerry::reference {
namespace {

std::size_t number_of(const extent& size, const pixel_place& p) {
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

// An axis that wraps around has no border.
bool on_border(const extent& size, const pixel_place& p, const periodic_axes& wraps = {}) {
  return (!wraps.y && (p.y == 0 || p.y == size.height - 1)) || (!wraps.x && (p.x == 0 || p.x == size.width - 1)) ||
         (size.rank == 3 && !wraps.z && (p.z == 0 || p.z == size.depth - 1));
}

// Puts a coordinate one step outside back, at the other side. Returns whether it is inside.
bool wrap(i64& at, i64 side, bool wraps) {
  if (wraps) at = (at + side) % side;
  return at >= 0 && at < side;
}

template <class Visit>
void each_pixel(const extent& size, Visit visit) {
  for (i64 z = 0; z < size.depth; ++z)
    for (i64 y = 0; y < size.height; ++y)
      for (i64 x = 0; x < size.width; ++x) visit(pixel_place{z, y, x});
}

// Visits all pixels that a path from `start` reaches. enter(from, to) tells whether a pixel is new and on the path, and
// marks it.
template <class Enter>
void flood(const extent& size, const pixel_place& start, int axes, const periodic_axes& wraps, Enter enter) {
  if (!enter(start, start)) return;
  std::vector<pixel_place> to_visit = {start};
  while (!to_visit.empty()) {
    const pixel_place p = to_visit.back();
    to_visit.pop_back();
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          pixel_place q = {p.z + dz, p.y + dy, p.x + dx};
          if (std::abs(dz) + std::abs(dy) + std::abs(dx) > axes) continue;
          if (!wrap(q.z, size.depth, wraps.z) || !wrap(q.y, size.height, wraps.y) || !wrap(q.x, size.width, wraps.x))
            continue;
          if (enter(p, q)) to_visit.push_back(q);
        }
  }
}

}  // namespace

void fill_holes(std::vector<u8>& mask, const extent& size, int connectivity) {
  std::vector<u8> outside(mask.size(), 0);
  each_pixel(size, [&](const pixel_place& p) {
    if (!on_border(size, p)) return;
    flood(size, p, dual_axes_of(size, connectivity), {}, [&](const pixel_place&, const pixel_place& to) {
      const std::size_t i = number_of(size, to);
      if (mask[i] != 0 || outside[i] != 0) return false;
      outside[i] = 1;
      return true;
    });
  });
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = outside[i] == 0 ? 1 : 0;
}

u64 label(const image_view& image, const std::vector<u8>& mask, const label_options& options,
          std::vector<u64>& labels) {
  const extent& size = image.size;
  labels.assign(mask.size(), 0);
  u64 count = 0;
  each_pixel(size, [&](const pixel_place& p) {
    const std::size_t first = number_of(size, p);
    if (mask[first] == 0 || labels[first] != 0) return;
    ++count;
    flood(size, p, axes_of(options.connectivity), options.periodic,
          [&](const pixel_place& from, const pixel_place& to) {
            const std::size_t i = number_of(size, to);
            if (mask[i] == 0 || labels[i] != 0 || !pixels_join(image, options.joining, from, to)) return false;
            labels[i] = count;
            return true;
          });
  });
  return count;
}

u64 select(const label_options& options, const extent& size, u64 count, std::vector<u64>& labels) {
  const selection& keep = options.selection;
  std::vector<u64> area(count + 1, 0);
  std::vector<bool> at_border(count + 1, false);
  each_pixel(size, [&](const pixel_place& p) {
    const u64 label = labels[number_of(size, p)];
    ++area[label];
    if (on_border(size, p, options.periodic)) at_border[label] = true;
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
      const bool goes_on = x > 0 && pixels[x - 1] == pixels[x];
      if (goes_on) runs.back().end = static_cast<i32>(x + 1);
      else runs.push_back({row, static_cast<i32>(x), static_cast<i32>(x + 1), pixels[x]});
    }
  }
  return runs;
}

}  // namespace skerry::reference
