// SPDX-License-Identifier: Apache-2.0
// The published methods on CUDA, beyond what tests/published asks of all: device memory, votes that are counted, limits.
#include <algorithm>
#include <numeric>

#include "cuda/device_image.hpp"
#include "cuda/published_cases.hpp"
#include "engine/engine_state.hpp"
#include "published/cuda/canonical.hpp"
#include "skerry/error.hpp"
#include "support/adversarial.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"

namespace skerry::test {
namespace {

template <class Work>
void each_cuda_method(Work work) {
  for (named_engine& each : each_published_method())
    if (each.on.kind() == engine_kind::cuda) {
      SCOPED_TRACE(each.name);
      work(each);
    }
}

// A test for each method, small enough to end under every sanitizer.
class cuda_published_tiny : public testing::TestWithParam<published_method> {};

TEST_P(cuda_published_tiny, images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine on = engine::cuda();
  for (const extent& size : {extent(1, 1), extent(35, 67)}) {
    const mask image = random_mask(size, 1, 50, 1);
    for (const int connectivity : GetParam().connectivities) {
      const question asked = {.image = image.view(), .options = with_connectivity(connectivity)};
      expect_measured(on, as_published(asked, GetParam().name), expected_answer(asked));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(methods, cuda_published_tiny, testing::ValuesIn(on_cuda(published_methods())), name_of_case);

// Around the widths of warps, tiles of 64, squares of 32, and whatever is fetched at once.
TEST(cuda_published, sizes_around_everything) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::uint32_t seed = 0;
  for (const std::int64_t height : {1, 2, 3, 4, 5, 31, 32, 33, 65})
    for (const std::int64_t width : {1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 257, 515}) {
      const mask image = random_mask(extent(height, width), 1 + seed % 4, 20 + seed % 81, seed);
      for (const int connectivity : {4, 8}) {
        const question asked = {.image = image.view(), .options = with_connectivity(connectivity)};
        const reference::answer want = expected_answer(asked);
        each_cuda_method([&](named_engine& each) {
          if (each.knows(connectivity)) expect_measured(each.on, as_published(asked, each.method), want);
        });
      }
      ++seed;
      ASSERT_FALSE(testing::Test::HasFailure());
    }
}

TEST(cuda_published, larger_images_of_every_density) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::uint32_t seed = 0;
  for (const int granularity : {1, 2, 4, 16})
    for (const double density : {0.0, 5.0, 25.0, 41.0, 50.0, 60.0, 75.0, 95.0, 100.0}) {
      const mask image = random_mask(extent(700 + seed % 3, 1000 + seed % 5), granularity, density, seed);
      ++seed;
      for (const int connectivity : {4, 8}) {
        const question asked = {.image = image.view(), .options = with_connectivity(connectivity)};
        const reference::answer want = expected_answer(asked);
        each_cuda_method([&](named_engine& each) {
          if (each.knows(connectivity)) expect_measured(each.on, as_published(asked, each.method), want);
        });
      }
      ASSERT_FALSE(testing::Test::HasFailure());
    }
}

TEST(cuda_published, hard_images_of_many_blocks) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const named_mask& image : adversarial_planes(400, 613))
    for (const int connectivity : {4, 8}) {
      SCOPED_TRACE(image.name);
      const question asked = {.image = image.image.view(), .options = with_connectivity(connectivity)};
      const reference::answer want = expected_answer(asked);
      each_cuda_method([&](named_engine& each) {
        if (each.knows(connectivity)) expect_measured(each.on, as_published(asked, each.method), want);
      });
      ASSERT_FALSE(testing::Test::HasFailure());
    }
}

// Lines of 2^16 pixels and more have tables of wider places in FLSL.
TEST(cuda_published, wide_lines) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const std::int64_t width : {65535, 65536, 65537, 70001}) {
    const mask image = random_mask(extent(6, width), 1, 60, static_cast<std::uint32_t>(width));
    const question asked = {.image = image.view(), .options = with_connectivity(4)};
    const reference::answer want = expected_answer(asked);
    each_cuda_method([&](named_engine& each) { expect_measured(each.on, as_published(asked, each.method), want); });
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

// Pixels and labels that are on the device already, of any type.
TEST(cuda_published, device_memory) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const extent size(60, 83);
  const mask image = random_mask(size, 1, 50, 3);
  const question asked = {.image = image.view(), .options = with_connectivity(4)};
  const reference::answer want = expected_answer(asked);
  std::vector<std::uint8_t> wide(image.pixels.size() * 2);  // of 16 bits, 300 where the mask is set
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
    if (image.pixels[i] != 0) wide[2 * i] = 300 % 256, wide[2 * i + 1] = 300 / 256;
  const device_bytes bytes(image.pixels), shorts(wide);
  each_cuda_method([&](named_engine& each) {
    label_options how = with_connectivity(4);
    how.method = each.method;
    for (const bool is_wide : {false, true}) {
      const image_view view(is_wide ? shorts.data() : bytes.data(), is_wide ? dtype::u16 : dtype::u8, size);
      how.foreground = is_wide ? foreground::at_least(300) : foreground::nonzero();
      const device_bytes labels(want.labels.size() * sizeof(std::uint64_t));
      feature_table table;
      EXPECT_EQ(measure(each.on, view, how, {}, table, {.labels = {labels.data<std::uint64_t>(), size}}), want.count);
      EXPECT_TRUE(same_labels(labels.copied<std::uint64_t>(want.labels.size()), want.labels, size));
      EXPECT_TRUE(same_table(table, want.table));
    }
  });
}

