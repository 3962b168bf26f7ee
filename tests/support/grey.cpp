// SPDX-License-Identifier: Apache-2.0
#include "support/grey.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <random>

namespace skerry::test {
namespace {

using i64 = std::int64_t;

grey drawn(const std::string& name, const extent& size, const std::function<double(i64 z, i64 y, i64 x)>& shade) {
  grey image = {name, size, {}};
  for (i64 z = 0; z < size.depth; ++z)
    for (i64 y = 0; y < size.height; ++y)
      for (i64 x = 0; x < size.width; ++x) image.shades.push_back(std::min(shade(z, y, x), 0x1.fffffep-1));
  return image;
}

// The mean of each pixel's neighbourhood of 3 × 3 within its slice, twice.
grey blurred(grey image) {
  const extent& s = image.size;
  for (int round = 0; round < 2; ++round) {
    const grey from = image;
    image = drawn("blurred noise", s, [&](i64 z, i64 y, i64 x) {
      double sum = 0;
      for (i64 dy = -1; dy <= 1; ++dy)
        for (i64 dx = -1; dx <= 1; ++dx) {
          const i64 row = std::clamp<i64>(y + dy, 0, s.height - 1), column = std::clamp<i64>(x + dx, 0, s.width - 1);
          sum += from.shades[static_cast<std::size_t>((z * s.height + row) * s.width + column)];
        }
      return sum / 9;
    });
  }
  return image;
}

}  // namespace

std::vector<double> grey::values(dtype type) const {
  std::vector<double> result = shades;
  for (double& value : result) switch (type) {
      case dtype::u8: value = std::floor(value * 0x1p8); break;
      case dtype::u16: value = std::floor(value * 0x1p16); break;
      case dtype::i16: value = std::floor(value * 0x1p16) - 0x1p15; break;
      case dtype::u32: value = std::floor(value * 0x1p32); break;
      case dtype::i8: value = std::floor(value * 0x1p8) - 0x1p7; break;
      case dtype::i32: value = std::floor(value * 0x1p32) - 0x1p31; break;
      case dtype::u64: value = std::floor(value * 0x1p53); break;
      case dtype::i64: value = std::floor(value * 0x1p54) - 0x1p53; break;
      case dtype::f16: value = std::floor((2 * value - 0.75) * 0x1p10) / 0x1p10; break;
      case dtype::f64: value = 2 * value - 0.75; break;
      default: value = static_cast<float>(2 * value - 0.75); break;
    }
  return result;
}

grey random_grey(const extent& size, int levels, int granularity, std::uint32_t seed) {
  std::vector<double> shades;
  for (int level = 0; level < levels; ++level) shades.push_back(static_cast<double>(level) / levels);
  return {"random, " + std::to_string(levels) + " levels, blocks of " + std::to_string(granularity), size,
          random_values(shades, size, granularity, seed)};
}

std::vector<grey> adversarial_greys(const extent& size) {
  const auto pixels = static_cast<double>(size.pixels());
  const i64 rows = size.height, columns = size.width;
  const auto place = [&](i64 z, i64 y, i64 x) { return static_cast<double>((z * rows + y) * columns + x); };
  const auto ratio = [](i64 part, i64 whole) { return static_cast<double>(part) / static_cast<double>(whole); };
  std::vector<grey> all;
  const auto add = [&](const std::string& name, const std::function<double(i64, i64, i64)>& shade) {
    all.push_back(drawn(name, size, shade));
  };
  add("constant", [](i64, i64, i64) { return 0.5; });
  add("ramp in scan order", [&](i64 z, i64 y, i64 x) { return place(z, y, x) / pixels; });
  add("ramp against scan order", [&](i64 z, i64 y, i64 x) { return (pixels - 1 - place(z, y, x)) / pixels; });
  add("ramp down the columns", [&](i64 z, i64 y, i64) { return ratio(z + y, size.depth + rows); });
  add("ramp up the columns", [&](i64 z, i64 y, i64) { return 1 - ratio(z + y + 1, size.depth + rows); });
  add("ramp to and fro", [&](i64 z, i64 y, i64 x) { return place(z, y, y % 2 == 0 ? x : columns - 1 - x) / pixels; });
  add("zig-zag ridge", [&](i64 z, i64 y, i64 x) {  // one path, ever higher, between walls of black
    const bool turn = y % 4 == 1 ? x == columns - 1 : y % 4 == 3 && x == 0;
    return y % 2 == 0 || turn ? place(z, y, y % 4 == 2 ? columns - 1 - x : x) / pixels : 0.0;
  });
  const auto to_border = [&](i64 z, i64 y, i64 x) {
    const i64 in_plane = std::min({y, rows - 1 - y, x, columns - 1 - x});
    return size.rank == 3 ? std::min({in_plane, z, size.depth - 1 - z}) : in_plane;
  };
  const i64 deepest = std::max<i64>(1, std::max(rows, columns));
  add("nested squares, a peak", [&](i64 z, i64 y, i64 x) { return ratio(to_border(z, y, x), deepest); });
  add("nested squares, a pit", [&](i64 z, i64 y, i64 x) { return 1 - ratio(to_border(z, y, x) + 1, deepest + 1); });
  add("nested rings", [&](i64 z, i64 y, i64 x) {
    const i64 ring = to_border(z, y, x);
    return ring % 2 == 0 ? ratio(ring, 2 * deepest) : 1 - ratio(ring, 2 * deepest);
  });
  add("checkerboard", [&](i64 z, i64 y, i64 x) { return (z + y + x) % 2 == 0 ? 0.25 : 0.75; });
  add("comb", [&](i64 z, i64 y, i64 x) {
    return y == rows - 1 ? 0.1 : x % 2 == 0 ? ratio(x + z, 2 * columns + 9) : 0.0;
  });
  add("comb of equal teeth", [&](i64, i64 y, i64 x) { return y == rows - 1 || x % 2 == 0 ? 0.5 : 0.0; });
  all.push_back(random_grey(size, 2, 1, 1));
  all.push_back(random_grey(size, 3, 4, 2));
  all.push_back(random_grey(size, 256, 1, 3));
  grey salt = random_grey(size, 64, 1, 4);
  for (double& shade : salt.shades) shade = shade < 60.0 / 64 ? 0.25 : shade;
  salt.name = "salt";
  all.push_back(salt);
  all.push_back(blurred(random_grey(size, 64, 1, 5)));
  return all;
}

tree_parts parts_of(const max_tree& tree) {
  const auto copied = [](const auto& of) { return std::vector(of.begin(), of.end()); };
  return {tree.kind(),           tree.connectivity(),        tree.type(),          tree.size(),
          copied(tree.parent()), copied(tree.first_pixel()), copied(tree.level()), copied(tree.node_of_pixel())};
}

std::vector<named_engine*> tree_engines() {
  std::vector<named_engine*> engines = engines_to_ask();
  if (engines.front() != &each_engine().front()) engines.insert(engines.begin(), &each_engine().front());
  return engines;
}

std::vector<int> tree_connectivities(const extent& size) {
  return size.rank == 2 ? std::vector<int>{4, 8} : std::vector<int>{6, 26, 18};
}

std::vector<int> device_tree_connectivities(const extent& size) {
  return size.rank == 2 ? std::vector<int>{4, 8} : std::vector<int>{6, 26};
}

bool builds(const engine& on, dtype type, int connectivity) {
  const auto has = [](const auto& all, auto one) { return std::find(all.begin(), all.end(), one) != all.end(); };
  return on.kind() != engine_kind::cuda || (has(device_tree_types, type) && connectivity != 18);
}

void expect_tree_everywhere(const image_view& image, const tree_options& options) {
  constexpr attribute_options everything{.geometry = true, .moments = true, .levels = true};
  max_tree want;
  attribute_table want_table;
  static int question_number = 0;
  const bool some = ++question_number % std::max(1, static_cast<int>(1 / test_scale())) != 0;
  for (named_engine* each : tree_engines()) {
    const std::ptrdiff_t which = each - each_engine().data();
    if (!builds(each->on, image.type, options.connectivity)) continue;
    if (some && each->on.kind() == engine_kind::cpu && which != 1 && which != 4) continue;
    SCOPED_TRACE(testing::Message() << each->name << ", connectivity " << options.connectivity
                                    << (options.kind == tree_kind::min ? ", min-tree" : ", max-tree"));
    max_tree got;
    attribute_table table;
    build(each->on, image, options, got);
    measure(each->on, got, everything, table);
    if (each->on.kind() == engine_kind::reference) {
      want = max_tree::from_parts(parts_of(got));
      ASSERT_TRUE(got == want);
      want_table = table;
      continue;
    }
    ASSERT_TRUE(std::ranges::equal(got.parent(), want.parent()));
    ASSERT_TRUE(std::ranges::equal(got.first_pixel(), want.first_pixel()));
    ASSERT_TRUE(got == want);
    ASSERT_EQ(table.area, want_table.area);
    ASSERT_TRUE(table.components == want_table.components);
    ASSERT_TRUE(table.moments == want_table.moments);
    ASSERT_TRUE(table.intensities == want_table.intensities);
    ASSERT_TRUE(table.real_intensities == want_table.real_intensities);
  }
}

}  // namespace skerry::test
