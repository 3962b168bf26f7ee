// SPDX-License-Identifier: Apache-2.0
// Filters against slow definitions, pixel by pixel.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "core/float16.hpp"
#include "engine/engine_state.hpp"
#include "reference/reference.hpp"
#include "support/compare.hpp"
#include "support/grey.hpp"

namespace skerry::test {
namespace {

using i64 = std::int64_t;

std::vector<double> values_of(const placed_image& image, dtype type) {
  std::vector<double> values;
  for (const std::uint64_t raw : image.values()) {
    switch (type) {
      case dtype::i8: values.push_back(static_cast<std::int8_t>(raw)); break;
      case dtype::i16: values.push_back(static_cast<std::int16_t>(raw)); break;
      case dtype::i32: values.push_back(static_cast<std::int32_t>(raw)); break;
      case dtype::i64: values.push_back(static_cast<double>(static_cast<std::int64_t>(raw))); break;
      case dtype::f16: values.push_back(number_of(f16{static_cast<std::uint16_t>(raw)})); break;
      case dtype::f32: values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(raw))); break;
      case dtype::f64: values.push_back(std::bit_cast<double>(raw)); break;
      default: values.push_back(static_cast<double>(raw)); break;
    }
  }
  return values;
}

dtype type_of_output(dtype type, bool top_hat) {
  if (!top_hat) return type;
  if (type == dtype::i8) return dtype::u8;
  if (type == dtype::i16) return dtype::u16;
  if (type == dtype::i32) return dtype::u32;
  return type == dtype::i64 ? dtype::u64 : type;
}

bool is_float(dtype type) { return type == dtype::f16 || type == dtype::f32 || type == dtype::f64; }

