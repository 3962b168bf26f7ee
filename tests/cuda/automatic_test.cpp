// SPDX-License-Identifier: Apache-2.0
// engine::automatic() on a machine with a GPU: where each call ran, and that its answer is that of the CPU.
#include "cuda/device_image.hpp"
#include "skerry/skerry.hpp"
#include "support/engines.hpp"
#include "support/grey.hpp"
#include "support/mask.hpp"
#include "support/refusal.hpp"

namespace skerry::test {
namespace {

constexpr const char* in_host = "no image is in device memory, and copies take longer than the work";

class automatic : public testing::Test {
 protected:
  mask image = random_mask(extent(123, 257), 2, 45, 5);
  engine on = engine::automatic(2), cpu = engine::cpu(1);
  label_options how{.connectivity = 8};
};

TEST_F(automatic, devices_have_threads_of_the_host) {
  SKERRY_NEEDS_CUDA_DEVICE();
  EXPECT_EQ(engine::cuda().threads(), engine::cpu().threads());
  EXPECT_EQ(engine::cuda(0, 3).threads(), 3);
  EXPECT_EQ(engine::cuda({0, 0}, 2).threads(), 2);
  for (const int threads : {-1, 1025}) EXPECT_THROW(static_cast<void>(engine::cuda(0, threads)), invalid_argument);
}

TEST_F(automatic, labels_where_the_image_is) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const device_bytes pixels(image.pixels);
  const image_view there(pixels.data(), dtype::u8, image.size);
  std::vector<std::uint32_t> want(image.pixels.size()), got(want.size());
  const std::uint64_t count = label(cpu, image.view(), how, {want.data(), image.size});
  for (int turn = 0; turn < 3; ++turn) {
    std::fill(got.begin(), got.end(), 7);
    EXPECT_EQ(label(on, image.view(), how, {got.data(), image.size}), count);
    EXPECT_EQ(on.last_choice().kind, engine_kind::cpu);
    EXPECT_EQ(on.last_choice().reason, in_host);
    EXPECT_EQ(got, want);
    std::fill(got.begin(), got.end(), 7);
    EXPECT_EQ(label(on, there, how, {got.data(), image.size}), count);
    EXPECT_EQ(on.last_choice().kind, engine_kind::cuda);
    EXPECT_EQ(on.last_choice().reason, "image is in memory of GPU 0");
    EXPECT_EQ(got, want);
    const device_bytes labels(want.size() * 4);
    EXPECT_EQ(label(on, image.view(), how, {labels.data(), dtype::u32, image.size}), count);
    EXPECT_EQ(on.last_choice().reason, "labels is in memory of GPU 0");
    EXPECT_EQ(labels.copied<std::uint32_t>(want.size()), want);
    if (turn == 1) on.release_scratch();
  }
}

TEST_F(automatic, profiles_and_stops_either_engine) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const device_bytes pixels(image.pixels);
  const image_view there(pixels.data(), dtype::u8, image.size);
  on.set_profiling(true);
  for (const image_view& each : {image.view(), there}) {
    EXPECT_GT(count_components(on, each, how), 0u);
    EXPECT_GT(on.last_profile().milliseconds[1], 0);
    EXPECT_GT(on.scratch_bytes(), 0u);
  }
  on.release_scratch();
  EXPECT_EQ(on.scratch_bytes(), 0u);
  std::stop_source stop;
  on.set_stop_token(stop.get_token());
  EXPECT_GT(count_components(on, there, how), 0u);
  stop.request_stop();
  EXPECT_THROW(count_components(on, there, how), cancelled);
  EXPECT_THROW(count_components(on, image.view(), how), cancelled);
}

TEST_F(automatic, takes_managed_memory_where_it_is_said_to_be) {
  SKERRY_NEEDS_CUDA_DEVICE();
  void* data = nullptr;
  ASSERT_EQ(cudaMallocManaged(&data, image.pixels.size()), cudaSuccess);
  std::copy(image.pixels.begin(), image.pixels.end(), static_cast<std::uint8_t*>(data));
  const std::uint64_t want = count_components(cpu, image.view(), how);
  const auto ran = [&](residence said) {
    EXPECT_EQ(count_components(on, {data, dtype::u8, image.size, said}, how), want);
    return on.last_choice().kind;
  };
  EXPECT_EQ(ran({}), engine_kind::cuda);
  EXPECT_EQ(ran(residence::device(0)), engine_kind::cuda);
  EXPECT_EQ(ran(residence::host()), engine_kind::cpu);
  cudaFree(data);
}

TEST_F(automatic, builds_trees_where_the_image_is) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const device_bytes pixels(image.pixels);
  const image_view there(pixels.data(), dtype::u8, image.size);
  max_tree want, got;
  build(cpu, image.view(), {.connectivity = 8}, want);
  build(on, there, {.connectivity = 8}, got);
  EXPECT_EQ(on.last_choice().kind, engine_kind::cuda);
  EXPECT_TRUE(got == want);
  attribute_table table;
  measure(on, got, {}, table);
  EXPECT_EQ(on.last_choice().kind, engine_kind::cpu);
  build(on, image.view(), {.connectivity = 8}, got);
  EXPECT_EQ(on.last_choice().reason, in_host);
  EXPECT_TRUE(got == want);
  const image_view wide(pixels.data(), dtype::i64, extent(10, 10));  // the device has no trees of such pixels
  EXPECT_EQ(refusal([&] { build(on, wide, {.connectivity = 8}, got); }).rfind("image: ", 0), 0u);
}

