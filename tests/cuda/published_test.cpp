// SPDX-License-Identifier: Apache-2.0
// The published methods on CUDA, beyond what tests/published asks of all: device memory, phases, iterations.
#include <algorithm>
#include <map>

#include "cuda/device_image.hpp"
#include "cuda/published_cases.hpp"
#include "engine/engine_state.hpp"
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

// Labels alone, features alone, and both in one call, which can be different kernels.
void expect_each_job(engine& on, std::string_view method, const mask& image, int connectivity) {
  const question asked = {.image = image.view(), .options = with_connectivity(connectivity)};
  expect_all_ways(on, as_published(asked, method), as_published(expected_answer(asked)));
}

// A test for each method, small enough to end under every sanitizer.
class cuda_published_tiny : public testing::TestWithParam<published::method> {};

// Rows that vectors can read, with more than one stretch of 512 pixels, and rows that they cannot.
TEST_P(cuda_published_tiny, images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine on = engine::cuda();
  for (const extent& size : {extent(1, 1), extent(35, 67), extent(9, 528)})
    for (const int connectivity : GetParam().connectivities)
      expect_each_job(on, GetParam().name, random_mask(size, 1, 50, 1), connectivity);
}

INSTANTIATE_TEST_SUITE_P(methods, cuda_published_tiny, testing::ValuesIn(on_cuda(published::methods())), name_of_case);

// FLSL has kernels of their own for lines of 2^16 pixels and more.
TEST(cuda_published_tiny_lines, wide) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine on = engine::cuda();
  for (const published::method& method : on_cuda(published::methods()))
    if (method.name.starts_with("flsl"))
      for (const std::int64_t width : {65552, 65557})
        for (const int connectivity : method.connectivities)
          expect_each_job(on, method.name, random_mask(extent(2, width), 1, 50, 1), connectivity);
}

// TMK merges trees of more than 4096 pixels in device memory; a second copy brings what was not predicted.
TEST(cuda_published_tiny_copies, second_ones) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const mask image = random_mask(extent(70, 100), 1, 30, 1);
  const reference::answer want = expected_answer({.image = image.view(), .options = with_connectivity(4)});
  for (const char* method : {"tmk", "ha-compact", "flsl-cd-compact"}) {
    engine on = engine::cuda();
    on.set_profiling(true);
    feature_table table;
    EXPECT_EQ(published::label(on, method, {image.view(), with_connectivity(4)}, {.table = &table}, {.first_copy = 1}),
              want.count);
    EXPECT_TRUE(same_table(table, as_published(want).table)) << method;
    const std::vector<phase_time> phases = on.last_phases();
    EXPECT_TRUE(std::any_of(phases.begin(), phases.end(), [](const phase_time& phase) {
      return phase.name == "second copy";
    })) << method;
  }
}

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

// The papers of HA and FLSL have labels, and labels with features; each in kernels of its own.
TEST(cuda_published, every_job_of_larger_images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::uint32_t seed = 50;
  for (const extent& size : {extent(300, 1024), extent(301, 1023)})
    for (const double density : {25.0, 55.0, 75.0, 100.0}) {
      const mask image = random_mask(size, 1 + seed % 4, density, seed);
      ++seed;
      for (const int connectivity : {4, 8}) {
        const question asked = {.image = image.view(), .options = with_connectivity(connectivity)};
        const reference::answer want = as_published(expected_answer(asked));
        each_cuda_method([&](named_engine& each) {
          if (each.knows(connectivity)) expect_all_ways(each.on, as_published(asked, each.method), want);
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
    for (const bool is_wide : {false, true}) {
      const image_view view(is_wide ? shorts.data() : bytes.data(), is_wide ? dtype::u16 : dtype::u8, size);
      how.foreground = is_wide ? foreground::at_least(300) : foreground::nonzero();
      const device_bytes labels(want.labels.size() * sizeof(std::uint64_t));
      feature_table table;
      EXPECT_EQ(published::label(each.on, each.method, {view, how},
                                 {.labels = {labels.data<std::uint64_t>(), size}, .table = &table}),
                want.count);
      EXPECT_TRUE(same_labels(labels.copied<std::uint64_t>(want.labels.size()), want.labels, size));
      EXPECT_TRUE(same_table(table, want.table));
    }
  });
}

// Of every copy that was predicted one is right, one too large and one too small.
TEST(cuda_published, predicted_copies) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const char* method : {"tmk", "ha-compact", "flsl-cd-compact"}) {
    engine on = engine::cuda();
    on.set_profiling(true);
    std::vector<bool> had_second;
    for (const double density : {25.0, 25.0, 0.0, 25.0, 80.0}) {
      const mask image = random_mask(extent(300, 300), 1, density, 5);
      const question asked = {.image = image.view(), .options = with_connectivity(4)};
      expect_measured(on, as_published(asked, method), expected_answer(asked));
      const std::vector<phase_time> phases = on.last_phases();
      had_second.push_back(std::any_of(phases.begin(), phases.end(),
                                       [](const phase_time& phase) { return phase.name == "second copy"; }));
    }
    EXPECT_EQ(had_second, (std::vector<bool>{true, false, false, true, false})) << method;
  }
}

