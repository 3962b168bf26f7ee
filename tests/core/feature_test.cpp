// SPDX-License-Identifier: Apache-2.0
// Closed forms of runs against the sums they stand for, up to the largest coordinates.
#include "core/feature.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace skerry::test {
namespace {

__extension__ using wide = unsigned __int128;
constexpr i64 last_coordinate = (i64{1} << 31) - 2;

wide value_of(const wide_integer& w) { return static_cast<wide>(w.high) << 64 | w.low; }
wide_integer in_two_words(wide value) { return {static_cast<u64>(value), static_cast<u64>(value >> 64)}; }

void expect_sums_of(const placed_run& run) {
  geometry g = geometry_of({run.z, run.top, run.top + 1, run.begin, run.begin + 1});
  g.area = 0;
  wide sums[3] = {}, zz = 0, zy = 0, zx = 0, yy = 0, yx = 0, xx = 0;
  for (i64 y = run.top; y < run.bottom; ++y)
    for (i64 x = run.begin; x < run.end; ++x) {
      const wide at[3] = {static_cast<wide>(run.z), static_cast<wide>(y), static_cast<wide>(x)};
      ++g.area;
      for (int axis = 0; axis < 3; ++axis) sums[axis] += at[axis];
      zz += at[0] * at[0];
      zy += at[0] * at[1];
      zx += at[0] * at[2];
      yy += at[1] * at[1];
      yx += at[1] * at[2];
      xx += at[2] * at[2];
    }
  for (int axis = 0; axis < 3; ++axis) g.sum[axis] = static_cast<u64>(sums[axis]);
  g.max[1] = static_cast<i32>(run.bottom - 1);
  g.max[2] = static_cast<i32>(run.end - 1);
  EXPECT_EQ(geometry_of(run), g);
  EXPECT_EQ(second_moments_of(run), (second_moments{in_two_words(zz), in_two_words(zy), in_two_words(zx),
                                                    in_two_words(yy), in_two_words(yx), in_two_words(xx)}));
  if (run.height() == 1 && run.width() <= 1 << 16) {
    EXPECT_EQ(second_moments_of_stretch(static_cast<u64>(run.z), static_cast<u64>(run.top), static_cast<u64>(run.begin),
                                        static_cast<u64>(run.end)),
              second_moments_of(run));
  }
}

TEST(core_feature, runs_anywhere) {
  std::mt19937_64 draw(1);
  const auto coordinate = [&](i64 size) {
    const i64 first[] = {0, 1, 65535, last_coordinate - size,
                         static_cast<i64>(draw() % static_cast<u64>(last_coordinate - size))};
    return first[draw() % 5];
  };
  for (int repeat = 0; repeat < 500; ++repeat) {
    const auto width = static_cast<i64>(draw() % 70 + 1), height = static_cast<i64>(draw() % 5 + 1);
    const i64 top = coordinate(height), begin = coordinate(width);
    expect_sums_of({coordinate(1), top, top + height, begin, begin + width});
  }
}

TEST(core_feature, the_widest_run) {
  constexpr wide width = last_coordinate + 1;
  const placed_run run = {0, last_coordinate, last_coordinate + 1, 0, last_coordinate + 1};
  EXPECT_EQ(geometry_of(run).area, static_cast<u64>(width));
  EXPECT_EQ(geometry_of(run).sum[1], static_cast<u64>(width * last_coordinate));
  EXPECT_EQ(geometry_of(run).sum[2], static_cast<u64>(width * (width - 1) / 2));
  const second_moments m = second_moments_of(run);
  EXPECT_EQ(m.xx, in_two_words((width - 1) * width / 2 * (2 * width - 1) / 3));
  EXPECT_EQ(m.yy, in_two_words(width * last_coordinate * last_coordinate));
  EXPECT_EQ(m.yx, in_two_words(width * (width - 1) / 2 * last_coordinate));
}

TEST(core_feature, wide_numbers) {
  constexpr u64 most = ~u64{0};
  EXPECT_EQ(value_of(wide_product(most, most)), static_cast<wide>(most) * most);
  EXPECT_EQ(value_of(wide_from(-1)), ~wide{0});
  EXPECT_EQ(value_of(wide_from(INT64_MIN)), static_cast<wide>(static_cast<__int128>(INT64_MIN)));
  wide_integer sum = {most, 0};
  add(sum, {1, 0});
  EXPECT_EQ(sum, (wide_integer{0, 1}));
  add(sum, wide_from(-1));
  EXPECT_EQ(sum, (wide_integer{most, 0}));
}

TEST(core_feature, joining_knows_no_order) {
  std::vector<placed_run> runs;
  std::mt19937 draw(2);
  for (int i = 0; i < 20; ++i) {
    const i64 top = draw() % 100, begin = draw() % 100;
    runs.push_back({static_cast<i64>(draw() % 10), top, top + 1, begin, begin + 1 + static_cast<i64>(draw() % 9)});
  }
  geometry forward, backward;
  second_moments forward_moments, backward_moments;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    join(forward, geometry_of(runs[i]), join_alone());
    join(backward, geometry_of(runs[runs.size() - 1 - i]), join_alone());
    join(forward_moments, second_moments_of(runs[i]), join_alone());
    join(backward_moments, second_moments_of(runs[runs.size() - 1 - i]), join_alone());
  }
  EXPECT_EQ(forward, backward);
  EXPECT_EQ(forward_moments, backward_moments);
  EXPECT_EQ(forward.area, [&] {
    u64 area = 0;
    for (const placed_run& run : runs) area += run.width();
    return area;
  }());
}

TEST(wide_integer, conversions) {
  struct sample {
    wide_integer value;
    double number;
    const char* text;
  };
  const sample samples[] = {{{0, 0}, 0, "0"},
                            {{7, 0}, 7, "7"},
                            {{~0ULL, ~0ULL}, -1, "-1"},
                            {{0, 1}, 18446744073709551616.0, "18446744073709551616"},
                            {{(1ULL << 53) + 1, 0}, 9007199254740992, "9007199254740993"},  // a tie, to the even one
                            {{(1ULL << 53) + 3, 0}, 9007199254740996, "9007199254740995"},
                            {{0, 1ULL << 63}, -0x1p127, "-170141183460469231731687303715884105728"},
                            {{~0ULL, ~0ULL >> 1}, 0x1p127, "170141183460469231731687303715884105727"}};
  for (const sample& each : samples) {
    EXPECT_EQ(static_cast<double>(each.value), each.number) << each.text;
    EXPECT_EQ(each.value.to_string(), each.text);
    const auto wide = static_cast<wide_integer::int128>(each.value);
    EXPECT_EQ(static_cast<std::uint64_t>(wide), each.value.low);
    EXPECT_EQ(static_cast<std::uint64_t>(wide >> 64), each.value.high);
  }
}

}  // namespace
}  // namespace skerry::test