// Of every copy that was predicted one is right, one too large and one too small.
TEST(cuda_published, predicted_copies) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine on = engine::cuda();
  on.set_profiling(true);
  std::vector<bool> had_second;
  for (const double density : {25.0, 25.0, 0.0, 25.0, 80.0}) {
    const mask image = random_mask(extent(300, 300), 1, density, 5);
    const question asked = {.image = image.view(), .options = with_connectivity(4)};
    expect_measured(on, as_published(asked, "tmk"), expected_answer(asked));
    const std::vector<phase_time> phases = on.last_phases();
    had_second.push_back(
        std::any_of(phases.begin(), phases.end(), [](const phase_time& phase) { return phase.name == "second copy"; }));
  }
  EXPECT_EQ(had_second, (std::vector<bool>{true, false, false, true, false}));
}

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
  published::number_rows(work, answer, components);
  EXPECT_EQ(components, expected_answer({.image = image.view(), .options = with_connectivity(connectivity)}).count);
  return found;
}

TEST(cuda_published, votes_are_counted) {
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
  expect("ha-cd", 2 * 4 + 2, 9);  // a warp looks at 32 pixels at a time: four such in a line that has heads in all
  expect("flsl-cd", 3, 2);
  // Each segment votes once, and each but one is merged once at least.
  const counted moved = count_votes("flsl-otf", image, 4);
  EXPECT_GE(moved.updates, 27U + 26U);
}

TEST(cuda_published, phases_have_the_names_of_the_papers) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const mask image = random_mask(extent(60, 70), 1, 50, 1);
  std::vector<std::uint32_t> labels(60 * 70);
  feature_table table;
  engine on = engine::cuda();
  on.set_profiling(true);
  using names = std::vector<std::string>;
  const auto measured_by = [&](std::string_view method) {
    label_options how = with_connectivity(4);
    how.method = method;
    measure(on, image.view(), how, {}, table, {.labels = {labels.data(), image.size}});
    names found;
    for (const phase_time& phase : on.last_phases()) found.emplace_back(phase.name);
    return found;
  };
  EXPECT_EQ(measured_by("flsl-cd"),
            (names{"segment detection", "unification", "transitive closure", "features computation", "relabelling",
                   "numbering", "numbering of rows", "copy"}));
  EXPECT_EQ(measured_by("ha-otf"), (names{"strip labelling", "border merging", "transitive closure", "relabelling",
                                          "numbering", "numbering of rows", "copy"}));
  EXPECT_EQ(measured_by("jung"), (names{"Init", "Scan", "Analysis", "Link", "Label", "Rescan", "shift", "numbering",
                                        "votes of pixels", "copy"}));
}

}  // namespace
}  // namespace skerry::test
