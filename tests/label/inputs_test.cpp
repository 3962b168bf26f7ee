// SPDX-License-Identifier: Apache-2.0
// Every pixel type, foreground rule, stride pattern and instruction set.
#include <gtest/gtest.h>

#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

// Code is compiled for each instruction set where pixels are packed, where runs of rows are united and their edges noted,
// and where labels are written (stages 1, 2 and 6): types and rules, neighbourhoods, and widths.
void expect_with_each_instruction_set(engine& on, const question& asked) {
  const reference::answer want = expected_answer(asked);
  with_each_instruction_set([&](const std::string& name) {
    SCOPED_TRACE(name);
    expect_measured(on, asked, want);
  });
}

TEST(label_inputs, each_type_and_rule) {
  engine& one = each_engine()[1].on;
  std::uint32_t seed = 0;
  for (const dtype type : image_types)
    for (const foreground& rule : edge_rules(type))
      for (const layout arrangement : {layout::dense, layout::every_second_pixel}) {
        const extent size(3, 130 + ++seed % 7);
        const placed_image image(type, size, arrangement, random_values(edge_values(type), size, 1 + seed % 2, seed));
        SCOPED_TRACE(name_of(arrangement));
        expect_with_each_instruction_set(one, {.image = image.view(), .options = with_connectivity(8, rule)});
        ASSERT_FALSE(HasFailure());
      }
}

TEST(label_inputs, each_width) {
  engine& one = each_engine()[1].on;
  for (const dtype type : image_types)
    for (std::int64_t width = 1; width <= 200; ++width) {
      const extent size(2, width);
      const auto seed = static_cast<std::uint32_t>(width);
      const placed_image image(type, size, layout::dense, random_values(edge_values(type), size, 1, seed));
      const foreground rule = width % 2 == 0 ? foreground::nonzero() : foreground::at_least(1);
      expect_with_each_instruction_set(one, {.image = image.view(), .options = with_connectivity(4, rule)});
      ASSERT_FALSE(HasFailure());
    }
}

// Rows of every second pixel are packed 512 pixels at a time, the rest word by word, also where steps are wider.
TEST(label_inputs, wide_rows_of_spaced_pixels) {
  engine& one = each_engine()[1].on;
  for (const dtype type : image_types)
    for (const std::int64_t width : {511, 512, 513, 576, 1023, 1025, 1100}) {
      if (type == dtype::bit) continue;
      const extent size(2, width);
      const auto seed = static_cast<std::uint32_t>(width);
      const placed_image image(type, size, layout::every_second_pixel, random_values(edge_values(type), size, 1, seed));
      expect_with_each_instruction_set(
          one, {.image = image.view(), .options = with_connectivity(8, foreground::at_least(1))});
      ASSERT_FALSE(HasFailure());
    }
  for (const std::int64_t step : {2, 3, 4, 5})
    for (const std::int64_t width : {63, 64, 65, 200}) {
      std::vector<std::uint8_t> bytes(static_cast<std::size_t>(2 * width * step));
      for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * i % 5 % 2);
      const image_view image(bytes.data(), dtype::u8, extent(2, width), {0, width * step, step});
      expect_with_each_instruction_set(one, {.image = image, .options = with_connectivity(8)});
    }
}

TEST(label_inputs, each_layout) {
  std::uint32_t seed = 0;
  for (const dtype type : image_types)
    for (const layout arrangement : all_layouts)
      for (const extent& size : {extent(37, 75), extent(6, 7, 67), extent(1, 64), extent(70, 1), extent(2, 1, 130)})
        for (const int connectivity : connectivities_of(size)) {
          SCOPED_TRACE(name_of(arrangement));
          const placed_image image(type, size, arrangement, random_values(edge_values(type), size, 1, ++seed));
          expect_everywhere({.image = image.view(),
                             .options = with_connectivity(connectivity, foreground::above(0.5)),
                             .label_type = label_types[seed % 4 == 0 ? 3 : 2]});
          ASSERT_FALSE(HasFailure());
        }
}

