// SPDX-License-Identifier: Apache-2.0
// Sums of intensities have the same bits on every engine, for any thread count.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

void expect_measured_everywhere(const mask& image, const image_view& intensity, const selection& keep = {}) {
  for (const int connectivity : connectivities_of(image.size))
    expect_everywhere({.image = image.view(),
                       .options = with_connectivity(connectivity, {}, keep),
                       .features = {.moments = true, .intensity = intensity}});
}

TEST(label_intensity, each_type_and_layout) {
  std::uint32_t seed = 0;
  for (const extent& size : {extent(20, 70), extent(3, 7, 33)})
    for (const dtype type : intensity_types)
      for (const layout arrangement : all_layouts) {
        SCOPED_TRACE(std::string(name_of(type)) + ", " + name_of(arrangement));
        const placed_image values(type, size, arrangement, random_values(edge_values(type), size, 1, ++seed));
        expect_measured_everywhere(random_mask(size, 2, 40, seed), values.view());
      }
}

TEST(label_intensity, floats_of_every_magnitude) {
  std::mt19937_64 draw(1);
  const extent size(64, 65);
  std::vector<double> values(static_cast<std::size_t>(size.pixels()));
  for (const int largest_exponent : {1023, 100, 0, -900, -1060}) {
    std::uniform_real_distribution<double> mantissa(-1, 1);
    std::uniform_int_distribution<int> exponent(std::max(-1074, largest_exponent - 80), largest_exponent);
    for (double& value : values) value = std::ldexp(mantissa(draw), exponent(draw));
    expect_measured_everywhere(random_mask(size, 1, 55, 2), {values.data(), size});
  }
}

// Doubles whose rounding in another order or precision would show in the last bit.
TEST(label_intensity, rounding) {
  std::mt19937_64 draw(2);
  const extent size(100, 100);
  std::vector<double> values(static_cast<std::size_t>(size.pixels()));
  std::normal_distribution<double> normal(1000, 3);
  for (double& value : values) value = normal(draw);
  expect_measured_everywhere(random_mask(size, 4, 60, 3), {values.data(), size});
  for (double& value : values) value = std::ldexp(static_cast<double>(draw() % 8), -63);
  values[5050] = 1;
  expect_measured_everywhere(random_mask(size, 1, 100, 3), {values.data(), size});
}

// What is elsewhere in the image changes no bit of a row, whether it is kept or not.
TEST(label_intensity, a_row_follows_from_its_component_alone) {
  const extent size(40, 61);
  const mask image = random_mask(size, 2, 30, 7);
  const question asked = {.image = image.view(), .options = with_connectivity(8)};
  const std::vector<std::uint64_t> labels = expected_answer(asked).labels;
  std::mt19937_64 draw(3);
  std::normal_distribution<float> normal(5, 2);
  std::vector<float> values(labels.size());
  for (float& value : values) value = normal(draw);
  std::vector<float> beside = values;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] % 2 == 0) beside[i] = labels[i] % 4 == 0 ? -3.4e38F : 1e-40F;
  for (const selection& keep : {selection{}, selection{.min_area = 3}}) {
    const label_options options = with_connectivity(8, {}, keep);
    const auto rows_of = [&](engine& on, const std::vector<float>& from) {
      feature_table table;
      measure(on, image.view(), options, {.intensity = {from.data(), size}}, table);
      return table.real_intensities;
    };
    for (named_engine& each : each_engine()) {
      const auto rows = rows_of(each.on, values), rows_beside = rows_of(each.on, beside);
      ASSERT_EQ(rows.size(), rows_beside.size());
      std::size_t same = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) same += rows[i] == rows_beside[i] ? 1 : 0;
      EXPECT_GE(same, rows.size() / 3) << each.name;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool changed = rows_beside[i].min < -3e38 || rows_beside[i].max < 1e-30;
        EXPECT_TRUE(changed || rows[i] == rows_beside[i]) << each.name << ", row " << i;
      }
    }
    expect_measured_everywhere(image, {beside.data(), size}, keep);
  }
}

TEST(label_intensity, nothing_finite_and_nothing_at_all) {
  const extent size(12, 70);
  const mask image = random_mask(size, 2, 50, 5);
  for (const std::vector<double>& choices :
       {std::vector<double>{std::nan("")},
        {0.0, -0.0},
        {-0.0},
        {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}}) {
    const std::vector<double> values = random_values(choices, size, 1, 1);
    expect_measured_everywhere(image, {values.data(), size});
    expect_measured_everywhere(image, {values.data(), size}, {.min_area = 1000000});
    expect_measured_everywhere(empty_mask(size), {values.data(), size});
  }
}

TEST(label_intensity, the_image_itself) {
  const extent size(50, 70);
  const placed_image image(dtype::f32, size, layout::padded_rows, random_values(edge_values(dtype::f32), size, 2, 9));
  for (const foreground rule : {foreground::above(0), foreground::within(-3, 3), foreground::nonzero()})
    expect_everywhere(
        {.image = image.view(), .options = with_connectivity(8, rule), .features = {.intensity = image.view()}});
}

TEST(label_intensity, strides_of_zero) {
  const double one_value = 0.1;
  const mask image = random_mask(extent(30, 40), 1, 50, 6);
  expect_measured_everywhere(image, image_view(&one_value, dtype::f64, image.size, {0, 0, 0}));
}

}  // namespace
}  // namespace skerry::test
