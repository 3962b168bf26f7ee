// SPDX-License-Identifier: Apache-2.0
// New labels for given ones: every engine against the reference, every type, layout and limit.
#include "skerry/relabel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/portable.hpp"
#include "regions/given.hpp"
#include "skerry/engine.hpp"
#include "skerry/error.hpp"
#include "support/placed_image.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

struct relabelled_image {
  std::vector<label_bits> originals;
  std::vector<std::uint64_t> labels;
  friend bool operator==(const relabelled_image&, const relabelled_image&) = default;
};

relabelled_image relabelled(engine& on, const image_view& labels, const relabel_options& options, dtype type,
                            layout arrangement) {
  const placed_image out(type, labels.size, arrangement);
  relabelled_image result{relabel(on, labels, options, out.target()), {}};
  result.labels = out.values();
  EXPECT_TRUE(out.surroundings_untouched());
  return result;
}

relabelled_image relabelled_everywhere(const image_view& labels, const relabel_options& options,
                                       dtype type = dtype::u32, layout arrangement = layout::dense) {
  const relabelled_image want = relabelled(each_engine().front().on, labels, options, type, arrangement);
  ask_every_engine([&](engine& on) { EXPECT_EQ(relabelled(on, labels, options, type, arrangement), want); });
  return want;
}

std::vector<std::uint64_t> remapped(engine& on, const image_view& labels, const label_map& map, dtype type,
                                    layout arrangement) {
  const placed_image out(type, labels.size, arrangement);
  remap(on, labels, map, out.target());
  EXPECT_TRUE(out.surroundings_untouched());
  return out.values();
}

std::vector<std::uint64_t> remapped_everywhere(const image_view& labels, const label_map& map, dtype type = dtype::u32,
                                               layout arrangement = layout::dense) {
  const std::vector<std::uint64_t> want = remapped(each_engine().front().on, labels, map, type, arrangement);
  ask_every_engine([&](engine& on) { EXPECT_EQ(remapped(on, labels, map, type, arrangement), want); });
  return want;
}

using labels64 = std::vector<std::uint64_t>;

TEST(relabel, numbers_regions_by_first_pixels_or_by_labels) {
  const std::vector<i32> labels = {9, 9, 0, -1, 2, 9, 5, 5};
  const image_view image(labels.data(), {2, 4});
  relabelled_image got = relabelled_everywhere(image, {});
  EXPECT_EQ(got.originals, (labels64{9, 2, 5}));
  EXPECT_EQ(got.labels, (labels64{1, 1, 0, 0, 2, 1, 3, 3}));
  got = relabelled_everywhere(image, {.order = region_order::ascending});
  EXPECT_EQ(got.originals, (labels64{2, 5, 9}));
  EXPECT_EQ(got.labels, (labels64{3, 3, 0, 0, 1, 3, 2, 2}));
  got = relabelled_everywhere(image, {background::none(), region_order::ascending});
  EXPECT_EQ(got.originals, (labels64{~u64{0}, 0, 2, 5, 9}));
  EXPECT_EQ(got.labels, (labels64{5, 5, 2, 1, 3, 5, 4, 4}));
  got = relabelled_everywhere(image, {.background = background::equal_to(9)}, dtype::i16);
  EXPECT_EQ(got.labels, (labels64{0, 0, 1, 2, 3, 0, 4, 4}));
}

TEST(relabel, of_every_type_layout_and_size) {
  std::uint32_t seed = 0;
  for (const dtype type : given_types)
    for (const layout arrangement : all_layouts)
      for (const extent& size :
           {extent(7, 70), extent(3, 4, 5), extent(1, 1), extent(66, 1), extent(0, 5), extent(2, 0)}) {
        ++seed;
        SCOPED_TRACE(std::string(name_of(type)) + ", " + name_of(arrangement) + ", " + std::to_string(seed));
        const placed_image labels(type, size, arrangement, random_values(edge_values(type), size, 1 + seed % 3, seed));
        const dtype of_out = given_types[1 + seed % 8];  // but booleans
        const layout out = all_layouts[seed % std::size(all_layouts)];
        const background rule = seed % 2 == 0 ? background::none() : background();
        relabelled_everywhere(labels.view(), {rule, seed % 5 < 2 ? region_order::ascending : region_order::first_pixel},
                              of_out, out);
        remapped_everywhere(labels.view(), {{0, 1, ~u64{0}}, {3, 4, 5}, unnamed_labels::zero}, of_out, out);
        ASSERT_FALSE(HasFailure());
      }
}

