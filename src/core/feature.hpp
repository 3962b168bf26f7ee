// SPDX-License-Identifier: Apache-2.0
// How features come from runs, and how two partial results of one component join. A new sum of a group that is there is a
// field (skerry/feature.hpp) with its two lines here; the list of groups is in core/feature_groups.hpp.
#pragma once
#include "core/portable.hpp"
#include "skerry/feature.hpp"

namespace skerry {

// Pixels [begin, end) of rows [top, bottom) of slice z: a run, with the runs below that repeat it.
struct placed_run {
  i64 z;
  i64 top, bottom;
  i64 begin, end;

  SKERRY_BOTH u64 width() const { return static_cast<u64>(end - begin); }
  SKERRY_BOTH u64 height() const { return static_cast<u64>(bottom - top); }
  // Sums of the coordinates of one row, and of one column.
  SKERRY_BOTH u64 sum_of_x() const { return width() * static_cast<u64>(begin + end - 1) / 2; }
  SKERRY_BOTH u64 sum_of_y() const { return height() * static_cast<u64>(top + bottom - 1) / 2; }
};

SKERRY_BOTH inline void add(wide_integer& a, const wide_integer& b) {
  const u64 low = a.low + b.low;
  a.high += b.high + (low < a.low ? 1 : 0);
  a.low = low;
}

SKERRY_BOTH inline wide_integer wide_from(i64 value) { return {static_cast<u64>(value), value < 0 ? ~u64{0} : 0}; }

SKERRY_BOTH inline wide_integer wide_product(u64 a, u64 b) {
#ifdef __CUDA_ARCH__
  return {a * b, __umul64hi(a, b)};
#else
  const auto product = static_cast<unsigned __int128>(a) * b;
  return {static_cast<u64>(product), static_cast<u64>(product >> 64)};
#endif
}

// Adds up, takes the smaller, takes the larger: one thread at a time, and without branches, which no processor could
// foresee here. A device engine has its own with atomics.
struct join_alone {
  SKERRY_BOTH void sum(u32& a, u32 b) const { a += b; }
  SKERRY_BOTH void sum(u64& a, u64 b) const { a += b; }
  SKERRY_BOTH void sum(i64& a, i64 b) const { a += b; }
  SKERRY_BOTH void sum(wide_integer& a, const wide_integer& b) const { add(a, b); }
  template <class T>
  SKERRY_BOTH void least(T& a, T b) const {
    a = b < a ? b : a;
  }
  template <class T>
  SKERRY_BOTH void most(T& a, T b) const {
    a = b > a ? b : a;
  }
  SKERRY_BOTH void flags(u64& a, u64 b) const { a |= b; }
};

// ---- geometry -----------------------------------------------------------------------------------------------------

// What joins to any component of an image of this rank; for rank 2, z is 0 and does not need to be joined.
SKERRY_BOTH inline geometry empty_geometry(int rank) {
  geometry g;
  if (rank == 2) g.min[0] = g.max[0] = 0;
  return g;
}

SKERRY_BOTH inline geometry geometry_of(const placed_run& r) {
  geometry g;
  g.area = r.width() * r.height();
  g.sum[0] = g.area * static_cast<u64>(r.z);
  g.sum[1] = r.width() * r.sum_of_y();
  g.sum[2] = r.height() * r.sum_of_x();
  g.min[0] = g.max[0] = static_cast<i32>(r.z);
  g.min[1] = static_cast<i32>(r.top);
  g.max[1] = static_cast<i32>(r.bottom - 1);
  g.min[2] = static_cast<i32>(r.begin);
  g.max[2] = static_cast<i32>(r.end - 1);
  return g;
}

template <int Rank = 3, class Join>
SKERRY_BOTH void join(geometry& a, const geometry& b, Join with) {
  with.sum(a.area, b.area);
  for (int axis = 3 - Rank; axis < 3; ++axis) {
    with.sum(a.sum[axis], b.sum[axis]);
    with.least(a.min[axis], b.min[axis]);
    with.most(a.max[axis], b.max[axis]);
  }
}

// ---- second moments -----------------------------------------------------------------------------------------------

SKERRY_BOTH inline wide_integer times(const wide_integer& a, u64 b) {
  wide_integer product = wide_product(a.low, b);
  product.high += a.high * b;
  return product;
}

// Sum of x·x for begin <= x < end, exact: sides are below 2^31, so each term fits 64 bits and their sum 95.
SKERRY_BOTH inline wide_integer sum_of_squares(u64 begin, u64 end) {
  const u64 pixels = end - begin, first_and_last = begin + end - 1;
  // n·c² + n(n² − 1)/12 with the centre c = (begin + end − 1)/2, over the common denominator 12.
  wide_integer total = wide_product(pixels * 3, first_and_last * first_and_last);
  add(total, wide_product(pixels, pixels * pixels - 1));
#ifdef __CUDA_ARCH__
  // Long division of 128 by 12, 32 bits at a time.
  u64 high = total.high / 12, rest = total.high % 12;
  const u64 upper = (rest << 32) | (total.low >> 32);
  const u64 lower = ((upper % 12) << 32) | (total.low & 0xffffffffu);
  return {(upper / 12) << 32 | lower / 12, high};
#else
  const auto sum = (static_cast<unsigned __int128>(total.high) << 64 | total.low) / 12;
  return {static_cast<u64>(sum), static_cast<u64>(sum >> 64)};
#endif
}

SKERRY_BOTH inline second_moments second_moments_of(const placed_run& r) {
  const u64 z = static_cast<u64>(r.z);
  const auto squares = [](i64 begin, i64 end) {
    return sum_of_squares(static_cast<u64>(begin), static_cast<u64>(end));
  };
  return {times(wide_product(z * z, r.width()), r.height()), wide_product(z * r.width(), r.sum_of_y()),
          wide_product(z * r.height(), r.sum_of_x()),        times(squares(r.top, r.bottom), r.width()),
          wide_product(r.sum_of_x(), r.sum_of_y()),          times(squares(r.begin, r.end), r.height())};
}

// The same for pixels [begin, end) of one row, at most 2^16 of them: without a division.
SKERRY_BOTH inline second_moments second_moments_of_stretch(u64 z, u64 y, u64 begin, u64 end) {
  const u64 n = end - begin, pairs = n * (n - 1), sum_of_x = n * begin + pairs / 2;
  second_moments m;
  m.zz = wide_product(z * z, n);
  m.zy = wide_product(z * n, y);
  m.zx = wide_product(z, sum_of_x);
  m.yy = wide_product(y * y, n);
  m.yx = wide_product(y, sum_of_x);
  m.xx = wide_product(begin * begin, n);  // Σ (begin + i)²
  add(m.xx, {begin * pairs + pairs * (2 * n - 1) / 6, 0});
  return m;
}

template <int Rank = 3, class Join>
SKERRY_BOTH void join(second_moments& a, const second_moments& b, Join with) {
  if constexpr (Rank == 3) {  // for rank 2, z is 0
    with.sum(a.zz, b.zz);
    with.sum(a.zy, b.zy);
    with.sum(a.zx, b.zx);
  }
  with.sum(a.yy, b.yy);
  with.sum(a.yx, b.yx);
  with.sum(a.xx, b.xx);
}

// ---- intensity: of integers; that of floats is in core/real_intensity.hpp -------------------------------------------

template <class Join>
SKERRY_BOTH void join(intensity& a, const intensity& b, Join with) {
  with.least(a.min, b.min);
  with.most(a.max, b.max);
  with.sum(a.sum, b.sum);
  with.sum(a.squares, b.squares);
}

}  // namespace skerry
