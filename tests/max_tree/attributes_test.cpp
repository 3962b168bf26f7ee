// SPDX-License-Identifier: Apache-2.0
// Columns of the attribute table from their definitions, from the pixels of each node's component.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "skerry/error.hpp"
#include "support/grey.hpp"

namespace skerry::test {
namespace {

using i64 = std::int64_t;

struct measured_tree {
  grey image;
  std::vector<double> values;
  max_tree tree;
  attribute_table table;
  std::vector<std::vector<i64>> pixels;  // of each node's component

  measured_tree(engine& on, const grey& from, dtype type, const tree_options& options)
      : image(from), values(from.values(type)) {
    build(on, image.as(type).view(), options, tree);
    measure(on, tree, {.geometry = true, .moments = true, .levels = true}, table);
    pixels.resize(tree.nodes());
    for (std::size_t p = 0; p < values.size(); ++p)
      for (std::uint32_t node = tree.node_of_pixel()[p];; node = tree.parent()[node]) {
        pixels[node].push_back(static_cast<i64>(p));
        if (tree.parent()[node] == node) break;
      }
  }
  [[nodiscard]] double coordinate(i64 pixel, int axis) const {
    const i64 w = tree.size().width, h = tree.size().height;
    return static_cast<double>(axis == 0 ? pixel / w / h : axis == 1 ? pixel / w % h : pixel % w);
  }
  [[nodiscard]] double farthest(std::size_t node) const {
    double far = tree.level()[node];
    for (const i64 p : pixels[node]) {
      const double value = values[static_cast<std::size_t>(p)];
      far = tree.kind() == tree_kind::max ? std::max(far, value) : std::min(far, value);
    }
    return far;
  }
  [[nodiscard]] double covariance(std::size_t node, int a, int b) const {
    double n = 0, sum_a = 0, sum_b = 0, product = 0;
    for (const i64 p : pixels[node]) {
      n += 1;
      sum_a += coordinate(p, a);
      sum_b += coordinate(p, b);
      product += coordinate(p, a) * coordinate(p, b);
    }
    return product / n - sum_a / n * (sum_b / n) + (a == b ? 1.0 / 12 : 0);
  }
};

void each_measured(const std::function<void(const measured_tree&)>& work) {
  std::uint32_t seed = 0;
  engine on = engine::cpu(2);
  for (const extent& size : {extent(9, 12), extent(1, 5), extent(3, 4, 5)})
    for (const dtype type : tree_types)
      for (const int levels : {1, 3, 25})
        for (const tree_kind kind : {tree_kind::max, tree_kind::min}) {
          const int connectivity = tree_connectivities(size)[seed % 2];
          work(measured_tree(on, random_grey(size, levels, 1, seed++), type, {connectivity, kind}));
          if (testing::Test::HasFailure()) return;
        }
}

TEST(max_tree_attributes, names_follow_what_was_measured) {
  attribute_table table;
  EXPECT_EQ(table.column_names().size(), 19U);  // no rows: every column is there, and empty
  engine on = engine::cpu(1);
  max_tree tree;
  build(on, random_grey(extent(3, 4), 5, 1, 1).as(dtype::u8).view(), {.connectivity = 4}, tree);
  using names = std::vector<std::string>;
  const names least = {"node", "parent", "first_pixel", "level", "area", "height", "dynamics"};
  measure(on, tree, {}, table);
  EXPECT_EQ(table.column_names(), least);
  measure(on, tree, {.levels = true}, table);
  names more = least;
  more.insert(more.end(), {"volume", "level_mean", "level_variance"});
  EXPECT_EQ(table.column_names(), more);
  measure(on, tree, {.moments = true}, table);
  more = least;
  more.insert(more.end(), {"bbox-0", "bbox-1", "bbox-2", "bbox-3", "bbox_diagonal", "centroid-0", "centroid-1",
                           "elongation", "compactness"});
  EXPECT_EQ(table.column_names(), more);
  for (const std::string& name : more) EXPECT_EQ(table.column(tree, name).size(), tree.nodes()) << name;
  EXPECT_THROW((void)table.column(tree, "volume"), invalid_argument);
  EXPECT_THROW((void)table.column(tree, "bbox-4"), invalid_argument);
  EXPECT_THROW((void)table.column(tree, "nonsense"), invalid_argument);
  EXPECT_TRUE(attribute_table::is_integer_column("bbox-5"));
  EXPECT_TRUE(attribute_table::is_integer_column("area"));
  EXPECT_FALSE(attribute_table::is_integer_column("level"));
  EXPECT_FALSE(attribute_table::is_integer_column("nonsense"));
  for (const char* name : {"node", "parent", "first_pixel", "area", "bbox-3"}) {
    const std::vector<std::uint64_t> integers = table.integer_column(tree, name);
    EXPECT_EQ(std::vector<double>(integers.begin(), integers.end()), table.column(tree, name)) << name;
  }
  EXPECT_THROW((void)table.integer_column(tree, "level"), invalid_argument);
}

TEST(max_tree_attributes, the_names_of_a_tree_of_one_node_too) {
  const std::uint8_t pixel = 7;
  const std::vector<std::string> least = {"node", "parent", "first_pixel", "level", "area", "height", "dynamics"};
  for (named_engine* each : tree_engines()) {
    max_tree tree;
    attribute_table table;
    build(each->on, {&pixel, extent(1, 1)}, {.connectivity = 4}, tree);
    measure(each->on, tree, {}, table);
    EXPECT_EQ(table.column_names(), least) << each->name;
  }
}

TEST(max_tree_attributes, levels_from_their_definition) {
  each_measured([](const measured_tree& m) {
    const auto height = m.table.column(m.tree, "height"), volume = m.table.column(m.tree, "volume");
    const auto mean = m.table.column(m.tree, "level_mean"), variance = m.table.column(m.tree, "level_variance");
    for (std::size_t node = 0; node < m.tree.nodes(); ++node) {
      const double base = m.tree.level()[m.tree.parent()[node]];
      const auto n = static_cast<double>(m.pixels[node].size());
      long double sum = 0, total = 0, squares = 0;  // doubles do not hold the sums of 64-bit integers
      for (const i64 p : m.pixels[node]) {
        sum += std::abs(static_cast<long double>(m.values[static_cast<std::size_t>(p)]) - base);
        total += m.values[static_cast<std::size_t>(p)];
      }
      for (const i64 p : m.pixels[node]) squares += std::pow(m.values[static_cast<std::size_t>(p)] - total / n, 2);
      EXPECT_EQ(m.table.area[node], n);
      EXPECT_EQ(height[node], std::abs(m.farthest(node) - base));
      const double scale = m.tree.type() == dtype::f32 ? 1e-9 : 1e-12;
      const auto near = [](double got, long double want, double relative) {
        EXPECT_NEAR(got, static_cast<double>(want), relative * static_cast<double>(1 + std::abs(want)));
      };
      near(volume[node], sum, scale);
      near(mean[node], total / n, 1e-9);
      near(variance[node], squares / n, 1e-6);
    }
  });
}

TEST(max_tree_attributes, a_volume_above_or_below_infinity_is_infinite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<float> low = {-std::numeric_limits<float>::infinity(), 1, 2};
  const std::vector<float> high = {std::numeric_limits<float>::infinity(), -1, -2};
  for (named_engine* each : tree_engines())
    for (const bool upwards : {true, false}) {
      max_tree tree;
      attribute_table table;
      build(each->on, {(upwards ? low : high).data(), extent(1, 3)},
            {.connectivity = 4, .kind = upwards ? tree_kind::max : tree_kind::min}, tree);
      measure(each->on, tree, {.levels = true}, table);
      // The root, the pair above it and the farthest pixel.
      EXPECT_EQ(table.column(tree, "volume"), (std::vector<double>{infinity, infinity, 1})) << each->name;
    }
}

TEST(max_tree_attributes, infinite_levels_have_no_variance) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> pixels = {-infinity, 1, 3, infinity};
  for (named_engine* each : tree_engines()) {
    max_tree tree;
    attribute_table table;
    build(each->on, {pixels.data(), extent(1, 4)}, {.connectivity = 4}, tree);
    measure(each->on, tree, {.levels = true}, table);
    const std::vector<double> variance = table.column(tree, "level_variance");
    ASSERT_EQ(variance.size(), 4U) << each->name;
    for (const double node : variance) EXPECT_TRUE(std::isnan(node)) << each->name << ": " << node;
  }
}

TEST(max_tree_attributes, dynamics_from_their_definition) {
  each_measured([](const measured_tree& m) {
    const auto dynamics = m.table.column(m.tree, "dynamics");
    const double sign = m.tree.kind() == tree_kind::max ? 1 : -1;
    // The node of a component's farthest level; among equal ones the first.
    const auto peak_of = [&](std::size_t node) {
      std::size_t peak = node;
      for (const i64 p : m.pixels[node]) {
        const std::size_t at = m.tree.node_of_pixel()[static_cast<std::size_t>(p)];
        const double ours = sign * m.tree.level()[at], best = sign * m.tree.level()[peak];
        if (ours > best || (ours == best && at < peak)) peak = at;
      }
      return peak;
    };
    for (std::size_t node = 0; node < m.tree.nodes(); ++node) {
      // Down to the first component whose peak is another.
      std::size_t at = node;
      while (at != 0 && peak_of(at) == peak_of(node)) at = m.tree.parent()[at];
      EXPECT_EQ(dynamics[node], std::abs(m.farthest(node) - m.tree.level()[at]));
    }
  });
}

TEST(max_tree_attributes, shapes_from_their_definition) {
  each_measured([](const measured_tree& m) {
    const int rank = m.tree.size().rank;
    const auto diagonal = m.table.column(m.tree, "bbox_diagonal");
    const auto compactness = m.table.column(m.tree, "compactness"), elongation = m.table.column(m.tree, "elongation");
    for (std::size_t node = 0; node < m.tree.nodes(); ++node) {
      double squares = 0, inertia = 0;
      const auto n = static_cast<double>(m.pixels[node].size());
      for (int axis = 3 - rank; axis < 3; ++axis) {
        double low = 1e9, high = -1e9, sum = 0;
        for (const i64 p : m.pixels[node]) {
          low = std::min(low, m.coordinate(p, axis));
          high = std::max(high, m.coordinate(p, axis));
          sum += m.coordinate(p, axis);
        }
        const int place = axis - 3 + rank;
        const auto column = [&](const std::string& name) { return m.table.column(m.tree, name)[node]; };
        EXPECT_EQ(column("bbox-" + std::to_string(place)), low);
        EXPECT_EQ(column("bbox-" + std::to_string(rank + place)), high + 1);
        EXPECT_NEAR(column("centroid-" + std::to_string(place)), sum / n, 1e-12 * (1 + sum));
        squares += std::pow(high + 1 - low, 2);
        inertia += m.covariance(node, axis, axis);
      }
      EXPECT_NEAR(diagonal[node], std::sqrt(squares), 1e-12 * squares);
      const double disc =
          rank == 2 ? n / (2 * std::numbers::pi) : 0.6 * std::pow(3 * n / (4 * std::numbers::pi), 2.0 / 3);
      EXPECT_NEAR(compactness[node], disc / inertia, 1e-9);
      if (rank == 2) {
        const double a = m.covariance(node, 1, 1), b = m.covariance(node, 2, 2), c = m.covariance(node, 1, 2);
        const double middle = (a + b) / 2, apart = std::sqrt((a - b) * (a - b) / 4 + c * c);
        EXPECT_NEAR(elongation[node], std::sqrt((middle + apart) / (middle - apart)), 1e-9 * elongation[node]);
      } else {
        EXPECT_GE(elongation[node], 1);
      }
    }
  });
}

TEST(max_tree_attributes, a_bar_is_long_and_a_disc_is_compact) {
  std::vector<std::uint8_t> pixels(64 * std::size_t{64}, 0);
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) {
      if (y == 2 && x < 30) pixels[static_cast<std::size_t>(64 * y + x)] = 5;
      if ((y - 40) * (y - 40) + (x - 30) * (x - 30) <= 400) pixels[static_cast<std::size_t>(64 * y + x)] = 9;
    }
  engine on = engine::cpu(1);
  max_tree tree;
  attribute_table table;
  build(on, {pixels.data(), extent(64, 64)}, {.connectivity = 8}, tree);
  measure(on, tree, {.moments = true}, table);
  ASSERT_EQ(tree.nodes(), 3U);
  EXPECT_NEAR(table.column(tree, "elongation")[1], 30, 1e-9);
  EXPECT_NEAR(table.column(tree, "elongation")[2], 1, 1e-3);
  EXPECT_GT(table.column(tree, "compactness")[2], 0.99);
  EXPECT_LT(table.column(tree, "compactness")[1], 0.2);
}

}  // namespace
}  // namespace skerry::test
