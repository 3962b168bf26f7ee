// SPDX-License-Identifier: Apache-2.0
// Regions chosen by their columns, on every engine.
#include <gtest/gtest.h>

#include <cmath>

#include "core/portable.hpp"
#include "regions/given.hpp"
#include "skerry/columns.hpp"
#include "skerry/error.hpp"
#include "support/mask.hpp"

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
