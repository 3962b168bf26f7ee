// SPDX-License-Identifier: Apache-2.0
// Rows that a part of an image has as an image of its own, in the coordinates of the whole image: exact.
#pragma once
#include "core/feature.hpp"

namespace skerry {

/// Moves pixels by so much along z, y and x.
SKERRY_BOTH inline void move(geometry& g, const i64 (&by)[3]) {
  const auto move_along = [&](int axis) {
    g.sum[axis] += g.area * static_cast<u64>(by[axis]);
    g.min[axis] += static_cast<i32>(by[axis]);
    g.max[axis] += static_cast<i32>(by[axis]);
  };
  move_along(0);  // not a loop, which would keep the row in memory
  move_along(1);
  move_along(2);
}

/// Σ (a + da)(b + db) = Σ ab + da Σ b + db Σ a + n da db, with the sums of before.
SKERRY_BOTH inline void move(wide_integer& product, u64 area, u64 sum_a, u64 sum_b, u64 da, u64 db) {
  add(product, wide_product(sum_b, da));
  add(product, wide_product(sum_a, db));
  add(product, times(wide_product(da, db), area));
}

/// The same for moments; `g` has not been moved yet.
SKERRY_BOTH inline void move(second_moments& m, const geometry& g, const i64 (&by)[3]) {
  const u64 dz = static_cast<u64>(by[0]), dy = static_cast<u64>(by[1]), dx = static_cast<u64>(by[2]);
  move(m.zz, g.area, g.sum[0], g.sum[0], dz, dz);
  move(m.zy, g.area, g.sum[0], g.sum[1], dz, dy);
  move(m.zx, g.area, g.sum[0], g.sum[2], dz, dx);
  move(m.yy, g.area, g.sum[1], g.sum[1], dy, dy);
  move(m.yx, g.area, g.sum[1], g.sum[2], dy, dx);
  move(m.xx, g.area, g.sum[2], g.sum[2], dx, dx);
}

}  // namespace skerry