// The nodes from the root to one.
std::vector<std::uint32_t> chain_to(const max_tree& tree, std::uint32_t node) {
  std::vector<std::uint32_t> chain = {node};
  while (tree.parent()[chain.back()] != chain.back()) chain.push_back(tree.parent()[chain.back()]);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

// What the header says of each rule.
double filtered(const max_tree& tree, const std::vector<std::uint8_t>& keep, filter_rule rule, std::uint32_t node) {
  long double level = tree.level()[0];  // steps of i64 are up to 2^54
  bool all_kept = true;
  const std::vector<std::uint32_t> chain = chain_to(tree, node);
  for (std::size_t i = 1; i < chain.size(); ++i) {
    const std::uint32_t at = chain[i];
    all_kept = all_kept && keep[at] != 0;
    if (rule == filter_rule::subtractive) {
      level += keep[at] != 0 ? static_cast<long double>(tree.level()[at]) - tree.level()[chain[i - 1]] : 0;
      continue;
    }
    bool kept = keep[at] != 0;
    if (rule == filter_rule::min) kept = all_kept;
    if (rule == filter_rule::max)
      for (std::uint32_t above = at + 1; above < tree.nodes() && !kept; ++above) {
        const std::vector<std::uint32_t> way = chain_to(tree, above);
        kept = keep[above] != 0 && std::find(way.begin(), way.end(), at) != way.end();
      }
    if (kept) level = tree.level()[at];
  }
  return static_cast<double>(level);
}

// Of all nodes.
std::vector<double> filtered(const max_tree& tree, const std::vector<std::uint8_t>& keep, filter_rule rule) {
  std::vector<double> levels(tree.nodes());
  for (std::uint32_t node = 0; node < tree.nodes(); ++node) levels[node] = filtered(tree, keep, rule, node);
  return levels;
}

// Small images go to all of its threads.
engine engine_that_shares(int threads) {
  engine on = engine::cpu(threads);
  on.inside().least_pixels_per_strip = 1;
  return on;
}

struct case_of_tree {
  dtype type;
  grey image;
  max_tree tree;
  attribute_table table;
  std::vector<double> values;
};

// Calls work(case) for trees of both kinds, of all types and connectivities, of small images; for a share of them when races
// are looked for.
void each_case(engine& on, const std::function<void(const case_of_tree&)>& work) {
  std::uint32_t seed = 0;
  for (const extent& size : {extent(11, 14), extent(1, 1), extent(3, 5, 6)})
    for (const dtype type : tree_types)
      for (const int levels : {1, 4, 30})
        for (const int connectivity : tree_connectivities(size))
          for (const tree_kind kind : {tree_kind::max, tree_kind::min}) {
            if (!builds(on, type, connectivity)) continue;
            if (++seed % case_step() != 0 && looks_for_races()) continue;
            case_of_tree each{type, random_grey(size, levels, 1 + seed % 2, seed), {}, {}, {}};
            each.values = each.image.values(type);
            build(on, each.image.as(type).view(), {connectivity, kind}, each.tree);
            measure(on, each.tree, {.geometry = true, .levels = true}, each.table);
            SCOPED_TRACE(testing::Message() << name_of(type) << ", seed " << seed);
            work(each);
            if (testing::Test::HasFailure()) return;
          }
}

// Runs one filter into every arrangement of memory in turn, as it is and as a top-hat, and compares.
void expect_output(const case_of_tree& of, const std::function<void(const mutable_image&, bool)>& filter_into,
                   const std::function<double(std::uint32_t pixel)>& want) {
  static std::uint32_t turn = 0;
  for (const bool top_hat : {false, true}) {
    const dtype type = type_of_output(of.type, top_hat);
    placed_image out(type, of.tree.size(), all_layouts[turn++ % std::size(all_layouts)]);
    filter_into(out.target(), top_hat);
    EXPECT_TRUE(out.surroundings_untouched());
    const std::vector<double> got = values_of(out, type);
    for (std::uint32_t p = 0; p < got.size(); ++p) {
      const double level = of.type == dtype::f32 ? static_cast<float>(want(p)) : want(p);
      const double expected = top_hat ? std::abs(of.values[p] - want(p)) : level;
      ASSERT_EQ(got[p], of.type == dtype::f32 ? static_cast<float>(expected) : expected) << "pixel " << p;
    }
  }
}

TEST(max_tree_filters, all_rules_and_any_decision) {
  for (named_engine* each : engines_to_ask())
    each_case(each->on, [&](const case_of_tree& of) {
      std::mt19937 draw(7);
      std::vector<std::uint8_t> keep(of.tree.nodes());
      for (std::uint8_t& k : keep) k = draw() % 3 != 0 ? static_cast<std::uint8_t>(1 + draw() % 255) : 0;
      for (const filter_rule rule :
           {filter_rule::direct, filter_rule::min, filter_rule::max, filter_rule::subtractive}) {
        if (rule == filter_rule::subtractive && is_float(of.type)) continue;  // rounds: its own test
        const std::vector<double> want = filtered(of.tree, keep, rule);
        expect_output(
            of,
            [&](const mutable_image& out, bool top_hat) {
              filter(each->on, of.tree, keep, {rule, top_hat}, out);
            },
            [&](std::uint32_t p) { return want[of.tree.node_of_pixel()[p]]; });
      }
    });
}

TEST(max_tree_filters, subtracted_floats_are_rounded_once) {
  if (looks_for_races()) GTEST_SKIP() << "one thread";
  engine on = engine::cpu(1);
  each_case(on, [&](const case_of_tree& of) {
    if (of.type != dtype::f32) return;
    std::vector<std::uint8_t> keep(of.tree.nodes(), 1);
    for (std::size_t node = 1; node < keep.size(); node += 3) keep[node] = 0;
    std::vector<float> out(of.values.size());
    filter(on, of.tree, keep, {.rule = filter_rule::subtractive}, {out.data(), of.tree.size()});
    for (std::uint32_t p = 0; p < out.size(); ++p)
      ASSERT_NEAR(out[p], filtered(of.tree, keep, filter_rule::subtractive, of.tree.node_of_pixel()[p]), 1e-6);
    // Nothing dropped: nothing rounded.
    filter(on, of.tree, std::vector<std::uint8_t>(keep.size(), 1), {.rule = filter_rule::subtractive},
           {out.data(), of.tree.size()});
    for (std::uint32_t p = 0; p < out.size(); ++p) ASSERT_EQ(out[p], of.values[p]);
  });
}

TEST(max_tree_filters, at_least_compares_and_drops_nan) {
  engine on = engine_that_shares(2);
  each_case(on, [&](const case_of_tree& of) {
    std::vector<double> attribute(of.tree.nodes());
    std::vector<std::uint8_t> keep(attribute.size());
    for (std::size_t node = 0; node < attribute.size(); ++node) {
      attribute[node] = node % 4 == 3 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(node % 4);
      keep[node] = node % 4 == 1 || node % 4 == 2 ? 1 : 0;
    }
    const std::vector<double> want = filtered(of.tree, keep, filter_rule::min);
    expect_output(
        of,
        [&](const mutable_image& out, bool top_hat) {
          filter_at_least(on, of.tree, attribute, 1, {filter_rule::min, top_hat}, out);
        },
        [&](std::uint32_t p) { return want[of.tree.node_of_pixel()[p]]; });
  });
}

// The farthest threshold at which a pixel's component passes, by labelling each threshold set.
std::vector<double> opened(const case_of_tree& of, const std::function<bool(const geometry&)>& passes) {
  const double infinity = std::numeric_limits<double>::infinity();
  const placed_image image = of.image.as(of.type);
  std::vector<double> result(of.values.size(), of.tree.level()[0]), thresholds = parts_of(of.tree).level;
  thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());  // from the root's on
  for (const double threshold : thresholds) {
    if (threshold == of.tree.level()[0]) continue;  // the root stays
    const foreground rule = of.tree.kind() == tree_kind::max ? foreground::within(threshold, infinity)
                                                             : foreground::within(-infinity, threshold);
    const reference::answer found =
        reference::analyse(image.view(), with_connectivity(of.tree.connectivity(), rule), {});
    for (std::size_t p = 0; p < result.size(); ++p)
      if (found.labels[p] != 0 && passes(found.table.components[found.labels[p] - 1])) result[p] = threshold;
  }
  return result;
}

