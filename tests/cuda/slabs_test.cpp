// SPDX-License-Identifier: Apache-2.0
// Engines of several devices, of which one may be named several times: every answer is the reference's, bit for bit.
#include <algorithm>
#include <memory>
#include <random>
#include <thread>

#include "core/label_type.hpp"
#include "cuda/device_image.hpp"
#include "cuda/random_question.hpp"
#include "engine/engine_state.hpp"
#include "label/slabs/slab.hpp"
#include "skerry/error.hpp"
#include "skerry/slabs.hpp"
#include "support/adversarial.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"
#include "support/refusal.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

int device_count() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess ? devices : 0;
}

engine engine_of(const std::vector<int>& devices) {
  engine on = engine::cuda(devices);
  on.inside().least_pixels_of_slabs = 1;
  return on;
}

// Kept for the whole program, so that scratch goes from image to image.
engine& thrice() {
  static engine on = engine_of({0, 0, 0});
  return on;
}
engine& all_devices() {
  static engine on = engine_of(device_count() > 1 ? std::vector<int>{0, 1} : std::vector<int>{0, 0});
  return on;
}

void expect_reference(const question& asked, std::int64_t layers) {
  const reference::answer want = expected_answer(asked);
  if (want.count > largest_label(asked.label_type)) return;
  for (engine* on : {&thrice(), &all_devices()}) {
    on->inside().layers_of_slab = layers;
    on->inside().keeps_slabs = layers % 2 == 0;
    expect_all_ways(*on, asked, want);
    on->inside().layers_of_slab = 0;
    on->inside().keeps_slabs = true;
  }
}

TEST(cuda_slabs, random_small_images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::mt19937 draw(7);
  for (int i = 0; i < scaled(1500) && !HasFailure(); ++i) {
    const bool volume = i % 2 == 0;
    const auto side = [&](unsigned most) { return static_cast<std::int64_t>(1 + draw() % most); };
    const extent size = volume ? extent(side(20), side(20), side(150)) : extent(side(200), side(280));
    const mask image = random_mask(size, 1 << draw() % 3, draw() % 101, draw());
    const std::vector<int> choices = connectivities_of(size);
    SCOPED_TRACE(testing::Message() << "image " << i);
    const std::int64_t layers = i % 4 == 0 ? 0 : side(i % 4 == 1 ? 3 : 70);
    expect_reference(random_question(image, choices[draw() % choices.size()], draw()), layers);
  }
}

TEST(cuda_slabs, sizes_around_tiles_in_uneven_slabs) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::uint32_t seed = 0;
  for (const std::int64_t height : {1, 2, 63, 64, 65, 129, 192})
    for (const std::int64_t width : {1, 31, 32, 33, 127, 128, 129, 257}) {
      const mask image = random_mask(extent(height, width), 1 + seed % 4, 20 + seed % 61, seed + 1);
      for (const int connectivity : {4, 8}) {
        SCOPED_TRACE(testing::Message() << height << " x " << width << ", " << connectivity);
        for (const std::int64_t layers : {0, 1, 5, 64})
          expect_reference(random_question(image, connectivity, seed), layers);
      }
      ++seed;
      ASSERT_FALSE(HasFailure());
    }
  for (const std::int64_t depth : {1, 2, 8, 9, 17})
    for (const std::int64_t height : {1, 8, 25})
      for (const std::int64_t width : {1, 33, 130}) {
        const mask image = random_mask(extent(depth, height, width), 1 + seed % 3, 5 + seed % 70, seed + 1);
        for (const int connectivity : {6, 18, 26}) {
          SCOPED_TRACE(testing::Message() << depth << " x " << height << " x " << width << ", " << connectivity);
          for (const std::int64_t layers : {0, 1, 8})
            expect_reference(random_question(image, connectivity, seed), layers);
        }
        ++seed;
        ASSERT_FALSE(HasFailure());
      }
}