TEST(relabel, of_many_labels) {
  std::mt19937_64 random(1);
  const extent size(60, 200);
  std::vector<i64> labels;
  for (i64 i = 0; i < size.pixels(); ++i)
    labels.push_back(i % 3 == 0 ? static_cast<i64>(random() % 900) : static_cast<i64>(random() % 99) * -(i64{1} << 50));
  for (const region_order order : {region_order::first_pixel, region_order::ascending})
    EXPECT_GT(relabelled_everywhere(image_view(labels.data(), size), {background::none(), order}).originals.size(),
              900u);
}

TEST(relabel, in_the_same_memory) {
  for (const layout arrangement : all_layouts) {
    SCOPED_TRACE(name_of(arrangement));
    const extent size(9, 70);
    const std::vector<double> values = random_values({0, 3, 7, 8, 200}, size, 2, 5);
    ask_every_engine([&](engine& on) {
      const placed_image labels(dtype::u16, size, arrangement, values);
      const relabelled_image want = relabelled(on, labels.view(), {}, dtype::u16, layout::dense);
      EXPECT_EQ(relabel(on, labels.view(), {}, labels.target()), want.originals);
      EXPECT_EQ(labels.values(), want.labels);
      EXPECT_TRUE(labels.surroundings_untouched());
    });
  }
}

TEST(relabel, has_a_profile_of_its_own) {
  const std::vector<std::uint32_t> labels(1 << 20, 7);
  std::vector<std::uint32_t> out(labels.size());
  engine on = engine::cpu(2);
  on.set_profiling(true);
  EXPECT_EQ(relabel(on, image_view(labels.data(), {1024, 1024}), {}, {out.data(), {1024, 1024}}).size(), 1U);
  EXPECT_GT(on.last_profile().milliseconds[4], 0);  // measure
  EXPECT_GT(on.last_profile().milliseconds[5], 0);  // emit
}

TEST(relabel, refuses_what_does_not_fit) {
  std::vector<u16> labels(300);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<u16>(2 * i + 1);
  const image_view image(labels.data(), {3, 100});
  std::vector<u8> out(300, 77);
  const auto refusal = [&](const image_view& given, const mutable_image& to) -> std::string {
    try {
      relabel(each_engine()[1].on, given, {}, to);
    } catch (const invalid_argument& error) {
      EXPECT_EQ(std::count(out.begin(), out.end(), 77), 300);
      return error.what();
    }
    return "nothing was refused";
  };
  ask_every_engine([&](engine& on) {
    EXPECT_THROW(relabel(on, image, {}, mutable_image(out.data(), {3, 100})), label_overflow);
  });
  EXPECT_EQ(refusal(image, mutable_image(out.data(), {3, 100})),
            "out: 300 regions do not fit uint8, which ends at 255; give a wider type");
  EXPECT_EQ(refusal(image, mutable_image(out.data(), {100, 3})),
            "out: size 100 x 3 is not that of the labels, 3 x 100");
  EXPECT_EQ(refusal(image, mutable_image(out.data(), dtype::f32, {3, 100})),
            "out: dtype float32 is not an integer of 8, 16, 32 or 64 bits");
  EXPECT_EQ(refusal(image, mutable_image(labels.data(), dtype::u8, {3, 100})),
            "out: memory overlaps that of the labels");
  EXPECT_EQ(refusal(image, mutable_image(out.data(), dtype::u8, {3, 100}, {0, 50, 1})),
            "out: strides make pixels overlap each other");
}

