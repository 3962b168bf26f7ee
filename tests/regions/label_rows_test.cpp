// SPDX-License-Identifier: Apache-2.0
// Rows of label images of every type and arrangement, and what is background in them.
#include "regions/label_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "regions/check.hpp"
#include "regions/given.hpp"
#include "skerry/error.hpp"
#include "support/placed_image.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

template <class Label>
void expect_rows(const placed_image& image, const std::vector<double>& want, i64 rows_kept) {
  const extent& size = image.view().size;
  regions::label_row_reader<Label> reader(image.view(), rows_kept);
  std::vector<const Label*> rows;
  for (i64 r = 0; r < size.rows(); ++r) {
    rows.push_back(reader.row(r));
    for (i64 kept = std::max<i64>(0, r - rows_kept + 1); kept <= r; ++kept)
      for (i64 x = 0; x < size.width; ++x)
        ASSERT_EQ(rows[static_cast<std::size_t>(kept)][x],
                  static_cast<Label>(want[static_cast<std::size_t>(kept * size.width + x)]));
  }
}

TEST(label_rows, are_the_same_of_every_layout) {
  std::uint32_t seed = 0;
  for (const dtype type : given_types)
    for (const layout arrangement : all_layouts)
      for (const extent& size : {extent(5, 7), extent(3, 2, 9), extent(1, 1), extent(4, 1), extent(0, 3), extent(3, 0)})
        for (const i64 rows_kept : {1, 2, 5}) {
          SCOPED_TRACE(std::string(name_of(type)) + " " + name_of(arrangement));
          std::vector<double> choices = edge_values(type);
          if (type == dtype::boolean) choices = {0, 1};
          const std::vector<double> values = random_values(choices, size, 1, ++seed);
          const placed_image image(type, size, arrangement, values);
          regions::with_label_type(
              type, [&]<class Label>(regions::label_type<Label>) { expect_rows<Label>(image, values, rows_kept); });
          ASSERT_FALSE(HasFatalFailure());
        }
}

TEST(label_rows, of_dense_images_are_read_in_place) {
  const std::vector<u32> labels(12, 3);
  regions::label_row_reader<u32> reader(image_view(labels.data(), {3, 4}));
  EXPECT_FALSE(reader.copies());
  EXPECT_EQ(reader.row(2), labels.data() + 8);
}

TEST(label_rows, have_booleans_that_are_0_or_1) {
  const u8 bytes[] = {0, 1, 2, 255};
  regions::label_row_reader<u8> reader(image_view(bytes, dtype::boolean, {1, 4}));
  const u8* const row = reader.row(0);
  EXPECT_EQ(std::vector<u8>(row, row + 4), (std::vector<u8>{0, 1, 1, 1}));
}

template <class Label>
std::vector<bool> tested(const background& rule, const std::vector<Label>& labels) {
  std::vector<bool> is_background;
  for (const Label label : labels) is_background.push_back(regions::background_test<Label>(rule)(label));
  return is_background;
}

TEST(background, is_zero_and_below_unless_chosen) {
  EXPECT_EQ(tested<i32>({}, {INT32_MIN, -1, 0, 1, INT32_MAX}), (std::vector<bool>{true, true, true, false, false}));
  EXPECT_EQ(tested<std::int8_t>({}, {-128, -1, 0, 1, 127}), (std::vector<bool>{true, true, true, false, false}));
  EXPECT_EQ(tested<i64>({}, {INT64_MIN, 0, INT64_MAX}), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(tested<u8>({}, {0, 1, 128, 255}), (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(tested<u64>({}, {0, 1, u64{1} << 63, ~u64{0}}), (std::vector<bool>{true, false, false, false}));
}

TEST(background, is_the_chosen_label_alone) {
  EXPECT_EQ(tested<i32>(background::equal_to(-1), {-2, -1, 0, 1}), (std::vector<bool>{false, true, false, false}));
  EXPECT_EQ(tested<u16>(background::equal_to(7), {0, 7, 8}), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(tested<u64>(background::equal_to(~u64{0}), {0, ~u64{0}}), (std::vector<bool>{false, true}));
  // The low bits of the label are those of 255 and of 0.
  EXPECT_EQ(tested<u8>(background::equal_to(-1), {0, 255}), (std::vector<bool>{false, false}));
  EXPECT_EQ(tested<u8>(background::equal_to(256), {0, 255}), (std::vector<bool>{false, false}));
}

TEST(background, is_nothing_if_that_is_asked_for) {
  EXPECT_EQ(tested<i32>(background::none(), {-1, 0, 1}), (std::vector<bool>{false, false, false}));
}

TEST(label_images, of_other_types_are_refused) {
  const std::vector<double> pixels(6);
  for (const dtype type : {dtype::bit, dtype::f16, dtype::f32, dtype::f64})
    EXPECT_THROW(regions::check_label_image("labels", image_view(pixels.data(), type, {2, 3})), invalid_argument);
  for (const dtype type : given_types) regions::check_label_image("labels", image_view(pixels.data(), type, {2, 3}));
  EXPECT_THROW(regions::check_label_image("labels", image_view(nullptr, dtype::u8, {2, 3})), invalid_argument);
}

}  // namespace
}  // namespace skerry::test