TEST(cuda_slabs, types_rules_and_layouts) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::uint32_t seed = 0;
  for (const dtype type : image_types)
    for (const foreground& rule : edge_rules(type)) {
      const extent size = ++seed % 3 == 0 ? extent(5, 9, 70) : extent(37, 150);
      const layout arrangement = all_layouts[seed % std::size(all_layouts)];
      const placed_image image(type, size, arrangement, random_values(edge_values(type), size, 2, seed));
      SCOPED_TRACE(testing::Message() << name_of(type) << ", " << text_of(rule) << ", " << name_of(arrangement));
      question asked{.image = image.view(),
                     .options = with_connectivity(size.rank == 3 ? 26 : 8, rule),
                     .label_type = (seed % 8 < 4 ? label_types : signed_label_types)[seed % 4],
                     .label_layout = all_layouts[(seed / 3) % std::size(all_layouts)]};
      if (type != dtype::bit && seed % 2 == 0) asked.features.intensity = image.view();
      expect_reference(asked, size.rank == 3 ? 2 : 11);
      ASSERT_FALSE(HasFailure());
    }
}

TEST(cuda_slabs, adversarial_images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const named_mask& hard : adversarial_planes(150, 260))
    for (const int connectivity : {4, 8}) {
      SCOPED_TRACE(hard.name);
      expect_reference({.image = hard.image.view(), .options = with_connectivity(connectivity)}, 31);
    }
  for (const named_mask& hard : adversarial_volumes(32))
    for (const int connectivity : {6, 18, 26}) {
      SCOPED_TRACE(hard.name);
      expect_reference({.image = hard.image.view(), .options = with_connectivity(connectivity)}, 6);
    }
}

// Against the CPU, in memory of the host, with more components in a slab, and more pairs at a border, than there is room for
// at first.
void expect_cpu(engine& on, const mask& image, int connectivity) {
  engine cpu = engine::cpu();
  const label_options options = with_connectivity(connectivity);
  std::vector<std::uint32_t> want(image.pixels.size()), got(want.size(), 77);
  feature_table want_table, table;
  std::vector<labelled_run> want_runs, runs;
  const label_request asked{image.view(), options, {.moments = true, .intensity = image.view()}};
  label(cpu, asked, {.labels = {want.data(), image.size}, .runs = &want_runs, .table = &want_table});
  label(on, asked, {.labels = {got.data(), image.size}, .runs = &runs, .table = &table});
  EXPECT_EQ(got, want);
  EXPECT_TRUE(same_table(table, want_table));
  EXPECT_TRUE(same_runs(runs, want_runs));
}

TEST(cuda_slabs, more_components_than_there_is_room_for_at_first) {
  SKERRY_NEEDS_CUDA_DEVICE();
  mask dots = empty_mask(extent(1800, 1800)), bars = empty_mask(extent(9, 20000));
  for (std::int64_t y = 0; y < 1800; y += 2)
    for (std::int64_t x = 0; x < 1800; x += 2) dots.at(y, x) = 1;
  for (std::int64_t y = 0; y < 9; ++y)
    for (std::int64_t x = 0; x < 20000; x += 2) bars.at(y, x) = 1;
  mask wide = empty_mask(extent(1200, 4000));
  for (std::int64_t y = 0; y < 1200; y += 2)
    for (std::int64_t x = 0; x < 4000; x += 2) wide.at(y, x) = 1;
  for (const bool keeps : {true, false}) {
    engine on = engine_of({0, 0, 0});
    on.inside().keeps_slabs = keeps;
    on.inside().layers_of_slab = 100;  // several slabs of each lane are on their way with too little room
    expect_cpu(on, wide, 8);
    on.inside().layers_of_slab = 0;
    expect_cpu(on, dots, 8);
    expect_cpu(on, bars, 4);
    expect_cpu(on, bars, 8);
  }
}

TEST(cuda_slabs, borders_with_more_pairs_than_the_device_tells) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const mask noise = random_mask(extent(16, 700, 700), 1, 35, 9);
  for (int k = 0; k < 4; ++k) {  // how many pairs are listed differs from run to run
    engine on = engine_of({0, 0});
    expect_cpu(on, noise, 6);
    expect_cpu(on, noise, 6);
  }
}

