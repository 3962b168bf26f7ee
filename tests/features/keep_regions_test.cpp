// SPDX-License-Identifier: Apache-2.0
// Regions chosen by their columns, on every engine.
#include <gtest/gtest.h>

#include <cmath>

#include "core/portable.hpp"
#include "regions/given.hpp"
#include "skerry/columns.hpp"
#include "skerry/error.hpp"
#include "support/mask.hpp"
#include "support/refusal.hpp"

namespace skerry::test {
namespace {

struct kept {
  std::vector<label_bits> labels;
  std::vector<i64> pixels;
};

kept keep(engine& on, std::vector<i64> labels, const extent& size, const std::vector<column_bounds>& bounds,
          const column_request& asked = {}) {
  kept answer;
  const mutable_image out(labels.data(), size);
  answer.labels = keep_regions(on, image_view(labels.data(), size), bounds, asked, out);
  answer.pixels = labels;
  return answer;
}

TEST(keep_regions, within_bounds_of_several_columns) {
  const std::vector<i64> labels = {7, 7, 0, 3,  //
                                   7, 7, 0, 3,  //
                                   0, 0, 0, 3,  //
                                   9, 0, 9, -4};
  ask_each_engine([&](engine& on) {
    kept got = keep(on, labels, {4, 4}, {{.column = "area", .least = 3, .most = 4}});
    EXPECT_EQ(got.labels, (std::vector<label_bits>{3, 7}));
    EXPECT_EQ(got.pixels, (std::vector<i64>{7, 7, 0, 3, 7, 7, 0, 3, 0, 0, 0, 3, 0, 0, 0, 0}));
    got = keep(on, labels, {4, 4}, {{.column = "area", .least = 2}, {.column = "bbox-1", .most = 0}});
    EXPECT_EQ(got.labels, (std::vector<label_bits>{7, 9}));
    got = keep(on, labels, {4, 4}, {{.column = "extent", .most = 0.7}});
    EXPECT_EQ(got.labels, (std::vector<label_bits>{9}));
    EXPECT_EQ(keep(on, labels, {4, 4}, {}).labels, (std::vector<label_bits>{3, 7, 9}));
    EXPECT_EQ(keep(on, labels, {4, 4}, {}, {.index = {{9}}}).labels, (std::vector<label_bits>{3, 7, 9}));  // not used
    EXPECT_TRUE(keep(on, labels, {4, 4}, {{.column = "area", .least = 5}}).labels.empty());
    got = keep(on, labels, {4, 4}, {{.column = "area", .most = 1}}, {.background = background::equal_to(0)});
    EXPECT_EQ(got.labels, (std::vector<label_bits>{static_cast<label_bits>(i64{-4})}));
    EXPECT_EQ(got.pixels.back(), -4);
  });
}

TEST(keep_regions, by_intensities) {
  const std::vector<i64> labels = {1, 1, 2, 2, 3};
  const std::vector<float> grey = {1, 3, 5, NAN, 9};
  ask_each_engine([&](engine& on) {
    const column_request asked{.intensity = image_view(grey.data(), extent(1, 5))};
    EXPECT_EQ(keep(on, labels, {1, 5}, {{.column = "intensity_mean", .least = 2}}, asked).pixels,
              (std::vector<i64>{1, 1, 0, 0, 3}));
  });
}

TEST(keep_regions, refuses_columns_that_are_several_or_none) {
  ask_each_engine([&](engine& on) {
    for (const auto& [column, message] :
         {std::pair("bbox", "bounds: 'bbox' is several columns; give one, such as 'bbox-0'"),
          std::pair("basic", "bounds: 'basic' is a group; name one column"),
          std::pair("all", "bounds: 'all' is a group; name one column"),
          std::pair(
              "aera",
              "columns: there is no column or group 'aera'; docs/columns.md lists columns, column_groups() groups")}) {
      try {
        keep(on, {1}, {1, 1}, {{.column = column}});
        ADD_FAILURE() << column;
      } catch (const invalid_argument& error) {
        EXPECT_STREQ(error.what(), message);
      }
    }
  });
}

TEST(keep_regions, compares_labels_of_64_bits_exactly) {
  const u64 last = ~u64{0}, large = u64{1} << 53;
  const std::vector<u64> labels = {last, last, large, large + 1, 3, 0};
  const extent size(2, 3);
  ask_each_engine([&](engine& on) {
    const auto kept = [&](double least, double most) {
      std::vector<u64> out(labels.size());
      return keep_regions(on, image_view(labels.data(), size), {{"label", least, most}}, {},
                          mutable_image(out.data(), size));
    };
    const double none = std::numeric_limits<double>::infinity();
    EXPECT_EQ(kept(1, none), (std::vector<u64>{3, large, large + 1, last}));
    EXPECT_EQ(kept(-none, 10), (std::vector<u64>{3}));
    EXPECT_EQ(kept(-none, 0x1p53), (std::vector<u64>{3, large}));
    EXPECT_EQ(kept(0x1p53 + 2, 0x1p64), (std::vector<u64>{last}));
    EXPECT_EQ(kept(3.5, 0x1p63), (std::vector<u64>{large, large + 1}));
    EXPECT_EQ(kept(0x1p64, none), (std::vector<u64>{}));
    EXPECT_EQ(kept(-none, -0x1p63), (std::vector<u64>{}));
    EXPECT_EQ(
        keep(on, {-5, -5, 4, INT64_MIN}, {1, 4}, {{"label", -0x1p63, 3}}, {.background = background::none()}).pixels,
        (std::vector<i64>{-5, -5, 0, INT64_MIN}));
  });
}

TEST(keep_regions, names_the_place_that_labels_do_not_fit) {
  const std::vector<u32> labels = {70000, 3};
  std::vector<u16> out(2, 9);
  ask_each_engine([&](engine& on) {
    EXPECT_EQ(refusal([&] {
                keep_regions(on, image_view(labels.data(), extent(1, 2)), {}, {},
                             mutable_image(out.data(), extent(1, 2)));
              }),
              "out: label 70000 does not fit uint16");
    EXPECT_EQ(out, (std::vector<u16>{9, 9}));
  });
}

TEST(keep_regions, refuses_bounds_that_hold_nothing) {
  ask_each_engine([&](engine& on) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const column_bounds& bounds :
         {column_bounds{"area", 5, 1}, column_bounds{"area", nan}, column_bounds{"area", 0, nan}})
      try {
        keep(on, {1}, {1, 1}, {bounds});
        ADD_FAILURE() << bounds.least << " to " << bounds.most;
      } catch (const invalid_argument& error) {
        EXPECT_TRUE(std::string_view(error.what()).starts_with("bounds: area from ")) << error.what();
      }
    EXPECT_EQ(keep(on, {1, 1, 2}, {1, 3}, {{"area", 2, 2}}).pixels, (std::vector<i64>{1, 1, 0}));
  });
}

}  // namespace
}  // namespace skerry::test
