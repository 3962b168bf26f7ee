// SPDX-License-Identifier: Apache-2.0
// What is out of range is refused by name, before anything is touched.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "skerry/error.hpp"
#include "support/grey.hpp"

namespace skerry::test {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
const std::vector<double> memory(64, 1);

void expect_refusal(std::string_view argument, const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << argument << " was accepted";
  } catch (const invalid_argument& error) {
    EXPECT_EQ(std::string_view(error.what()).substr(0, argument.size()), argument) << error.what();
  }
}

void expect_image_refused(std::string_view argument, const image_view& image, const tree_options& options) {
  for (named_engine& each : each_engine()) {
    SCOPED_TRACE(each.name);
    max_tree tree;
    build(each.on, random_grey(extent(5, 6), 9, 1, 1).as(dtype::u8).view(), {.connectivity = 4}, tree);
    const max_tree before = tree;
    expect_refusal(argument, [&] { build(each.on, image, options, tree); });
    EXPECT_TRUE(tree == before);
  }
}

struct good_tree {
  max_tree tree;
  attribute_table table;
  std::vector<std::uint8_t> out = std::vector<std::uint8_t>(30, 77), keep;

  explicit good_tree(engine& on) {
    build(on, random_grey(extent(5, 6), 9, 1, 1).as(dtype::u8).view(), {.connectivity = 4}, tree);
    measure(on, tree, {.geometry = true}, table);
    keep.assign(tree.nodes(), 1);
  }
  [[nodiscard]] mutable_image target() { return {out.data(), tree.size()}; }
};

TEST(max_tree_arguments, connectivity_must_fit_the_rank) {
  for (const int connectivity : {0, 1, 5, 6, 18, 26, -4})
    expect_image_refused("connectivity", {memory.data(), dtype::u8, extent(8, 8)}, {.connectivity = connectivity});
  for (const int connectivity : {0, 4, 8, 17, 27})
    expect_image_refused("connectivity", {memory.data(), dtype::u8, extent(2, 4, 4)}, {.connectivity = connectivity});
}

TEST(max_tree_arguments, images_must_be_possible) {
  const tree_options how{.connectivity = 4};
  for (const dtype type : {dtype::bit, dtype::boolean, static_cast<dtype>(77)})
    expect_image_refused("image", {memory.data(), type, extent(2, 2)}, how);
  expect_image_refused("image", {nullptr, dtype::u8, extent(2, 2)}, how);
  expect_image_refused("image", {memory.data(), dtype::u8, extent(-1, 2)}, how);
  expect_image_refused("image", {memory.data(), dtype::u8, extent(1 << 16, 1 << 15), {0, 0, 0}}, how);
  extent flat(2, 2);
  flat.depth = 2;
  expect_image_refused("image", {memory.data(), dtype::u8, flat}, how);
  expect_image_refused("kind", {memory.data(), dtype::u8, extent(2, 2)}, {4, static_cast<tree_kind>(2)});
}

TEST(max_tree_arguments, the_first_nan_is_named) {
  std::vector<float> pixels(3 * 5 * 7, 1);
  pixels[1 * 35 + 2 * 7 + 3] = std::numeric_limits<float>::quiet_NaN();
  pixels[2 * 35 + 4 * 7 + 6] = -std::numeric_limits<float>::quiet_NaN();
  for (named_engine* each : tree_engines()) {
    max_tree tree;
    expect_refusal("image: pixel (1, 2, 3) is NaN", [&] {
      build(each->on, {pixels.data(), extent(3, 5, 7)}, {.connectivity = 6}, tree);
    });
    expect_refusal("image: pixel (7, 3) is NaN", [&] {
      build(each->on, {pixels.data(), extent(15, 7)}, {.connectivity = 8}, tree);
    });
  }
}

TEST(max_tree_arguments, nan_of_every_float) {
  const std::vector<double> wide = {1, 2, not_a_number, -not_a_number};
  const std::vector<float16_bits> narrow = {{0x7c00}, {0xfc00}, {0x7c01}, {0xffff}};  // infinities first
  for (named_engine* each : tree_engines()) {
    max_tree tree;
    for (const image_view& image : {image_view(wide.data(), extent(1, 4)), image_view(narrow.data(), extent(1, 4))}) {
      if (!builds(each->on, image.type, 4)) continue;
      expect_refusal("image: pixel (0, 2) is NaN", [&] { build(each->on, image, {.connectivity = 4}, tree); });
    }
  }
}

