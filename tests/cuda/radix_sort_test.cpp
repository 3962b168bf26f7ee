// SPDX-License-Identifier: Apache-2.0
// The sort of the CUDA engine, next to that of the standard library.
#include <algorithm>
#include <functional>
#include <random>

#include "cuda/device_image.hpp"
#include "cuda/device_sort.hpp"

namespace skerry::test {
namespace {

using pairs = std::vector<key_and_value>;

// Keys by number; values are numbers, so that pairs that have changed places are seen.
pairs numbered(std::uint32_t count, const std::function<std::uint32_t(std::uint32_t i)>& key) {
  pairs made;
  for (std::uint32_t i = 0; i < count; ++i) made.push_back({key(i), i});
  return made;
}

struct kind_of_keys {
  const char* name;
  std::function<pairs(std::uint32_t count)> make;
};

std::vector<kind_of_keys> kinds_of_keys() {
  const auto drawn = [](std::uint32_t count, std::uint32_t mask) {
    std::mt19937 random(count);
    return numbered(count, [&](std::uint32_t) { return static_cast<std::uint32_t>(random()) & mask; });
  };
  return {
      {"random", [=](std::uint32_t count) { return drawn(count, ~0u); }},
      {"two values", [=](std::uint32_t count) { return drawn(count, 0x01010101u); }},
      {"few in each digit", [=](std::uint32_t count) { return drawn(count, 0x11030f07u); }},
      {"zero", [](std::uint32_t count) { return numbered(count, [](std::uint32_t) { return 0u; }); }},
      {"all bits", [](std::uint32_t count) { return numbered(count, [](std::uint32_t) { return ~0u; }); }},
      {"ascending", [](std::uint32_t count) { return numbered(count, [](std::uint32_t i) { return i * 1009u; }); }},
      {"descending", [](std::uint32_t count) { return numbered(count, [](std::uint32_t i) { return ~(i * 3u); }); }},
      {"one in each digit",
       [](std::uint32_t count) { return numbered(count, [](std::uint32_t i) { return i % 256 * 0x01010101u; }); }},
  };
}

void expect_sorted(const pairs& given, std::uint32_t digits) {
  const std::uint32_t mask = digits == 4 ? ~0u : (1u << 8 * digits) - 1;
  pairs want = given;
  std::stable_sort(want.begin(), want.end(),
                   [mask](const key_and_value& a, const key_and_value& b) { return (a.key & mask) < (b.key & mask); });
  EXPECT_TRUE(sorted_on_device(given, digits) == want) << digits << " digits";
  if (digits % 2 != 0) return;
  std::vector<std::uint32_t> values;
  for (const key_and_value& pair : want) values.push_back(pair.value);
  pairs masked = given;
  for (key_and_value& pair : masked) pair.key &= mask;
  EXPECT_TRUE(values_sorted_on_device(masked, 8 * static_cast<int>(digits)) == values) << digits << " digits, no keys";
}

void expect_all_kinds_sorted(std::uint32_t count) {
  for (const kind_of_keys& kind : kinds_of_keys())
    for (std::uint32_t digits = 1; digits <= 4; ++digits) {
      SCOPED_TRACE(testing::Message() << count << " pairs, " << kind.name);
      expect_sorted(kind.make(count), digits);
      if (testing::Test::HasFailure()) return;
    }
}

TEST(cuda_tree_sort, pairs_of_one_warp_or_two) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const std::uint32_t count : {1u, 2u, 31u, 32u, 33u, 65u}) expect_all_kinds_sorted(count);
}

TEST(cuda_tree_sort, pairs_of_one_tile_or_two) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const std::uint32_t tile = items_of_sort_tile();
  for (const std::uint32_t count : {tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1}) expect_all_kinds_sorted(count);
}

// Few enough for tools that look at every access.
TEST(cuda_tree_sort, random_pairs_of_three_tiles) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const std::uint32_t count = 2 * items_of_sort_tile() + 100;
  for (const std::uint32_t digits : {3u, 4u}) expect_sorted(kinds_of_keys()[0].make(count), digits);
}

TEST(cuda_tree_sort, pairs_of_many_tiles) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const std::uint32_t count : {37 * items_of_sort_tile() - 5, 1'500'003u}) expect_all_kinds_sorted(count);
}

}  // namespace
}  // namespace skerry::test
