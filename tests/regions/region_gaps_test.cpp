// SPDX-License-Identifier: Apache-2.0
// Holes as a device finds them, each gap by itself and in any order, next to columns of the CPU engine and of the reference.
#include "regions/region_gaps.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "core/union_find.hpp"
#include "regions/holed_images.hpp"
#include "skerry/columns.hpp"

namespace skerry::test {
namespace {

// Runs of all regions, those of a region side by side, and where each region begins.
struct runs_by_region {
  std::vector<regions::row_stretch> runs;
  std::vector<u64> firsts;
};

runs_by_region runs_of(const holed_image& image) {
  std::map<u32, std::vector<regions::row_stretch>> of_labels;
  const auto width = static_cast<i32>(image.size.width);
  for (i64 row = 0; row < image.size.depth * image.size.height; ++row) {
    const u32* const labels = image.labels.data() + row * width;
    for (i32 begin = 0, end = 0; begin < width; begin = end) {
      while (end < width && labels[end] == labels[begin]) ++end;
      if (labels[begin] != 0) of_labels[labels[begin]].push_back({row, begin, end});
    }
  }
  runs_by_region found;
  for (const auto& [label, runs] : of_labels) {
    found.firsts.push_back(found.runs.size());
    found.runs.insert(found.runs.end(), runs.begin(), runs.end());
  }
  found.firsts.push_back(found.runs.size());
  return found;
}

std::vector<regions::region_holes> holes_of(const holed_image& image, u32 seed) {
  const runs_by_region of = runs_of(image);
  std::vector<u32> parents(of.runs.size());
  std::iota(parents.begin(), parents.end(), 0);
  const union_find<u32, sharing::device> sets(parents.data());
  std::vector<std::pair<u64, u64>> gaps;  // with their regions
  for (u64 region = 0; region + 1 < of.firsts.size(); ++region)
    for (u64 k = of.firsts[region]; k < of.firsts[region + 1]; ++k) gaps.emplace_back(k, region);
  const auto gaps_of = [&](u64 region) {
    return regions::region_gaps{of.runs.data(), of.firsts[region], of.firsts[region + 1]};
  };
  std::shuffle(gaps.begin(), gaps.end(), std::mt19937(seed));
  for (const auto& [k, region] : gaps)
    if (gaps_of(region).has(k))
      gaps_of(region).join_around(k, image.size,
                                  [&](u64 a, u64 b) { sets.unite(static_cast<u32>(a), static_cast<u32>(b)); });
  std::vector<regions::region_holes> found(of.firsts.size() - 1);
  for (const auto& [k, region] : gaps) {
    if (!gaps_of(region).has(k) || sets.find(static_cast<u32>(k)) == of.firsts[region]) continue;
    found[region].pixels += gaps_of(region).pixels(k);
    found[region].holes += sets.find(static_cast<u32>(k)) == k ? 1 : 0;
  }
  return found;
}

std::vector<regions::region_holes> holes_on(engine& on, const holed_image& image) {
  column_request asked;
  asked.columns = {"num_pixels", "area_filled", "number_of_holes"};
  column_table table;
  measure_columns(on, image.view(), asked, table);
  std::vector<regions::region_holes> found;
  for (std::size_t row = 0; row < table.size(); ++row)
    found.push_back({static_cast<u64>(table.column("area_filled").numbers[row]) -
                         static_cast<u64>(table.column("num_pixels").integers[row]),
                     static_cast<u64>(table.column("number_of_holes").integers[row])});
  return found;
}

void expect_holes(const std::vector<holed_image>& images) {
  engine reference = engine::reference(), cpu = engine::cpu(2);
  for (const holed_image& image : images) {
    const std::vector<regions::region_holes> want = holes_on(reference, image);
    EXPECT_TRUE(holes_on(cpu, image) == want) << image.name;
    for (const u32 seed : {1, 2, 3}) EXPECT_TRUE(holes_of(image, seed) == want) << image.name << ", order " << seed;
  }
}

TEST(region_gaps, of_planes) { expect_holes(holed_planes()); }
TEST(region_gaps, of_volumes) { expect_holes(holed_volumes()); }

// Small images of every kind, many of them.
TEST(region_gaps, of_random_images) {
  std::mt19937 random(7);
  std::vector<holed_image> images;
  for (u32 round = 0; round < 400; ++round) {
    const auto side = [&] { return static_cast<i64>(1 + random() % 12); };
    const extent size = round % 2 == 0 ? extent(side(), side()) : extent(side(), side(), side());
    images.push_back(noise(size, 1 + random() % 3, random() % 100, round));
  }
  expect_holes(images);
}

}  // namespace
}  // namespace skerry::test