TEST(remap, looks_labels_up) {
  const std::vector<i32> labels = {9, 9, 0, -1, 2, 9, 5, 5};
  const image_view image(labels.data(), {2, 4});
  const label_bits minus_one = ~u64{0};
  label_map map{{9, minus_one, 2}, {1, 7, 1}, unnamed_labels::zero};
  EXPECT_EQ(remapped_everywhere(image, map), (labels64{1, 1, 0, 7, 1, 1, 0, 0}));
  map.unnamed = unnamed_labels::keep;
  EXPECT_EQ(remapped_everywhere(image, map), (labels64{1, 1, 0, 7, 1, 1, 5, 5}));
  map.from.push_back(0);
  map.to.push_back(3);
  EXPECT_EQ(remapped_everywhere(image, map, dtype::i64, layout::transposed), (labels64{1, 1, 3, 7, 1, 1, 5, 5}));
  EXPECT_EQ(remapped_everywhere(image, {{}, {}, unnamed_labels::zero}), labels64(8, 0));
}

TEST(remap, refuses_what_is_not_named_or_does_not_fit) {
  const std::vector<i32> labels = {9, 0, -3, 300};
  const image_view image(labels.data(), {2, 2});
  std::vector<u8> out(4, 77);
  const auto refusal = [&](const label_map& map) -> std::string {
    std::string text;
    ask_every_engine([&](engine& on) {
      try {
        remap(on, image, map, mutable_image(out.data(), {2, 2}));
        text = "nothing was refused";
      } catch (const invalid_argument& error) {
        text = error.what();
        EXPECT_EQ(std::count(out.begin(), out.end(), 77), 4);
      }
    });
    return text;
  };
  EXPECT_EQ(refusal({{9, 300}, {1, 2}}),
            "map: label -3 of the image is not named; name it, or choose to keep such labels or to make them 0");
  EXPECT_EQ(refusal({{9, static_cast<label_bits>(-3)}, {1, 2}, unnamed_labels::keep}),
            "map: label 300 is kept and does not fit uint8");
  EXPECT_EQ(refusal({{9}, {256}, unnamed_labels::zero}), "map: label 256 does not fit uint8");
  EXPECT_EQ(refusal({{9, 4, 9}, {1, 2, 3}, unnamed_labels::zero}), "map: label 9 is named twice");
  EXPECT_EQ(refusal({{9, 4}, {1}, unnamed_labels::zero}), "map: 2 labels are given 1 new ones");
  EXPECT_EQ(refusal({{}, {}, static_cast<unnamed_labels>(9)}), "map: unknown rule for labels that are not named");
  EXPECT_EQ(refusal({{9, 300, static_cast<label_bits>(-3)}, {1, 2, 255}}), "nothing was refused");
  EXPECT_EQ(out, (std::vector<u8>{1, 0, 255, 2}));
}

// Asked to stop at any moment.
TEST(relabel, labels_in_place_are_not_left_half_written) {
  const extent size(600, 700);
  std::vector<std::int32_t> labels(static_cast<std::size_t>(size.pixels()));
  std::iota(labels.begin(), labels.end(), 1);
  const std::vector<std::int32_t> old = labels;
  label_map turned;
  for (const std::int32_t label : labels) {
    turned.from.push_back(static_cast<label_bits>(label));
    turned.to.push_back(static_cast<label_bits>(labels.size() + 1) - turned.from.back());
  }
  std::vector<std::int32_t> renamed(labels.size());
  engine on = engine::cpu(2);
  remap(on, {labels.data(), size}, turned, {renamed.data(), size});
  int stopped = 0;
  for (int k = 0; k < 60; ++k) {
    labels = old;
    std::stop_source source;
    on.set_stop_token(source.get_token());
    const std::jthread asker([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(500 * k));
      source.request_stop();
    });
    try {
      remap(on, {labels.data(), size}, turned, {labels.data(), size});
      EXPECT_EQ(labels, renamed);
    } catch (const cancelled&) {
      EXPECT_EQ(labels, old);
      ++stopped;
    }
    ASSERT_FALSE(HasFailure()) << k;
  }
  on.set_stop_token({});
  EXPECT_GT(stopped, 0);
}

}  // namespace
}  // namespace skerry::test