TEST(cuda_slabs, larger_images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (engine* on : {&thrice(), &all_devices()})
    for (const bool keeps : {true, false}) {
      on->inside().keeps_slabs = keeps;
      for (const std::int64_t layers : {0, 100}) {
        on->inside().layers_of_slab = layers;
        expect_cpu(*on, random_mask(extent(2100, 3001), 1, 55, 3), 4);
        expect_cpu(*on, random_mask(extent(2100, 3001), 5, 40, 4), 8);
        expect_cpu(*on, random_mask(extent(130, 160, 190), 2, 30, 5), 26);
        on->inside().layers_of_slab = 0;
      }
      on->inside().keeps_slabs = true;
    }
}

// ---- device memory --------------------------------------------------------------------------------

// A device's part of an image.
struct device_part {
  int device;
  std::int64_t first, layers;
  std::unique_ptr<device_bytes> image, labels;
};

void expect_parts(engine& on, const mask& whole, int connectivity, const std::vector<int>& devices,
                  const std::vector<std::int64_t>& layers) {
  engine cpu = engine::cpu();
  feature_table want_table, table;
  std::vector<std::uint32_t> want(whole.pixels.size()), got;
  const label_options options = with_connectivity(connectivity);
  const std::uint64_t count = label(cpu, {whole.view(), options, {.moments = true}},
                                    {.labels = {want.data(), whole.size}, .table = &want_table});

  slab_request asked{.options = options, .moments = true};
  slab_outputs outputs{.table = &table};
  std::vector<device_part> parts;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    ASSERT_EQ(cudaSetDevice(devices[i]), cudaSuccess);
    const image_view slab = label_stages::layers_of(whole.view(), first, layers[i]);
    const auto* bytes = static_cast<const std::uint8_t*>(slab.data);
    const auto pixels = static_cast<std::size_t>(slab.size.pixels());
    parts.push_back({devices[i], first, layers[i], std::make_unique<device_bytes>(std::vector(bytes, bytes + pixels)),
                     std::make_unique<device_bytes>(pixels * 4)});
    asked.images.push_back({parts.back().image->data(), dtype::u8, slab.size});
    outputs.labels.push_back({parts.back().labels->data(), dtype::u32, slab.size});
    first += layers[i];
  }
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(label_slabs(on, asked, outputs), count);
  for (const device_part& part : parts) {
    ASSERT_EQ(cudaSetDevice(part.device), cudaSuccess);
    const std::size_t pixels =
        static_cast<std::size_t>(part.layers) * (whole.pixels.size() / static_cast<std::size_t>(first));
    const std::vector<std::uint32_t> labels = part.labels->copied<std::uint32_t>(pixels);
    got.insert(got.end(), labels.begin(), labels.end());
  }
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(got, want);
  EXPECT_TRUE(same_table(table, want_table));
}

TEST(cuda_slabs, in_memory_of_devices) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const int last = device_count() > 1 ? 1 : 0;
  engine alone = engine::cuda();
  for (engine* on : {&alone, &thrice(), &all_devices()}) {
    const bool several = on == &all_devices();
    const int other = several ? last : 0;
    expect_parts(*on, random_mask(extent(300, 700), 2, 45, 1), 8, {0, other}, {150, 150});
    expect_parts(*on, random_mask(extent(300, 701), 1, 50, 2), 4, {other, 0, other}, {1, 298, 1});
    expect_parts(*on, random_mask(extent(12, 40, 61), 1, 25, 3), 18, {0, other, 0, other, 0}, {1, 4, 1, 5, 1});
    expect_parts(*on, random_mask(extent(9, 40, 61), 2, 25, 3), 26, {other, 0}, {8, 1});
  }
}