TEST(max_tree_filters, area_opening_and_closing) {
  engine on = engine_that_shares(3);
  each_case(on, [&](const case_of_tree& of) {
    for (const std::uint64_t least : {0, 1, 2, 7, 40, 100000}) {
      const std::vector<double> want = opened(of, [&](const geometry& g) { return g.area >= least; });
      expect_output(
          of, [&](const mutable_image& out, bool top_hat) { area_filter(on, of.tree, of.table, least, out, top_hat); },
          [&](std::uint32_t p) { return want[p]; });
    }
  });
}

TEST(max_tree_filters, diagonal_opening_and_closing) {
  if (looks_for_races()) GTEST_SKIP() << "one thread";
  engine on = engine::cpu(1);
  each_case(on, [&](const case_of_tree& of) {
    for (const double least : {0.0, 1.5, 2.9, 5.0, 1e9}) {
      const std::vector<double> want = opened(of, [&](const geometry& g) {
        double squares = 0;
        for (int axis = 3 - of.tree.size().rank; axis < 3; ++axis)
          squares += std::pow(g.max[axis] - g.min[axis] + 1, 2);
        return std::sqrt(squares) >= least;
      });
      expect_output(
          of,
          [&](const mutable_image& out, bool top_hat) { diagonal_filter(on, of.tree, of.table, least, out, top_hat); },
          [&](std::uint32_t p) { return want[p]; });
    }
  });
}

bool touch(const extent& size, int connectivity, i64 p, i64 q) {
  const i64 w = size.width, h = size.height;
  const i64 apart[3] = {std::abs(p / w / h - q / w / h), std::abs(p / w % h - q / w % h), std::abs(p % w - q % w)};
  if (*std::max_element(apart, apart + 3) > 1) return false;
  const i64 axes = connectivity == 8 || connectivity == 26 ? 3 : connectivity == 18 ? 2 : 1;
  return apart[0] + apart[1] + apart[2] <= axes;
}

// The reconstruction of f from `marker`: dilate under f until nothing changes. For min-trees all is upside down.
std::vector<double> reconstructed(const case_of_tree& of, std::vector<double> marker) {
  const double sign = of.tree.kind() == tree_kind::max ? 1 : -1;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t p = 0; p < marker.size(); ++p)
      for (std::size_t q = 0; q < marker.size(); ++q) {
        if (!touch(of.tree.size(), of.tree.connectivity(), static_cast<i64>(p), static_cast<i64>(q))) continue;
        const double reach = sign * std::min(sign * marker[q], sign * of.values[p]);
        if (sign * reach <= sign * marker[p]) continue;
        marker[p] = reach;
        changed = true;
      }
  }
  return marker;
}

