// SPDX-License-Identifier: Apache-2.0
// Images of more than 2^32 pixels, made of few bytes: rows and slices that are the same memory, and strides that leave
// gigabytes between pixels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "support/bars.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/virtual_memory.hpp"

namespace skerry::test {
namespace {

static_assert(extent(1 << 20, 1 << 20).pixels() == std::int64_t{1} << 40);
static_assert(extent(1 << 13, 1 << 13, 1 << 14).rows() == std::int64_t{1} << 26);
static_assert(dense_strides(dtype::f64, extent(1 << 10, 1 << 15, 1 << 15)).z == std::int64_t{1} << 33);
static_assert(dense_strides(dtype::f64, extent(1, (std::int64_t{1} << 31) - 1)).y == (std::int64_t{1} << 34) - 8);
static_assert(sizeof(labelled_run::row) == 8 && sizeof(labelled_run::label) == 8 && sizeof(geometry::area) == 8);

// Sum of n² for n in [begin, end).
wide squares_below(wide n) { return n == 0 ? 0 : (n - 1) * n * (2 * n - 1) / 6; }
wide squares(wide begin, wide end) { return squares_below(end) - squares_below(begin); }
wide_integer in_two_words(wide value) {
  return {static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64)};
}

void expect_block(const feature_table& table, std::size_t row, const extent& size, const bar& b) {
  EXPECT_EQ(table.components.at(row), geometry_of_block(size, b));
  if (table.moments.empty()) return;
  const auto depth = static_cast<wide>(size.depth), height = static_cast<wide>(size.height);
  const auto begin = static_cast<wide>(b.begin), end = static_cast<wide>(b.end), width = end - begin;
  const auto z = sum(0, depth), y = sum(0, height), x = sum(begin, end);
  const second_moments moments = {in_two_words(squares(0, depth) * height * width),
                                  in_two_words(z * y * width),
                                  in_two_words(z * x * height),
                                  in_two_words(squares(0, height) * depth * width),
                                  in_two_words(y * x * depth),
                                  in_two_words(squares(begin, end) * depth * height)};
  EXPECT_EQ(table.moments.at(row), moments);
}

void expect_bars(engine& on, const image_view& image, int connectivity, const std::vector<bar>& bars, bool moments) {
  feature_table table;
  EXPECT_EQ(count_components(on, image, with_connectivity(connectivity)), bars.size());
  ASSERT_EQ(measure(on, image, with_connectivity(connectivity), {.moments = moments}, table), bars.size());
  for (std::size_t i = 0; i < bars.size(); ++i) expect_block(table, i, image.size, bars[i]);
}

std::vector<engine> engines() {
  std::vector<engine> all;
  all.push_back(engine::cpu(1));
  all.push_back(engine::cpu(2));
  return all;
}

constexpr std::int64_t plane_width = 65536;
const std::int64_t plane_height = test_scale() < 1 ? 33000 : 70000;
const std::vector<bar> plane_bars = {{0, 100}, {200, 201}, {40000, plane_width}};

TEST(label_huge, planes) {
  const std::vector<std::uint8_t> row = row_of(plane_width, plane_bars);
  const image_view image(row.data(), dtype::bit, extent(plane_height, plane_width), {0, 0, 0});
  ASSERT_GT(image.size.pixels(), std::int64_t{1} << 31);
  for (engine& on : engines())
    for (const int connectivity : {4, 8}) expect_bars(on, image, connectivity, plane_bars, true);
}

TEST(label_huge, planes_of_many_runs) {
  const sliding_bars joined(plane_height, plane_width, sliding_bars::step + 1);
  const sliding_bars apart(plane_height, plane_width, sliding_bars::step);
  std::uint64_t bars = 0;
  wide area = 0, y_sum = 0, x_sum = 0, yy = 0, yx = 0, xx = 0;
  for (std::int64_t row = 0; row < plane_height; ++row)
    for (const bar& b : joined.bars_of(row)) {
      const auto y = static_cast<wide>(row), begin = static_cast<wide>(b.begin), end = static_cast<wide>(b.end);
      area += end - begin;
      y_sum += y * (end - begin);
      x_sum += sum(begin, end);
      yy += y * y * (end - begin);
      yx += y * sum(begin, end);
      xx += squares(begin, end);
      ++bars;
    }
  for (engine& on : engines()) {
    feature_table table;
    ASSERT_EQ(measure(on, joined.image(plane_height), with_connectivity(4), {.moments = true}, table), 1U);
    EXPECT_EQ(table.components[0].area, static_cast<std::uint64_t>(area));
    EXPECT_EQ(table.components[0].sum[1], static_cast<std::uint64_t>(y_sum));
    EXPECT_EQ(table.components[0].sum[2], static_cast<std::uint64_t>(x_sum));
    EXPECT_EQ(table.moments[0].yy, in_two_words(yy));
    EXPECT_EQ(table.moments[0].yx, in_two_words(yx));
    EXPECT_EQ(table.moments[0].xx, in_two_words(xx));
    EXPECT_EQ(count_components(on, apart.image(plane_height), with_connectivity(8)), 1U);
    // Bars that only touch by their corners are components of their own.
    std::uint64_t lone = 0;
    for (std::int64_t row = 0; row < plane_height; ++row) lone += apart.bars_of(row).size() - (row % 2 == 1 ? 1 : 0);
    EXPECT_EQ(count_components(on, apart.image(plane_height), with_connectivity(4)), lone);
  }
  std::vector<labelled_run> runs;
  engine on = engine::cpu(2);
  EXPECT_EQ(label_runs(on, joined.image(plane_height), with_connectivity(8), runs), 1U);
  ASSERT_EQ(runs.size(), bars);
  std::size_t i = 0;
  for (std::int64_t row = 0; row < plane_height; ++row)
    for (const bar& b : joined.bars_of(row)) {
      const labelled_run want = {row, static_cast<std::int32_t>(b.begin), static_cast<std::int32_t>(b.end), 1};
      ASSERT_EQ(runs[i++], want) << "row " << row;
    }
}

TEST(label_huge, volumes) {
  const extent size(test_scale() < 1 ? 1000 : 2000, 1500, 1503);
  const std::vector<bar> bars = {{3, 70}, {100, 1000}, {1002, 1503}};
  const std::vector<std::uint8_t> row = row_of(size.width, bars);
  const image_view image(row.data(), dtype::bit, size, {0, 0, 0});
  ASSERT_GT(image.size.pixels(), std::int64_t{1} << 31);
  for (engine& on : engines()) expect_bars(on, image, 26, bars, true);
  engine on = engine::cpu(2);
  expect_bars(on, image, 6, bars, false);
}

// The label image has distinct addresses but little memory: all rows but the last few are written to the same places.
TEST(label_huge, label_images) {
  constexpr std::int64_t period_rows = 128;
  const std::int64_t height = plane_height / period_rows * period_rows;
  const sliding_bars bars(plane_height, plane_width, sliding_bars::step + 1);
  const image_view image = bars.image(height);
  std::vector<std::uint8_t> want[2];  // even rows, odd rows
  for (const std::int64_t row : {0, 1}) {
    want[row].assign(plane_width, 0);
    for (const bar& b : bars.bars_of(row))
      std::fill(want[row].begin() + b.begin, want[row].begin() + b.end, std::uint8_t{1});
  }
  for (const int threads : {1, 2}) {
    const virtual_memory memory = virtual_memory::repeated(static_cast<std::size_t>(image.size.pixels()),
                                                           static_cast<std::size_t>(period_rows * plane_width));
    engine on = engine::cpu(threads);
    EXPECT_EQ(label(on, image, with_connectivity(4), {memory.begin(), dtype::u8, image.size}), 1U);
    for (std::int64_t r = 0; r < 2 * period_rows; ++r)
      for (const std::int64_t row : {r, height - 1 - r})
        ASSERT_EQ(std::memcmp(memory.begin() + row * plane_width, want[row % 2].data(), plane_width), 0)
            << "row " << row;
  }
}

TEST(label_huge, distances_of_gigabytes) {
  constexpr std::int64_t gigabyte = std::int64_t{1} << 30;
  const extent size(2, 3, 2);
  for (const byte_strides& strides :
       {byte_strides{7 * gigabyte, 2 * gigabyte + 512, 24}, byte_strides{24, 5 * gigabyte, 2 * gigabyte},
        byte_strides{4 * gigabyte, 64, 9 * gigabyte}}) {
    const virtual_memory input = virtual_memory::sparse(16 * gigabyte), output = virtual_memory::sparse(16 * gigabyte);
    const auto at = [&](std::int64_t z, std::int64_t y, std::int64_t x) {
      return z * strides.z + y * strides.y + x * strides.x;
    };
    for (const int pixel : {0, 1, 4, 7, 10, 11}) input.begin()[at(pixel / 6, pixel / 2 % 3, pixel % 2)] = std::byte{1};
    const image_view image(input.begin(), dtype::u8, size, strides);
    for (const int connectivity : {6, 26})
      for (named_engine& each : each_engine()) {
        const reference::answer want = expected_answer({.image = image, .options = with_connectivity(connectivity)});
        std::memset(output.begin(), 0, 4096);
        const mutable_image labels(output.begin(), dtype::u64, size, strides);
        EXPECT_EQ(label(each.on, image, with_connectivity(connectivity), labels), want.count);
        for (std::int64_t i = 0; i < size.pixels(); ++i) {
          std::uint64_t got = 0;
          std::memcpy(&got, output.begin() + at(i / 6, i / 2 % 3, i % 2), sizeof got);
          EXPECT_EQ(got, want.labels[static_cast<std::size_t>(i)]) << each.name << ", pixel " << i;
        }
      }
    // From the other end.
    const byte_strides backward = {-strides.z, -strides.y, -strides.x};
    expect_everywhere(
        {.image = {input.begin() + at(1, 2, 1), dtype::u8, size, backward}, .options = with_connectivity(18)});
  }
}

// A row as wide as a side may be.
TEST(label_huge, the_widest_row) {
  constexpr std::int64_t width = (std::int64_t{1} << 31) - 1;
  const virtual_memory memory = virtual_memory::sparse(std::size_t{1} << 28);
  const std::vector<bar> bars = {{0, 1}, {1000, 2000}, {width - 5, width}};
  for (const bar& b : bars)
    for (std::int64_t x = b.begin; x < b.end; ++x) memory.begin()[x / 8] |= std::byte{1} << (x % 8);
  memory.begin()[width / 8] |= std::byte{0x80};  // past the width
  engine on = engine::cpu(1);
  expect_bars(on, {memory.begin(), dtype::bit, extent(1, width)}, 4, bars, false);
}

}  // namespace
}  // namespace skerry::test