// What a method is measured by, with labels and features, of an engine of its own.
std::vector<phase_time> phases_by(std::string_view method, const mask& image, int connectivity) {
  engine on = engine::cuda();
  on.set_profiling(true);
  const label_request asked = {image.view(), with_connectivity(connectivity)};
  std::vector<std::uint32_t> labels(image.pixels.size());
  feature_table table;
  published::label(on, method, asked, {.labels = {labels.data(), image.size}, .table = &table});
  return on.last_phases();
}

TEST(cuda_published, phases_have_the_names_of_the_papers) {
  SKERRY_NEEDS_CUDA_DEVICE();
  using names = std::vector<std::string>;
  const names rows = {"numbering", "numbering of rows", "copy"}, votes = {"numbering", "votes of pixels", "copy"};
  const auto with = [](names own, const names& others) {
    own.insert(own.end(), others.begin(), others.end());
    return own;
  };
  const names ha = {"strip labelling", "border merging", "transitive closure", "features computation", "relabelling"};
  const names flsl = {"segment detection", "unification", "transitive closure", "features computation", "relabelling"};
  const std::map<std::string_view, names> wanted = {
      {"naive", with({"initialise", "merge", "transitive closure", "features", "relabelling"}, rows)},
      {"ha", with(ha, rows)},
      {"ha-otf", with({"strip labelling", "border merging", "transitive closure", "relabelling"}, rows)},
      {"ha-cd", with(ha, rows)},
      {"ha-compact", with(ha, {"compaction", "copy", "numbering", "copy"})},
      {"flsl", with(flsl, rows)},
      {"flsl-otf", with({"segment detection", "unification", "transitive closure", "relabelling"}, rows)},
      {"flsl-cd", with(flsl, rows)},
      {"flsl-cd-compact", with(flsl, {"compaction", "copy", "numbering", "copy"})},
      {"playne-direct", with({"initialise", "resolve", "reduce"}, votes)},
      {"playne-block", with({"label blocks", "reduce borders", "resolve"}, votes)},
      {"tmk",
       {"label blocks", "reduce borders", "resolve", "initialise", "merge (shared memory)", "merge (global memory)",
        "size update", "balance", "copy", "numbering", "copy"}},
      {"jung", with({"Init", "Scan", "Analysis", "Link", "Label", "Rescan"}, votes)},
      {"block-fill", with({"fill", "colour map", "recolouring"}, votes)}};
  const mask image = random_mask(extent(60, 70), 1, 50, 1);
  for (const published::method& method : on_cuda(published::methods())) {
    ASSERT_TRUE(wanted.contains(method.name)) << method.name;
    names found;
    for (const phase_time& phase : phases_by(method.name, image, 4)) found.emplace_back(phase.name);
    EXPECT_EQ(found, wanted.at(method.name)) << method.name;
  }
}

// How often a phase ran is in the profile.
TEST(cuda_published, iterations_are_reported) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const auto times = [](std::string_view method, const mask& image) {
    std::map<std::string_view, std::uint64_t> found;
    for (const phase_time& phase : phases_by(method, image, 4)) found[phase.name] += phase.times;
    return found;
  };
  mask square = empty_mask(extent(9, 9)), noise = random_mask(extent(384, 384), 1, 60, 1);
  square.at(3, 3) = square.at(3, 4) = square.at(4, 3) = square.at(4, 4) = 1;
  for (const mask* const image : {&square, &noise}) {
    auto found = times("jung", *image);
    for (const char* phase : {"Link", "Label", "Rescan"}) EXPECT_EQ(found[phase], found["Analysis"]) << phase;
    if (image == &square) EXPECT_EQ(found["Link"], 1U);
    else EXPECT_GT(found["Link"], 1U);
    EXPECT_EQ(found["Init"], 1U);
    EXPECT_EQ(found["Scan"], 1U);
  }
  EXPECT_EQ(times("playne-direct", noise)["resolve"], 2U);
}

}  // namespace
}  // namespace skerry::test