TEST(max_tree_filters, extrema_are_cut_as_reconstruction_does) {
  engine on = engine_that_shares(5);
  each_case(on, [&](const case_of_tree& of) {
    const double sign = of.tree.kind() == tree_kind::max ? 1 : -1;
    for (const double share : {0.0, 0.1, 0.3, 2.0}) {
      const double range = std::ldexp(1, std::min<int>(54, static_cast<int>(8 * size_of(of.type))));
      const double h = is_float(of.type) ? std::floor(2 * share * 0x1p10) / 0x1p10 : std::floor(share * range);
      std::vector<double> marker = of.values;
      for (double& m : marker) m = sign * std::max(sign * m - h, sign * of.tree.level()[0]);
      const std::vector<double> want = reconstructed(of, marker);
      expect_output(
          of, [&](const mutable_image& out, bool top_hat) { extrema_filter(on, of.tree, h, out, top_hat); },
          [&](std::uint32_t p) { return want[p]; });
    }
  });
}

constexpr std::int64_t most = std::int64_t{1} << 53;

// Steps and distances of integers of 64 bits, which doubles do not hold.
TEST(max_tree_filters, wide_integers_are_exact) {
  const std::vector<std::int64_t> pixels = {-most, most - 1, -most, 1, 2, 1};
  for (const int threads : {1, 2}) {
    engine on = engine_that_shares(threads);
    max_tree tree;
    build(on, {pixels.data(), extent(1, 6)}, {.connectivity = 4}, tree);
    ASSERT_EQ(parts_of(tree).level, (std::vector<double>{-0x1p53, 1, 2, 0x1p53 - 1}));
    std::vector<std::uint64_t> apart(6);
    std::vector<std::int64_t> left(6);
    filter(on, tree, std::vector<std::uint8_t>{1, 0, 0, 0}, {.top_hat = true}, {apart.data(), tree.size()});
    EXPECT_EQ(apart, (std::vector<std::uint64_t>{0, 2 * std::uint64_t{most} - 1, 0, std::uint64_t{most} + 1,
                                                 std::uint64_t{most} + 2, std::uint64_t{most} + 1}));
    filter(on, tree, std::vector<std::uint8_t>{1, 0, 1, 1}, {.rule = filter_rule::subtractive},
           {left.data(), tree.size()});
    EXPECT_EQ(left, (std::vector<std::int64_t>{-most, most - 1, -most, -most, -most + 1, -most}));
    extrema_filter(on, tree, 2, {left.data(), tree.size()});
    EXPECT_EQ(left, (std::vector<std::int64_t>{-most, most - 3, -most, 0, 0, 0}));
  }
}

// What is dropped ends 2^53 lower than it began, an odd number of steps of 1: only whole arithmetic has them.
TEST(max_tree_filters, subtracted_wide_integers_are_exact) {
  const std::vector<std::int64_t> pixels = {-most, -most + 1, most};
  engine on = engine::cpu(1);
  max_tree tree;
  build(on, {pixels.data(), extent(1, 3)}, {.connectivity = 4}, tree);
  std::vector<std::int64_t> left(3);
  filter(on, tree, std::vector<std::uint8_t>{1, 0, 1}, {.rule = filter_rule::subtractive}, {left.data(), tree.size()});
  EXPECT_EQ(left, (std::vector<std::int64_t>{-most, -most, most - 1}));
}

TEST(max_tree_filters, infinities_are_levels) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> pixels = {-inf, 1, inf, 1, -inf, 2, 3, 2, -inf};
  engine on = engine::cpu(1);
  max_tree tree;
  attribute_table table;
  build(on, {pixels.data(), extent(1, 9)}, {.connectivity = 4}, tree);
  measure(on, tree, {.levels = true}, table);
  std::vector<float> out(pixels.size());
  area_filter(on, tree, table, 2, {out.data(), tree.size()});
  EXPECT_EQ(out, (std::vector<float>{-inf, 1, 1, 1, -inf, 2, 2, 2, -inf}));
  area_filter(on, tree, table, 2, {out.data(), tree.size()}, true);
  EXPECT_EQ(out, (std::vector<float>{0, 0, inf, 0, 0, 0, 1, 0, 0}));
  extrema_filter(on, tree, 1, {out.data(), tree.size()});
  EXPECT_EQ(out, (std::vector<float>{-inf, 1, inf, 1, -inf, 2, 2, 2, -inf}));
}

}  // namespace
}  // namespace skerry::test