TEST(max_tree_arguments, integers_that_doubles_do_not_hold) {
  constexpr std::int64_t most = std::int64_t{1} << 53;
  for (named_engine* each : tree_engines()) {
    if (!builds(each->on, dtype::i64, 4)) continue;
    max_tree tree;
    std::vector<std::int64_t> whole = {most, -most, 0};
    build(each->on, {whole.data(), extent(1, 3)}, {.connectivity = 4}, tree);
    EXPECT_EQ(tree.level()[2], 0x1p53);
    for (const std::int64_t wrong : {most + 1, -most - 1, INT64_MAX, INT64_MIN}) {
      whole[1] = wrong;
      expect_refusal("image: pixel (0, 1) is beyond 2^53", [&] {
        build(each->on, {whole.data(), extent(1, 3)}, {.connectivity = 4}, tree);
      });
    }
    std::vector<std::uint64_t> natural = {0, most, most};
    build(each->on, {natural.data(), extent(3, 1)}, {.connectivity = 4}, tree);
    natural[2] = most + 1;
    expect_refusal("image: pixel (2, 0) is beyond 2^53", [&] {
      build(each->on, {natural.data(), extent(3, 1)}, {.connectivity = 4}, tree);
    });
  }
}

TEST(max_tree_arguments, what_a_device_has_not) {
  for (named_engine* each : tree_engines()) {
    if (each->on.kind() != engine_kind::cuda) continue;
    max_tree tree;
    for (const dtype type : {dtype::i8, dtype::i32, dtype::i64, dtype::u64, dtype::f16, dtype::f64})
      expect_refusal(std::string("image: the engine cuda has no trees of ") + name_of(type) + ", which are built on",
                     [&] {
                       build(each->on, {memory.data(), type, extent(2, 2)}, {.connectivity = 4}, tree);
                     });
    expect_refusal("connectivity: the engine cuda has no trees with 18", [&] {
      build(each->on, {memory.data(), dtype::u8, extent(2, 2, 2)}, {.connectivity = 18}, tree);
    });
  }
}

TEST(max_tree_arguments, a_tree_of_an_image_with_nan_is_empty) {
  const std::vector<float> pixels = {1, 2, std::numeric_limits<float>::quiet_NaN()};
  for (named_engine* each : tree_engines()) {
    max_tree tree = good_tree(each->on).tree;
    EXPECT_THROW(build(each->on, {pixels.data(), extent(1, 3)}, {.connectivity = 4}, tree), invalid_argument);
    EXPECT_TRUE(tree == max_tree());
  }
}

TEST(max_tree_arguments, one_nan_is_found_wherever_it_is) {
  const extent size(3, 70);
  for (named_engine* each : tree_engines())
    for (const std::int64_t at : {0, 1, 63, 64, 69, 70, 139, 140, 208, 209}) {
      std::vector<float> pixels(3 * 70, 1);
      pixels[static_cast<std::size_t>(at)] = std::numeric_limits<float>::quiet_NaN();
      max_tree tree;
      expect_refusal("image: pixel (" + std::to_string(at / 70) + ", " + std::to_string(at % 70) + ") is NaN", [&] {
        build(each->on, {pixels.data(), size}, {.connectivity = 4}, tree);
      });
    }
}