TEST(cuda_slabs, an_image_in_memory_of_one_device) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu();
  const mask image = random_mask(extent(333, 515), 1, 52, 9);
  for (const int device : device_count() > 1 ? std::vector<int>{0, 1} : std::vector<int>{0}) {
    ASSERT_EQ(cudaSetDevice(device), cudaSuccess);
    const device_bytes pixels(image.pixels), labels(image.pixels.size() * 2);
    std::vector<std::uint16_t> want(image.pixels.size());
    label(cpu, image.view(), with_connectivity(8), {want.data(), image.size});
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    for (engine* on : {&thrice(), &all_devices()}) {
      if (on == &thrice() && device != 0) continue;
      labels.forget();
      label(*on, image_view(pixels.data(), dtype::u8, image.size), with_connectivity(8),
            mutable_image(labels.data(), dtype::u16, image.size));
      EXPECT_EQ(labels.copied<std::uint16_t>(want.size()), want);
    }
  }
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
}

TEST(cuda_slabs, a_thread_that_has_not_used_cuda_knows_memory_of_devices) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const mask image = random_mask(extent(100, 150), 1, 52, 9);
  const device_bytes pixels(image.pixels);
  engine cpu = engine::cpu(), alone = engine::cuda();
  const std::uint64_t want = count_components(cpu, image.view(), with_connectivity(8));
  for (engine* on : {&alone, &thrice()}) {
    std::uint64_t count = 0;
    std::jthread([&] {
      count = count_components(*on, image_view(pixels.data(), dtype::u8, image.size), with_connectivity(8));
    }).join();
    EXPECT_EQ(count, want);
  }
}

TEST(cuda_slabs, memory_of_a_device_that_is_not_the_engines_is_refused) {
  SKERRY_NEEDS_CUDA_DEVICE();
  if (device_count() < 2) GTEST_SKIP() << "needs two devices";
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  const device_bytes pixels(std::vector<std::uint8_t>(100));
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  const image_view image(pixels.data(), dtype::u8, extent(10, 10));
  EXPECT_EQ(
      refusal([&] { count_components(thrice(), image, with_connectivity(8)); }),
      "image: is in memory of GPU 1, which is not among those of the engine; give engine::cuda() its number, too");
  EXPECT_EQ(refusal([&] {
              label_slabs(thrice(), {{image}, with_connectivity(8)}, {});
            }),
            "image of slab 0: is in memory of GPU 1, which is not among those of the engine; give engine::cuda() its "
            "number, too");
}

TEST(cuda_slabs, labels_that_do_not_fit_leave_everything_alone) {
  SKERRY_NEEDS_CUDA_DEVICE();
  mask image = empty_mask(extent(64, 64));
  for (std::int64_t y = 0; y < 64; y += 2)
    for (std::int64_t x = 0; x < 64; x += 2) image.at(y, x) = 1;
  std::vector<std::uint8_t> labels(image.pixels.size(), 77);
  feature_table table;
  table.components.resize(5);
  EXPECT_THROW(
      label(thrice(), {image.view(), with_connectivity(8)}, {.labels = {labels.data(), image.size}, .table = &table}),
      label_overflow);
  EXPECT_EQ(labels, std::vector<std::uint8_t>(labels.size(), 77));
  EXPECT_EQ(table.size(), 5U);
}

TEST(cuda_slabs, a_stopped_call_ends) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine on = engine_of({0, 0, 0});
  std::stop_source stop;
  on.set_stop_token(stop.get_token());
  const mask image = random_mask(extent(100, 100), 1, 50, 1);
  EXPECT_GT(count_components(on, image.view(), with_connectivity(8)), 0U);
  stop.request_stop();
  EXPECT_THROW(count_components(on, image.view(), with_connectivity(8)), cancelled);
}

TEST(cuda_slabs, gives_its_scratch_back) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine on = engine_of({0, 0});
  const mask image = random_mask(extent(300, 300), 1, 50, 1);
  const std::uint64_t count = count_components(on, image.view(), with_connectivity(8));
  EXPECT_GT(on.scratch_bytes(), 0U);
  on.release_scratch();
  EXPECT_EQ(on.scratch_bytes(), 0U);
  EXPECT_EQ(count_components(on, image.view(), with_connectivity(8)), count);
}

}  // namespace
}  // namespace skerry::test
