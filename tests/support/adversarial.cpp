// SPDX-License-Identifier: Apache-2.0
#include "support/adversarial.hpp"

#include <algorithm>
#include <array>
#include <random>

namespace skerry::test {
namespace {

using i64 = std::int64_t;
using rule_2d = std::function<bool(i64 y, i64 x)>;
using rule_3d = std::function<bool(i64 z, i64 y, i64 x)>;

mask drawn(i64 height, i64 width, const rule_2d& rule) {
  mask result = empty_mask(extent(height, width));
  for (i64 y = 0; y < height; ++y)
    for (i64 x = 0; x < width; ++x) result.at(y, x) = rule(y, x) ? 1 : 0;
  return result;
}

mask drawn(i64 side, const rule_3d& rule) {
  mask result = empty_mask(extent(side, side, side));
  for (i64 z = 0; z < side; ++z)
    for (i64 y = 0; y < side; ++y)
      for (i64 x = 0; x < side; ++x) result.at(z, y, x) = rule(z, y, x) ? 1 : 0;
  return result;
}

// A path one pixel wide that winds inwards from a corner, with a gap of `gap` pixels between its turns.
void draw_spiral(mask& image, i64 y, i64 x, i64 gap) {
  const auto inside = [&](i64 row, i64 column) {
    return row >= 0 && row < image.size.height && column >= 0 && column < image.size.width;
  };
  constexpr std::array<std::array<i64, 2>, 4> ways = {{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}};
  if (!inside(y, x)) return;
  image.at(y, x) = 1;
  i64 length = gap + 1;
  for (std::size_t way = 0; length > gap; way = (way + 1) % 4) {  // a shorter side leaves no room for the next
    const i64 dy = ways[way][0], dx = ways[way][1];
    const auto blocked = [&](i64 steps) {
      return inside(y + steps * dy, x + steps * dx) && image.at(y + steps * dy, x + steps * dx) != 0;
    };
    for (length = 0; inside(y + dy, x + dx); ++length) {
      bool free = true;
      for (i64 step = 1; step <= gap + 1; ++step) free = free && !blocked(step);
      if (!free) break;
      y += dy;
      x += dx;
      image.at(y, x) = 1;
    }
  }
}

mask spiral(i64 height, i64 width) {
  mask image = empty_mask(extent(height, width));
  draw_spiral(image, 0, 0, 1);
  return image;
}

// Two spirals, one in the gap of the other: two components that meet nowhere.
mask double_spiral(i64 height, i64 width) {
  mask image = empty_mask(extent(height, width));
  draw_spiral(image, 0, 0, 3);
  if (height > 2 && width > 2) draw_spiral(image, 2, 0, 1);
  return image;
}

// Rows joined at alternate ends.
bool serpentine(i64 y, i64 x, i64 width) { return y % 2 == 0 || x == (y % 4 == 1 ? width - 1 : 0); }

// A maze with walls on even rows and columns; each wall post grows one wall, so that corridors make a tree.
mask maze(i64 height, i64 width) {
  std::mt19937 draw(7);
  mask image = drawn(height, width, [](i64 y, i64 x) { return y % 2 == 1 || x % 2 == 1; });
  for (i64 y = 0; y + 1 < height; y += 2)
    for (i64 x = 0; x + 1 < width; x += 2) {
      if ((draw() & 1U) != 0) image.at(y, x + 1) = 0;
      else image.at(y + 1, x) = 0;
    }
  return image;
}

// The plane Hilbert curve of order k, drawn with one pixel between its turns.
mask hilbert_plane(int order) {
  const i64 cells = i64{1} << order;
  mask image = empty_mask(extent(2 * cells - 1, 2 * cells - 1));
  i64 last_y = 0, last_x = 0;
  for (i64 d = 0; d < cells * cells; ++d) {
    i64 x = 0, y = 0, rest = d;
    for (i64 s = 1; s < cells; s *= 2, rest /= 4) {
      const i64 right = 1 & (rest / 2), up = 1 & (rest ^ right);
      if (up == 0) {
        if (right == 1) {
          x = s - 1 - x;
          y = s - 1 - y;
        }
        std::swap(x, y);
      }
      x += s * right;
      y += s * up;
    }
    image.at(2 * y, 2 * x) = 1;
    if (d > 0) image.at(y + last_y, x + last_x) = 1;
    last_y = y;
    last_x = x;
  }
  return image;
}

// Skilling's way from a Hilbert index to coordinates ("Programming the Hilbert curve", 2004).
std::array<i64, 3> hilbert_point(i64 index, int bits) {
  std::array<i64, 3> p = {0, 0, 0};
  for (int bit = 0; bit < 3 * bits; ++bit) p[static_cast<std::size_t>(2 - bit % 3)] |= (index >> bit & 1) << (bit / 3);
  const i64 carry = p[2] >> 1;
  p[2] ^= p[1];
  p[1] ^= p[0];
  p[0] ^= carry;
  for (i64 q = 2; q != i64{1} << bits; q <<= 1)
    for (std::size_t axis = 3; axis-- > 0;) {
      if ((p[axis] & q) != 0) {
        p[0] ^= q - 1;
      } else {
        const i64 change = (p[0] ^ p[axis]) & (q - 1);
        p[0] ^= change;
        p[axis] ^= change;
      }
    }
  return p;
}

mask hilbert_volume(int order) {
  const i64 cells = i64{1} << order, side = 2 * cells - 1;
  mask image = empty_mask(extent(side, side, side));
  std::array<i64, 3> last = hilbert_point(0, order);
  for (i64 d = 0; d < cells * cells * cells; ++d) {
    const std::array<i64, 3> p = hilbert_point(d, order);
    image.at(2 * p[0], 2 * p[1], 2 * p[2]) = 1;
    image.at(p[0] + last[0], p[1] + last[1], p[2] + last[2]) = 1;
    last = p;
  }
  return image;
}

i64 ring_of(i64 y, i64 x, i64 height, i64 width) { return std::min({y, x, height - 1 - y, width - 1 - x}); }

}  // namespace

std::vector<named_mask> adversarial_planes(i64 h, i64 w) {
  std::vector<named_mask> all;
  const auto add = [&](const char* name, const rule_2d& rule) { all.push_back({name, drawn(h, w, rule)}); };
  add("empty", [](i64, i64) { return false; });
  add("full", [](i64, i64) { return true; });
  add("checkerboard", [](i64 y, i64 x) { return (y + x) % 2 == 0; });
  add("isolated pixels", [](i64 y, i64 x) { return y % 2 == 0 && x % 2 == 0; });
  add("serpentine", [&](i64 y, i64 x) { return serpentine(y, x, w); });
  add("upright serpentine", [&](i64 y, i64 x) { return serpentine(x, y, h); });
  add("comb, joined below", [&](i64 y, i64 x) { return x % 2 == 0 || y == h - 1; });
  add("comb, joined above", [&](i64 y, i64 x) { return x % 2 == 0 || y == 0; });
  add("comb of combs", [&](i64 y, i64 x) { return x % 2 == 0 || (y % 8 == 7 && x % 16 != 15) || y == h - 1; });
  add("diagonal stripes", [](i64 y, i64 x) { return (y + x) % 3 == 0; });
  add("other diagonal stripes", [](i64 y, i64 x) { return (x - y + 3 * 4096) % 3 == 0; });
  add("stairs", [](i64 y, i64 x) { return (y + x) % 4 < 2; });
  add("vertical lines", [](i64, i64 x) { return x % 2 == 1; });
  add("horizontal lines", [](i64 y, i64) { return y % 2 == 1; });
  add("nested frames", [&](i64 y, i64 x) { return ring_of(y, x, h, w) % 2 == 0; });
  add("vees", [](i64 y, i64 x) { return (x % 64 < 32 ? x % 64 : 63 - x % 64) == y % 32; });
  add("Sierpinski", [](i64 y, i64 x) { return (y & x) == 0; });
  all.push_back({"spiral", spiral(h, w)});
  all.push_back({"double spiral", double_spiral(h, w)});
  all.push_back({"maze", maze(h, w)});
  all.push_back({"Hilbert curve", hilbert_plane(5)});
  return all;
}

std::vector<named_mask> adversarial_volumes(i64 n) {
  std::vector<named_mask> all;
  const auto add = [&](const char* name, const rule_3d& rule) { all.push_back({name, drawn(n, rule)}); };
  add("full", [](i64, i64, i64) { return true; });
  add("checkerboard", [](i64 z, i64 y, i64 x) { return (z + y + x) % 2 == 0; });
  add("isolated voxels", [](i64 z, i64 y, i64 x) { return z % 2 == 0 && y % 2 == 0 && x % 2 == 0; });
  add("edges only", [](i64 z, i64 y, i64 x) { return (z + y) % 2 == 0 && x % 2 == 0; });
  add("corners only", [](i64 z, i64 y, i64 x) { return z % 2 == y % 2 && y % 2 == x % 2; });
  add("rods along z", [](i64, i64 y, i64 x) { return y % 2 == 0 && x % 2 == 0; });
  add("rods joined in the last slice", [&](i64 z, i64 y, i64 x) { return (y % 2 == 0 && x % 2 == 0) || z == n - 1; });
  add("sheets", [](i64 z, i64, i64) { return z % 2 == 1; });
  add("slanted sheets", [](i64 z, i64 y, i64 x) { return (z + y + x) % 4 == 0; });
  add("serpentine through slices", [&](i64 z, i64 y, i64 x) {
    if (z % 2 == 0) return serpentine(y, x, n);
    return y == (z % 4 == 1 ? n - 1 : 0) && x == (n % 2 == 0 ? 0 : n - 1);
  });
  add("nested shells",
      [&](i64 z, i64 y, i64 x) { return std::min(ring_of(y, x, n, n), std::min(z, n - 1 - z)) % 2 == 0; });
  add("Sierpinski", [](i64 z, i64 y, i64 x) { return (z & y) == 0 && (y & x) == 0 && (z & x) == 0; });
  all.push_back({"Hilbert curve", hilbert_volume(3)});
  return all;
}

}  // namespace skerry::test