TEST(max_tree_arguments, decisions_and_tables_must_fit_the_tree) {
  for (named_engine* each : tree_engines()) {
    good_tree good(each->on);
    attribute_table other = good.table;
    other.area.pop_back();
    const std::vector<std::uint8_t> few(good.tree.nodes() - 1, 1);
    const std::vector<double> numbers(good.tree.nodes(), 1), many(good.tree.nodes() + 1, 1);
    const mutable_image out = good.target();
    expect_refusal("keep", [&] { filter(each->on, good.tree, few, {}, out); });
    expect_refusal("attribute", [&] { filter_at_least(each->on, good.tree, many, 1, {}, out); });
    expect_refusal("least", [&] { filter_at_least(each->on, good.tree, numbers, not_a_number, {}, out); });
    expect_refusal("table", [&] { area_filter(each->on, good.tree, other, 1, out); });
    expect_refusal("table", [&] { diagonal_filter(each->on, good.tree, other, 1, out); });
    expect_refusal("rule", [&] { filter(each->on, good.tree, good.keep, {static_cast<filter_rule>(4)}, out); });
    expect_refusal("least", [&] { diagonal_filter(each->on, good.tree, good.table, not_a_number, out); });
    expect_refusal("table", [&] { (void)other.column(good.tree, "area"); });
    attribute_table plain;
    measure(each->on, good.tree, {}, plain);
    expect_refusal("name", [&] { diagonal_filter(each->on, good.tree, plain, 1, out); });
    for (const double h : {-1.0, 0.5, infinity, not_a_number})
      expect_refusal("h", [&] { extrema_filter(each->on, good.tree, h, out); });
    EXPECT_EQ(good.out, std::vector<std::uint8_t>(30, 77));
  }
}

TEST(max_tree_arguments, outputs_must_fit_the_tree) {
  engine on = engine::cpu(1);
  good_tree good(on);
  std::vector<double> room(100);
  const auto refuse = [&](const mutable_image& out) {
    expect_refusal("output", [&] { filter(on, good.tree, good.keep, {}, out); });
    expect_refusal("output", [&] { extrema_filter(on, good.tree, 1, out); });
    expect_refusal("output", [&] { area_filter(on, good.tree, good.table, 1, out); });
  };
  refuse({room.data(), dtype::u16, extent(5, 6)});
  refuse({room.data(), dtype::u8, extent(6, 5)});
  refuse({room.data(), dtype::u8, extent(1, 5, 6)});
  refuse({nullptr, dtype::u8, extent(5, 6)});
  refuse({room.data(), dtype::u8, extent(5, 6), {0, 5, 1}});
  refuse({room.data(), dtype::u8, extent(5, 6), {0, 0, 1}});

  max_tree tree;
  build(on, random_grey(extent(5, 6), 9, 1, 1).as(dtype::i16).view(), {.connectivity = 4}, tree);
  const std::vector<std::uint8_t> keep(tree.nodes(), 1);
  expect_refusal("output", [&] { filter(on, tree, keep, {.top_hat = true}, {room.data(), dtype::i16, extent(5, 6)}); });
  expect_refusal("output", [&] { filter(on, tree, keep, {}, {room.data(), dtype::u16, extent(5, 6)}); });
  build(on, random_grey(extent(5, 6), 9, 1, 1).as(dtype::i64).view(), {.connectivity = 4}, tree);
  const std::vector<std::uint8_t> all(tree.nodes(), 1);
  expect_refusal("output: dtype int64 is not uint64", [&] {
    filter(on, tree, all, {.top_hat = true}, {room.data(), dtype::i64, extent(5, 6)});
  });
}

TEST(max_tree_arguments, empty_images_have_empty_trees) {
  for (named_engine* each : tree_engines())
    for (const extent& size : {extent(0, 0), extent(0, 7), extent(7, 0), extent(3, 0, 2)})
      for (const dtype type : tree_types) {
        if (!builds(each->on, type, 4)) continue;
        max_tree tree;
        attribute_table table;
        table.area = {1};
        build(each->on, {nullptr, type, size}, {.connectivity = size.rank == 2 ? 4 : 6}, tree);
        EXPECT_EQ(tree.nodes(), 0U);
        EXPECT_EQ(tree.size(), size);
        measure(each->on, tree, {.geometry = true, .moments = true, .levels = true}, table);
        EXPECT_EQ(table.size(), 0U);
        const mutable_image out(nullptr, type, size);
        filter(each->on, tree, {}, {}, out);
        area_filter(each->on, tree, table, 3, out);
        diagonal_filter(each->on, tree, table, 3, out);
        extrema_filter(each->on, tree, 3, out);
      }
}

}  // namespace
}  // namespace skerry::test
