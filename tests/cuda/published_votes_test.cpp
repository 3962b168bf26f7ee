// SPDX-License-Identifier: Apache-2.0
// Votes of the published methods on CUDA: how many there are, counted again from the labels.
#include <algorithm>
#include <set>
#include <tuple>

#include "cuda/device_image.hpp"
#include "published/cuda/canonical.hpp"
#include "support/compare.hpp"
#include "support/mask.hpp"

namespace skerry::test {
namespace {

struct counted {
  std::uint64_t updates = 0, conflicts = 0;
};

counted count_votes(std::string_view method, const mask& image, int connectivity) {
  const device_bytes pixels(image.pixels);
  published::device_arena memory;
  cuda_stream stream;
  const published::device_task work{.image = {pixels.data<std::uint8_t>(), image.size.width,
                                              static_cast<u32>(image.size.width), static_cast<u32>(image.size.height)},
                                    .connectivity = connectivity,
                                    .features = true,
                                    .stream = stream,
                                    .memory = memory,
                                    .counting = true};
  const published::device_answer answer = published::find_device_method(method).solve(work);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  std::vector<u32> hits(answer.slots);
  EXPECT_EQ(cudaMemcpy(hits.data(), answer.hits, hits.size() * sizeof(u32), cudaMemcpyDeviceToHost), cudaSuccess);
  counted found;
  for (const u32 votes : hits) {
    found.updates += votes;
    found.conflicts += votes > 1 ? votes - 1 : 0;
  }
  std::uint64_t components = 0;
  const geometry* const rows = published::number_rows(work, answer, components);
  const auto want = expected_answer({.image = image.view(), .options = with_connectivity(connectivity)});
  EXPECT_EQ(components, want.count);
  std::vector<geometry> found_rows(components);
  EXPECT_EQ(cudaMemcpy(found_rows.data(), rows, components * sizeof(geometry), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_TRUE(std::ranges::equal(found_rows, as_published(want).table.components));
  return found;
}

TEST(cuda_published_votes, a_known_image) {
  SKERRY_NEEDS_CUDA_DEVICE();
  // Two lines of 100 pixels with a gap after each seventh, joined by a third.
  mask image = empty_mask(extent(3, 100));
  for (std::int64_t x = 0; x < 100; ++x) {
    image.at(0, x) = image.at(2, x) = x % 8 != 7;
    image.at(1, x) = 1;
  }
  const auto expect = [&](std::string_view method, std::uint64_t updates, std::uint64_t conflicts) {
    const counted found = count_votes(method, image, 4);
    EXPECT_EQ(found.updates, updates) << method;
    EXPECT_EQ(found.conflicts, conflicts) << method;
  };
  expect("naive", 276, 275);
  expect("ha", 2 * 13 + 2, 27);
  expect("flsl", 2 * 13 + 1, 26);
  expect("ha-cd", 2 * 2 + 1, 4);  // a warp looks at one head in each 16 pixels of a line at a time
  expect("flsl-cd", 3, 2);
  // Each segment votes once, and each but one is merged once at least.
  const counted moved = count_votes("flsl-otf", image, 4);
  EXPECT_GE(moved.updates, 27U + 26U);
}

// Of a random image. A segment is a run of foreground, cut at every 64th pixel for HA.
struct segments {
  std::uint64_t all = 0, labels_of_warps = 0;  // of what a warp looks at together
};

segments segments_of(const extent& size, const std::vector<std::uint64_t>& labels, bool is_cut) {
  segments found;
  for (std::int64_t y = 0; y < size.height; ++y) {
    std::set<std::tuple<std::int64_t, std::int64_t, std::uint64_t>> warps;
    std::int64_t in_line = 0, in_part = 0;
    for (std::int64_t x = 0; x < size.width; ++x) {
      const std::int64_t i = y * size.width + x;
      const std::uint64_t* const label = labels.data() + i;
      const bool begins = x == 0 || label[-1] == 0 || (is_cut && x % 64 == 0);
      if (x % 16 == 0) in_part = 0;
      if (*label == 0 || !begins) continue;
      if (is_cut) warps.insert({x / 512, in_part, *label});
      else warps.insert({in_line / 32, 0, *label});
      ++in_part;
      ++in_line;
    }
    found.all += static_cast<std::uint64_t>(in_line);
    found.labels_of_warps += warps.size();
  }
  return found;
}

void expect_as_many_as_segments(const mask& image, int connectivity) {
  const reference::answer want = expected_answer({.image = image.view(), .options = with_connectivity(connectivity)});
  const auto pixels = static_cast<std::uint64_t>(
      std::count_if(image.pixels.begin(), image.pixels.end(), [](auto pixel) { return pixel != 0; }));
  const segments whole = segments_of(image.size, want.labels, false), cut = segments_of(image.size, want.labels, true);
  const auto expect = [&](std::string_view method, std::uint64_t updates) {
    const counted found = count_votes(method, image, connectivity);
    EXPECT_EQ(found.updates, updates) << method;
    EXPECT_EQ(found.conflicts, updates - want.count) << method;
  };
  // On the fly a segment votes once, and moves at least once when its label is not the last.
  const auto expect_moves = [&](std::string_view method, std::uint64_t votes) {
    const counted found = count_votes(method, image, connectivity);
    EXPECT_GE(found.updates, votes + whole.all - want.count) << method;
    EXPECT_LT(found.conflicts, found.updates) << method;
  };
  expect("naive", pixels);
  expect("flsl", whole.all);
  expect("flsl-cd", whole.labels_of_warps);
  expect_moves("flsl-otf", whole.all);
  if (connectivity == 8) return;
  expect("ha", cut.all);
  expect("ha-cd", cut.labels_of_warps);
  expect_moves("ha-otf", cut.all);
}

TEST(cuda_published_votes, random_images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::uint32_t seed = 0;
  for (const int granularity : {1, 5})
    for (const double density : {20.0, 50.0, 65.0, 90.0})
      for (const int connectivity : {4, 8})
        expect_as_many_as_segments(random_mask(extent(150, 301), granularity, density, ++seed), connectivity);
}

// For sanitizers. Rows that vectors can read and others, and wide ones: counting builds of all these kernels.
TEST(cuda_published_tiny_votes, images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const extent& size : {extent(9, 67), extent(9, 528), extent(2, 65552), extent(2, 65557)})
    for (const int connectivity : {4, 8}) expect_as_many_as_segments(random_mask(size, 1, 60, 1), connectivity);
}

}  // namespace
}  // namespace skerry::test
