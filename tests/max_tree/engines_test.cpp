// SPDX-License-Identifier: Apache-2.0
// Every engine builds the tree of the reference, with the same attributes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/engine_state.hpp"
#include "support/grey.hpp"

namespace skerry::test {
namespace {

constexpr tree_kind both_kinds[] = {tree_kind::max, tree_kind::min};

void expect_grey_everywhere(const grey& image, dtype type, layout arrangement = layout::dense) {
  SCOPED_TRACE(testing::Message() << image.name << ", " << image.size.depth << " x " << image.size.height << " x "
                                  << image.size.width << ", " << name_of(type) << ", " << name_of(arrangement));
  const placed_image placed = image.as(type, arrangement);
  static int question_number = 0;
  const bool all = test_scale() >= 1 && image.size.pixels() < 50000, odd = ++question_number % 2 != 0;
  for (const int connectivity : tree_connectivities(image.size))
    for (const tree_kind kind : both_kinds) {
      // Where time is short or the image large, each connectivity has one kind of tree, and the next image has the other.
      const bool straight = connectivity == 4 || connectivity == 6;
      if (!all && (kind == tree_kind::max) == (straight == odd)) continue;
      expect_tree_everywhere(placed.view(), {connectivity, kind});
      if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(max_tree_engines, adversarial_images_of_every_type) {
  // The reference takes a pass over the image for each of its levels, of which some images have one per pixel.
  const bool small = test_scale() < 1;
  for (const extent& size : {small ? extent(13, 21) : extent(23, 37), small ? extent(4, 5, 5) : extent(5, 6, 7)})
    for (std::size_t turn = 0; const grey& image : adversarial_greys(size)) {
      for (const dtype type : tree_types) {
        if (turn++ % std::max<std::size_t>(2, case_step()) != 0) continue;  // a share of the types in turn
        expect_grey_everywhere(image, type);
        ASSERT_FALSE(HasFailure());
      }
    }
}

TEST(max_tree_engines, planes_of_all_sizes) {
  std::uint32_t seed = 0;
  const int levels[] = {2, 5, 40, 256};
  for (const std::int64_t height : {0, 1, 2, 3, 16, 31})
    for (const std::int64_t width : {0, 1, 2, 7, 33, 64, 65}) {
      ++seed;
      expect_grey_everywhere(random_grey(extent(height, width), levels[seed % 4], 1 + seed % 3, seed),
                             tree_types[seed % std::size(tree_types)]);
      ASSERT_FALSE(HasFailure());
    }
}

TEST(max_tree_engines, volumes_of_all_sizes) {
  std::uint32_t seed = 0;
  const int levels[] = {2, 5, 40, 256};
  for (const std::int64_t depth : {0, 1, 2, 5})
    for (const std::int64_t height : {0, 1, 2, 6})
      for (const std::int64_t width : {0, 1, 3, 19}) {
        ++seed;
        expect_grey_everywhere(random_grey(extent(depth, height, width), levels[seed % 4], 1 + seed % 2, seed),
                               tree_types[seed % std::size(tree_types)]);
        ASSERT_FALSE(HasFailure());
      }
}

TEST(max_tree_engines, every_layout) {
  std::size_t turn = 0;
  for (const layout arrangement : all_layouts)
    for (const dtype type : tree_types) {
      if (turn++ % case_step() != 0) continue;
      expect_grey_everywhere(random_grey(extent(14, 21), 9, 1, 5), type, arrangement);
      expect_grey_everywhere(random_grey(extent(3, 5, 8), 9, 1, 6), type, arrangement);
      ASSERT_FALSE(HasFailure());
    }
}

TEST(max_tree_engines, values_at_the_edges_of_types) {
  for (const dtype type : tree_types) {
    std::vector<double> values = edge_values(type);
    const bool whole = type == dtype::u64 || type == dtype::i64;  // no level beyond 2^53
    const auto has_no_level = [=](double v) { return std::isnan(v) || (whole && std::abs(v) > 0x1p53); };
    values.erase(std::remove_if(values.begin(), values.end(), has_no_level), values.end());
    for (const extent& size : {extent(15, 20), extent(4, 5, 6)}) {
      const placed_image image(type, size, layout::dense, random_values(values, size, 1, 7));
      for (const int connectivity : tree_connectivities(size))
        for (const tree_kind kind : both_kinds) expect_tree_everywhere(image.view(), {connectivity, kind});
      ASSERT_FALSE(HasFailure()) << name_of(type);
    }
  }
}

// All images of nine pixels and three shades.
TEST(max_tree_engines, every_image_of_three_by_three) {
  const int step = test_scale() < 1 ? 97 : 11;
  for (int code = 0; code < 19683; code += step) {
    grey image = {"code " + std::to_string(code), extent(3, 3), {}};
    for (int pixel = 0, rest = code; pixel < 9; ++pixel, rest /= 3) image.shades.push_back(rest % 3 * 0.25);
    expect_grey_everywhere(image, code % 2 == 0 ? dtype::u8 : dtype::u16);
    ASSERT_FALSE(HasFailure());
  }
}

// As large as takes an engine several strips of the default size. The reference takes a pass over the image for each level.
TEST(max_tree_engines, large_images) {
  const bool small = test_scale() < 1;
  for (const dtype type : {dtype::u8, dtype::f32}) {
    if (!small || type == dtype::u8)
      expect_grey_everywhere(random_grey(extent(260, 300), small ? 12 : 24, small ? 8 : 1, 8), type);
    if (!small || type == dtype::f32)
      expect_grey_everywhere(random_grey(extent(31, 64, 51), small ? 5 : 9, 3, 9), type);
    ASSERT_FALSE(HasFailure());
  }
}

// From tiles that are all border to tiles that have little of it, and all in one.
TEST(max_tree_engines, tiles_of_all_sizes) {
  for (const std::int64_t strip : {1, 2, 7, 32, 128, 1024}) {
    engine on = engine::cpu(3);
    on.inside().least_pixels_per_strip = strip;
    on.inside().least_streamed_bytes = strip % 2 == 0 ? 0 : 1 << 20;
    engine slow = engine::reference();
    int turn = static_cast<int>(strip);
    for (const extent& size : {extent(37, 45), extent(7, 9, 17)})
      for (const int levels : {3, 40, 250})
        for (const dtype type : tree_types)
          for (const int connectivity : tree_connectivities(size)) {
            if (test_scale() < 1 && ++turn % 8 != 0) continue;
            const placed_image image = random_grey(size, levels, 1 + levels % 2, 14).as(type);
            max_tree want, got;
            build(slow, image.view(), {connectivity}, want);
            build(on, image.view(), {connectivity}, got);
            ASSERT_TRUE(got == want) << size.depth << " slices, strips of " << strip << ", " << levels << " levels, "
                                     << name_of(type) << ", connectivity " << connectivity;
          }
  }
}

TEST(max_tree_engines, wide_images) {
  const bool small = test_scale() < 1;
  for (const std::int64_t width : {65535, 65536, 65537, 140001})
    for (const dtype type : {dtype::u8, dtype::u16}) {
      if (width != 65536 && (width > 65536) == (type == dtype::u8)) continue;
      if (small && (width > 65537 || (width == 65536 && type == dtype::u8))) continue;
      expect_grey_everywhere(random_grey(extent(2, width), 6, 1, 10), type);
      ASSERT_FALSE(HasFailure());
    }
}

TEST(max_tree_engines, a_tall_image) {
  for (const dtype type : {dtype::u8, dtype::u32})
    if (test_scale() >= 1 || type == dtype::u32) expect_grey_everywhere(random_grey(extent(70001, 1), 5, 1, 11), type);
}

// Scratch of one call must not show in the next, whatever their sizes and types.
TEST(max_tree_engines, sizes_in_any_order) {
  for (const extent& size :
       {extent(90, 80), extent(3, 3), extent(2, 500), extent(7, 8, 9), extent(0, 9), extent(60, 70)})
    for (const dtype type : tree_types) {
      expect_grey_everywhere(random_grey(size, 11, 1, 12), type);
      ASSERT_FALSE(HasFailure());
    }
}

// Threads meet at other places each time.
TEST(max_tree_engines, the_same_image_many_times) {
  for (const dtype type : {dtype::u8, dtype::f32}) {
    const extent size = test_scale() < 1 ? extent(80, 90) : extent(120, 130);
    const placed_image image = random_grey(size, type == dtype::u8 ? 256 : 100, 1, 13).as(type);
    engine slow = engine::reference();
    max_tree want;
    build(slow, image.view(), {.connectivity = 8}, want);
    for (int round = 0; round < scaled(25); ++round)
      for (named_engine* each : tree_engines()) {
        if (each->on.kind() == engine_kind::reference) continue;
        max_tree got;
        build(each->on, image.view(), {.connectivity = 8}, got);
        ASSERT_TRUE(got == want) << each->name << ", round " << round;
      }
  }
}

}  // namespace
}  // namespace skerry::test