TEST_F(automatic, measures_regions_where_labels_or_intensities_are) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const device_bytes pixels(image.pixels);
  const image_view here = image.view(), there(pixels.data(), dtype::u8, image.size);
  region_table want, got;
  measure_regions(cpu, {.labels = here, .features = {.intensity = here}}, want);
  for (const image_view& labels : {here, there})
    for (const image_view& intensity : {here, there}) {
      measure_regions(on, {.labels = labels, .features = {.intensity = intensity}}, got);
      const bool all_here = labels.data == here.data && intensity.data == here.data;
      EXPECT_EQ(on.last_choice().kind, all_here ? engine_kind::cpu : engine_kind::cuda);
      EXPECT_TRUE(got.labels == want.labels && got.features.components == want.features.components &&
                  got.features.intensities == want.features.intensities);
    }
}

TEST_F(automatic, relabels_where_labels_are_read_or_written) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const device_bytes pixels(image.pixels), written(image.pixels.size());
  std::vector<std::uint8_t> want(image.pixels.size()), got(want.size());
  const std::vector<label_bits> originals = relabel(cpu, image.view(), {}, {want.data(), image.size});
  const label_map map{originals, std::vector<label_bits>(originals.size(), 9), unnamed_labels::zero};
  std::vector<std::uint8_t> mapped(want.size());
  remap(cpu, image.view(), map, {mapped.data(), image.size});
  const mutable_image out_here(got.data(), image.size), out_there(written.data(), dtype::u8, image.size);
  for (const image_view& labels : {image.view(), image_view(pixels.data(), dtype::u8, image.size)})
    for (const mutable_image& out : {out_here, out_there}) {
      const bool all_here = labels.data == image.pixels.data() && out.data == got.data();
      const engine_kind kind = all_here ? engine_kind::cpu : engine_kind::cuda;
      const auto result = [&] { return out.data == got.data() ? got : written.copied<std::uint8_t>(got.size()); };
      EXPECT_EQ(relabel(on, labels, {}, out), originals);
      EXPECT_EQ(on.last_choice().kind, kind);
      EXPECT_EQ(result(), want);
      remap(on, labels, map, out);
      EXPECT_EQ(on.last_choice().kind, kind);
      EXPECT_EQ(result(), mapped);
    }
}

TEST_F(automatic, finds_values_where_labels_or_values_are) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const device_bytes pixels(image.pixels);
  const image_view here = image.view(), there(pixels.data(), dtype::u8, image.size);
  const std::vector<double> edges = {0, 1, 300};
  const region_histograms want = count_histograms(cpu, {here, here}, edges);
  for (const image_view& labels : {here, there})
    for (const image_view& values : {here, there}) {
      const bool all_here = labels.data == here.data && values.data == here.data;
      const engine_kind kind = all_here ? engine_kind::cpu : engine_kind::cuda;
      EXPECT_EQ(find_extrema(on, {labels, values}).labels, want.labels);
      EXPECT_EQ(on.last_choice().kind, kind);
      EXPECT_EQ(count_histograms(on, {labels, values}, edges).counts, want.counts);
      EXPECT_EQ(on.last_choice().kind, kind);
    }
}

TEST_F(automatic, refuses_images_on_the_device_that_only_the_host_has_jobs_for) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const device_bytes pixels(image.pixels);
  const image_view there(pixels.data(), dtype::u8, image.size);
  contact_table touching;
  const std::string text = refusal([&] { contacts(on, {.labels = there, .connectivity = 8}, touching); });
  EXPECT_EQ(text.rfind("labels: is in memory of GPU 0", 0), 0u) << text;
}

TEST_F(automatic, streams_and_methods_have_their_engines) {
  SKERRY_NEEDS_CUDA_DEVICE();
  {
    track_options film;
    film.size = image.size;
    film.connectivity = 8;
    tracker stream(on, film);
    EXPECT_EQ(on.last_choice().kind, engine_kind::cuda);
    EXPECT_EQ(on.last_choice().reason, "a frame is copied while the one before is computed");
    stream.push(image.view());
    const frame_result* const result = stream.wait();
    ASSERT_NE(result, nullptr);
    EXPECT_EQ(result->count, count_components(cpu, image.view(), how));
  }
  for (const auto& [method, kind] : {std::pair("naive", engine_kind::cuda), std::pair("rosenfeld", engine_kind::cpu)}) {
    EXPECT_EQ(published::label(on, method, {image.view(), how}, {}), count_components(cpu, image.view(), how));
    EXPECT_EQ(on.last_choice().kind, kind);
  }
}

}  // namespace
}  // namespace skerry::test