// Rows, slices or all pixels may be the same memory.
TEST(label_inputs, strides_of_zero) {
  const std::vector<float> row = {0, 1, 1, 0, 2, 0, 0, 3, 3, 3};
  const extent size(4, 6, 10);
  for (const byte_strides& strides :
       {byte_strides{0, 0, 4}, byte_strides{4, 0, 0}, byte_strides{0, 4, 0}, byte_strides{0, 0, 0}})
    for (const int connectivity : {6, 18, 26})
      expect_everywhere(
          {.image = image_view(row.data(), dtype::f32, size, strides), .options = with_connectivity(connectivity)});
  const std::vector<std::uint8_t> bits = {0b0110'1011, 0b0000'0010};
  expect_everywhere(
      {.image = image_view(bits.data(), dtype::bit, extent(9, 10), {0, 0, 0}), .options = with_connectivity(8)});
}

TEST(label_inputs, each_neighbourhood) {
  std::uint32_t seed = 0;
  for (const extent& size : {extent(9, 70), extent(40, 193), extent(3, 5, 67), extent(7, 6, 130), extent(4, 30, 20)})
    for (const int connectivity : connectivities_of(size))
      for (const int percent : {5, 30, 60, 90})
        for (const std::size_t which : {1, 3}) {  // alone, and strips of a few rows
          ++seed;
          const mask image = random_mask(size, 1 + static_cast<int>(seed % 3), percent, seed);
          SCOPED_TRACE(each_engine()[which].name);
          expect_with_each_instruction_set(
              each_engine()[which].on,
              {.image = image.view(), .options = with_connectivity(connectivity), .features = {.moments = true}});
          ASSERT_FALSE(HasFailure());
        }
}

// Edges of runs have 32 bits there.
TEST(label_inputs, rows_wider_than_65535) {
  std::uint32_t seed = 0;
  for (const extent& size : {extent(3, 65536), extent(2, 70001), extent(2, 2, 65599)})
    for (const int connectivity : connectivities_of(size))
      for (const int grain : {1, 9}) {
        const mask image = random_mask(size, grain, 50, ++seed);
        expect_with_each_instruction_set(each_engine()[1].on,
                                         {.image = image.view(), .options = with_connectivity(connectivity)});
        ASSERT_FALSE(HasFailure());
      }
}

// The bits past the width are junk in every placed image; here they are all set and all clear.
TEST(label_inputs, bits_past_the_width_do_not_matter) {
  for (const std::int64_t width : {1, 7, 8, 9, 63, 64, 65, 127, 129})
    for (const std::uint8_t junk : {0x00, 0xff}) {
      const auto row_bytes = static_cast<std::size_t>((width + 7) / 8);
      std::vector<std::uint8_t> bytes(row_bytes * 3, junk);
      for (std::size_t row = 0; row < 3; ++row)
        for (std::int64_t x = 0; x < width; ++x) {
          std::uint8_t& eight = bytes[row * row_bytes + static_cast<std::size_t>(x / 8)];
          eight = static_cast<std::uint8_t>((eight & ~(1U << x % 8)) | (x % 3 != 0 ? 1U << x % 8 : 0U));
        }
      const image_view image(bytes.data(), dtype::bit, extent(3, width));
      for (const foreground rule :
           {foreground::nonzero(), foreground::within(0, 0), foreground::at_least(0), foreground::above(1)})
        expect_everywhere({.image = image, .options = with_connectivity(8, rule)});
    }
}

TEST(label_inputs, every_byte_value_and_threshold) {
  std::vector<double> all;
  for (int value = 0; value < 256; ++value) {
    all.push_back(value);
    all.push_back((value * 37) % 256);
  }
  const extent size(4, 128);
  const placed_image image(dtype::u8, size, layout::dense, all);
  for (int threshold = -1; threshold <= 256; ++threshold)
    for (const foreground rule : {foreground::above(threshold), foreground::at_least(threshold),
                                  foreground::within(threshold, threshold + 3), foreground::above(threshold + 0.5)})
      expect_with_each_instruction_set(each_engine()[1].on,
                                       {.image = image.view(), .options = with_connectivity(4, rule)});
}

}  // namespace
}  // namespace skerry::test
