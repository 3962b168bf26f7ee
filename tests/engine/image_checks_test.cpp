// SPDX-License-Identifier: Apache-2.0
// Pixel types, and what every call asks of the images it is given.
#include "engine/image_checks.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <string>

#include "skerry/error.hpp"

namespace skerry::test {
namespace {

struct known_type {
  dtype type;
  std::size_t bytes;
  const char* name;
};

// In the order of the enumerators: no value of an earlier version has changed.
constexpr known_type known_types[] = {
    {dtype::bit, 0, "bit"},     {dtype::boolean, 1, "bool"}, {dtype::u8, 1, "uint8"},  {dtype::u16, 2, "uint16"},
    {dtype::u32, 4, "uint32"},  {dtype::u64, 8, "uint64"},   {dtype::i16, 2, "int16"}, {dtype::i32, 4, "int32"},
    {dtype::f32, 4, "float32"}, {dtype::f64, 8, "float64"},  {dtype::i8, 1, "int8"},   {dtype::i64, 8, "int64"},
    {dtype::f16, 2, "float16"},
};

TEST(dtype, has_a_size_and_numpys_name) {
  int number = 0;
  for (const known_type& known : known_types) {
    SCOPED_TRACE(known.name);
    EXPECT_EQ(static_cast<int>(known.type), number++);
    EXPECT_EQ(size_of(known.type), known.bytes);
    EXPECT_STREQ(name_of(known.type), known.name);
    EXPECT_TRUE(is_known(known.type));
  }
  const auto next = static_cast<dtype>(number);
  EXPECT_FALSE(is_known(next));
  EXPECT_EQ(size_of(next), 0U);
  EXPECT_STREQ(name_of(next), "unknown");
}

template <class Pixel>
void expect_type(dtype type) {
  EXPECT_EQ(dtype_of_pixel<Pixel>::value, type);
  EXPECT_EQ(sizeof(Pixel), size_of(type));
  const Pixel pixels[6] = {};
  const image_view image(pixels, extent(2, 3));
  EXPECT_EQ(image.type, type);
  EXPECT_EQ(image.strides.y, static_cast<std::int64_t>(3 * sizeof(Pixel)));
}

TEST(dtype, follows_from_the_pixels_of_a_view) {
  expect_type<bool>(dtype::boolean);
  expect_type<std::uint8_t>(dtype::u8);
  expect_type<std::uint16_t>(dtype::u16);
  expect_type<std::uint32_t>(dtype::u32);
  expect_type<std::uint64_t>(dtype::u64);
  expect_type<std::int8_t>(dtype::i8);
  expect_type<std::int16_t>(dtype::i16);
  expect_type<std::int32_t>(dtype::i32);
  expect_type<std::int64_t>(dtype::i64);
  expect_type<float16_bits>(dtype::f16);
  expect_type<float>(dtype::f32);
  expect_type<double>(dtype::f64);
}

TEST(image_checks, at_most_2_to_the_40_pixels) {
  EXPECT_NO_THROW(check_extent("image", extent(1 << 20, 1 << 20)));
  EXPECT_NO_THROW(check_extent("image", extent(1 << 10, 1 << 10, 1 << 20)));
  EXPECT_THROW(check_extent("image", extent(1 << 20, (1 << 20) + 1)), invalid_argument);
  EXPECT_THROW(check_extent("image", extent((1 << 10) + 1, 1 << 10, 1 << 20)), invalid_argument);
}

// The message of a refusal, or nothing.
std::string refusal_of_labels_at(std::byte* labels, const image_view& image) {
  try {
    check_apart("labels", {labels, dtype::u8, extent(1, 1)}, image);
  } catch (const invalid_argument& error) {
    return error.what();
  }
  return {};
}

// Labels of one byte in front of, in and behind the bytes of an image, each byte of which counts.
void expect_apart(const image_view& image, const std::byte* first, std::int64_t bytes) {
  std::byte memory[64];
  ASSERT_LE(bytes + 2, std::ssize(memory));
  image_view moved = image;
  moved.data = memory + 1 + (static_cast<const std::byte*>(image.data) - first);
  EXPECT_EQ(refusal_of_labels_at(memory, moved), "");
  for (std::int64_t k = 1; k <= bytes; ++k)
    EXPECT_EQ(refusal_of_labels_at(memory + k, moved), "labels: memory overlaps that of the image") << "byte " << k;
  EXPECT_EQ(refusal_of_labels_at(memory + bytes + 1, moved), "");
}

TEST(image_checks, labels_overlap_no_byte_of_the_image) {
  const std::byte memory[64] = {};
  for (const std::int64_t width : {1, 4, 7, 8, 9, 16, 17}) {
    SCOPED_TRACE(width);
    const std::int64_t row = (width + 7) / 8;
    expect_apart({memory, dtype::bit, extent(1, width)}, memory, row);
    expect_apart({memory, dtype::bit, extent(3, width)}, memory, 3 * row);
    expect_apart({memory + 2 * row, dtype::bit, extent(3, width), {0, -row, 0}}, memory, 3 * row);
    expect_apart({memory, dtype::bit, extent(2, 2, width)}, memory, 4 * row);
  }
  expect_apart({memory, dtype::u8, extent(1, 4)}, memory, 4);
  expect_apart({memory, dtype::f16, extent(2, 3)}, memory, 12);
  expect_apart({memory + 8, dtype::i64, extent(1, 2), {0, 0, -8}}, memory, 16);
}

}  // namespace
}  // namespace skerry::test
