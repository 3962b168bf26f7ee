// SPDX-License-Identifier: Apache-2.0
// Device memory on engines that cannot read it, by a driver that is not one (fake_driver.cpp).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/portable.hpp"
#include "engine/engine_state.hpp"
#include "engine/residence.hpp"
#include "skerry/error.hpp"
#include "skerry/label.hpp"
#include "skerry/max_tree.hpp"
#include "skerry/published.hpp"
#include "skerry/skerry.hpp"
#include "support/refusal.hpp"

extern "C" unsigned char memory_of_gpu_3[64];

namespace skerry::test {
namespace {

TEST(residence, memory_of_a_device_is_refused_by_name) {
  std::vector<std::uint8_t> pixels(12, 1), labels(12);
  const extent size(3, 4);
  const image_view here(pixels.data(), size), there(memory_of_gpu_3, dtype::u8, size);
  const std::string is_there = ": is in memory of GPU 3, which this engine cannot read";
  for (const bool slow : {true, false}) {
    engine on = slow ? engine::reference() : engine::cpu(1);
    EXPECT_EQ(refusal([&] { count_components(on, there, {.connectivity = 4}); }).rfind("image" + is_there, 0), 0u);
    const mutable_image out(memory_of_gpu_3, dtype::u8, size);
    EXPECT_EQ(refusal([&] { label(on, here, {.connectivity = 4}, out); }).rfind("labels" + is_there, 0), 0u);
    max_tree tree;
    EXPECT_EQ(refusal([&] { build(on, there, {.connectivity = 4}, tree); }).rfind("image" + is_there, 0), 0u);
    EXPECT_EQ(count_components(on, here, {.connectivity = 4}), 1u);
    EXPECT_EQ(on.last_choice().kind, on.kind());
  }
}

TEST(residence, what_the_driver_contradicts_is_refused) {
  const std::vector<std::uint8_t> pixels(12, 1);
  const extent size(3, 4);
  engine on = engine::cpu(1);
  const auto with = [&](const void* data, residence said) {
    return refusal([&] { count_components(on, {data, dtype::u8, size, said}, {.connectivity = 4}); });
  };
  EXPECT_EQ(with(pixels.data(), residence::host()), "nothing was refused");
  EXPECT_EQ(with(pixels.data(), residence::device(0)),
            "image: its residence is memory of GPU 0, but it is in host memory");
  EXPECT_EQ(with(memory_of_gpu_3, residence::host()),
            "image: its residence is host memory, but it is in memory of GPU 3");
  EXPECT_EQ(with(memory_of_gpu_3, residence::device(2)),
            "image: its residence is memory of GPU 2, but it is in memory of GPU 3");
}

TEST(residence, images_that_leave_the_memory_they_begin_in_are_refused) {
  const auto with = [&](unsigned char* data, const extent& size, i64 stride_of_y = 0) {
    image_view image(data, dtype::u8, size);
    if (stride_of_y != 0) image.strides.y = stride_of_y;
    return refusal([&] { require_reach_of_device("image", image, 3); });
  };
  const std::string leaves =
      "image: begins in memory of GPU 3, but has pixels outside of it; check its size and strides";
  EXPECT_EQ(with(memory_of_gpu_3, extent(8, 8)), "nothing was refused");
  EXPECT_EQ(with(memory_of_gpu_3 + 56, extent(8, 8), -8), "nothing was refused");
  EXPECT_EQ(with(memory_of_gpu_3, extent(5, 13)), leaves);
  EXPECT_EQ(with(memory_of_gpu_3 + 1, extent(8, 8)), leaves);
  EXPECT_EQ(with(memory_of_gpu_3 + 55, extent(8, 8), -8), leaves);
  EXPECT_EQ(with(memory_of_gpu_3, extent(8, 8), i64{1} << 62), leaves);  // more than there are addresses
  EXPECT_EQ(with(memory_of_gpu_3, extent(0, 8)), "nothing was refused");
  const image_view bits(memory_of_gpu_3, dtype::bit, extent(16, 31));
  EXPECT_EQ(refusal([&] { require_reach_of_device("image", bits, 3); }), "nothing was refused");
  const image_view more_bits(memory_of_gpu_3, dtype::bit, extent(16, 33));
  EXPECT_EQ(refusal([&] { require_reach_of_device("image", more_bits, 3); }), leaves);
}

TEST(residence, an_automatic_engine_stays_on_the_cpu_for_host_memory) {
  const std::vector<std::uint8_t> pixels(12, 1);
  const image_view image(pixels.data(), extent(3, 4));
  engine on = engine::automatic(2);
  EXPECT_EQ(on.last_choice().reason, "no call yet");
  on.set_profiling(true);
  EXPECT_EQ(count_components(on, image, {.connectivity = 4}), 1u);
  EXPECT_EQ(on.last_choice().kind, engine_kind::cpu);
  EXPECT_EQ(on.last_choice().reason, "no image is in device memory, and copies take longer than the work");
  EXPECT_GT(on.last_profile().milliseconds[1], 0);
  max_tree tree;
  build(on, image, {.connectivity = 4}, tree);
  EXPECT_EQ(on.last_choice().kind, engine_kind::cpu);
  attribute_table table;
  measure(on, tree, {}, table);
  EXPECT_EQ(on.last_choice().reason, "this engine computes it in host memory");
  EXPECT_EQ(published::label(on, "rosenfeld", {image, {.connectivity = 4}}, {}), 1u);
  EXPECT_EQ(on.last_choice().kind, engine_kind::cpu);
  EXPECT_EQ(on.last_choice().reason, "the method runs there");
  track_options film;
  film.size = extent(3, 4);
  film.connectivity = 4;
  const tracker stream(on, film);
  EXPECT_EQ(on.last_choice().kind, engine_kind::cpu);
  EXPECT_EQ(on.last_choice().reason, "there is no device for the stream");
  EXPECT_TRUE(on.inside().on_devices.empty());
}

// Gives an automatic engine a part for GPU 3, of which this build has no code.
void give_device_3(engine& on) {
  auto gpu = std::make_unique<engine::state>();
  gpu->kind = engine_kind::cuda;
  gpu->device = 3;
  on.inside().on_devices.push_back(std::move(gpu));
}

TEST(residence, an_automatic_engine_takes_a_call_to_the_device_of_any_image) {
  std::vector<std::uint8_t> pixels(12, 1), labels(12);
  const extent size(3, 4);
  const image_view here(pixels.data(), size), there(memory_of_gpu_3, dtype::u8, size);
  engine on = engine::automatic(1);
  give_device_3(on);
  EXPECT_THROW(count_components(on, there, {.connectivity = 4}), device_error);
  EXPECT_EQ(on.last_choice().kind, engine_kind::cuda);
  EXPECT_EQ(on.last_choice().reason, "image is in memory of GPU 3");
  EXPECT_THROW(label(on, here, {.connectivity = 4}, {memory_of_gpu_3, dtype::u8, size}), device_error);
  EXPECT_EQ(on.last_choice().reason, "labels is in memory of GPU 3");
  max_tree tree;
  EXPECT_THROW(build(on, there, {.connectivity = 4}, tree), device_error);
  EXPECT_EQ(on.last_choice().kind, engine_kind::cuda);
  region_table table;
  EXPECT_THROW(measure_regions(on, {.labels = here, .features = {.intensity = there}}, table), device_error);
  EXPECT_EQ(on.last_choice().reason, "intensity is in memory of GPU 3");
  EXPECT_EQ(count_components(on, here, {.connectivity = 4}), 1u);
  EXPECT_EQ(on.last_choice().kind, engine_kind::cpu);
}

TEST(residence, an_automatic_engine_names_what_its_engines_cannot_do) {
  const extent size(3, 4);
  const image_view there(memory_of_gpu_3, dtype::u8, size), wide(memory_of_gpu_3, dtype::i32, size);
  engine on = engine::automatic(1);
  EXPECT_EQ(refusal([&] { count_components(on, there, {.connectivity = 4}); }),
            "image: is in memory of GPU 3, but engine cuda: this build has no CUDA engine; copy it to host memory");
  EXPECT_THROW(published::label(on, "naive", {there, {.connectivity = 4}}, {}), device_error);
  give_device_3(on);
  max_tree tree;
  EXPECT_EQ(refusal([&] { build(on, wide, {.connectivity = 4}, tree); }).rfind("image: ", 0), 0u);
}

TEST(residence, jobs_of_the_host_refuse_memory_of_a_device) {
  std::vector<std::uint8_t> pixels(12, 1);
  const extent size(3, 4);
  const image_view there(memory_of_gpu_3, dtype::u8, size), here(pixels.data(), size);
  contact_table table;
  column_table columns;
  engine chooses = engine::automatic(1), cpu = engine::cpu(1);
  for (engine* on : {&chooses, &cpu}) {
    const auto contacts_of = [&] { return contacts(*on, {.labels = there, .connectivity = 4}, table); };
    EXPECT_EQ(refusal(contacts_of).rfind("labels: is in memory of GPU 3, which this engine cannot read", 0), 0u);
    EXPECT_EQ(refusal([&] { (void)otsu_threshold(*on, there); }).rfind("image: is in memory of GPU 3", 0), 0u);
    region_table rows;
    const auto channels = [&] { return measure_regions(*on, {.labels = here, .channels = {here, there}}, rows); };
    EXPECT_EQ(refusal(channels).rfind("channels[1]: is in memory of GPU 3", 0), 0u);
    column_request weighted;
    weighted.columns = {"centroid_weighted"}, weighted.channels = {there};
    const auto columns_of = [&] { return measure_columns(*on, here, weighted, columns); };
    EXPECT_EQ(refusal(columns_of).rfind("channels[0]: is in memory of GPU 3", 0), 0u);
  }
}

// What each of relabel(), remap(), find_extrema(), count_histograms(), find_quantiles(), measure_columns() and keep_regions()
// says of its first image, or of its second.
std::vector<std::string> refusals_of_regions(engine& on, const image_view& first, const mutable_image& second) {
  const label_map map{{1}, {2}};
  const region_pixels both{first, second};
  column_table columns;
  return {refusal([&] { relabel(on, first, {}, second); }),
          refusal([&] { remap(on, first, map, second); }),
          refusal([&] { (void)find_extrema(on, both); }),
          refusal([&] {
            (void)count_histograms(on, both, {0, 1});
          }),
          refusal([&] { (void)find_quantiles(on, both, {0.5}); }),
          refusal([&] { measure_columns(on, first, {.columns = {"intensity_mean"}, .intensity = second}, columns); }),
          refusal([&] {
            keep_regions(on, first, {{"perimeter", 0, 20}}, {}, second);
          })};
}

TEST(residence, jobs_on_regions_refuse_memory_that_their_engine_cannot_read) {
  std::vector<std::uint8_t> pixels(12, 1);
  const extent size(3, 4);
  const mutable_image there(memory_of_gpu_3, dtype::u8, size), here(pixels.data(), size);
  const std::string second[] = {"out", "out", "image", "image", "image", "intensity", "out"};
  outline_table polygons;
  engine chooses = engine::automatic(1), cpu = engine::cpu(1), slow = engine::reference();
  for (engine* on : {&chooses, &cpu, &slow}) {
    const std::string is_there = on == &chooses
                                     ? ": is in memory of GPU 3, but engine cuda: this build has no CUDA engine"
                                     : ": is in memory of GPU 3, which this engine cannot read";
    for (const std::string& text : refusals_of_regions(*on, there, here))
      EXPECT_EQ(text.rfind("labels" + is_there, 0), 0u) << text;
    const std::string text = refusal([&] { outline(*on, {.labels = there, .connectivity = 4}, polygons); });
    EXPECT_EQ(text.rfind("labels" + is_there, 0), 0u) << text;
    const std::vector<std::string> texts = refusals_of_regions(*on, here, there);
    for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(texts[i].rfind(second[i] + is_there, 0), 0u) << texts[i];
    EXPECT_EQ(pixels, std::vector<std::uint8_t>(12, 1));
  }
}

TEST(residence, jobs_on_regions_go_to_the_device_of_any_image) {
  std::vector<std::uint8_t> pixels(12, 1);
  const extent size(3, 4);
  const mutable_image there(memory_of_gpu_3, dtype::u8, size), here(pixels.data(), size);
  engine on = engine::automatic(1);
  give_device_3(on);
  EXPECT_THROW(relabel(on, there, {}, here), device_error);
  EXPECT_EQ(on.last_choice().reason, "labels is in memory of GPU 3");
  EXPECT_THROW(relabel(on, here, {}, there), device_error);
  EXPECT_EQ(on.last_choice().reason, "out is in memory of GPU 3");
  EXPECT_THROW(remap(on, here, {{1}, {2}}, there), device_error);
  EXPECT_EQ(on.last_choice().reason, "out is in memory of GPU 3");
  EXPECT_THROW((void)find_extrema(on, {here, there}), device_error);
  EXPECT_EQ(on.last_choice().reason, "image is in memory of GPU 3");
  EXPECT_THROW((void)count_histograms(on, {here, there}, {0, 1}), device_error);
  EXPECT_EQ(on.last_choice().kind, engine_kind::cuda);
  EXPECT_THROW((void)find_quantiles(on, {here, there}, {0.5}), device_error);
  EXPECT_EQ(on.last_choice().reason, "image is in memory of GPU 3");
  outline_table polygons;
  EXPECT_THROW(outline(on, {.labels = there, .connectivity = 4}, polygons), device_error);
  EXPECT_EQ(on.last_choice().reason, "labels is in memory of GPU 3");
  column_table columns;
  EXPECT_THROW(measure_columns(on, there, {.columns = {"perimeter"}}, columns), device_error);
  EXPECT_EQ(on.last_choice().reason, "labels is in memory of GPU 3");
  EXPECT_THROW(measure_columns(on, there, {.connectivity = 4}, {.columns = {"perimeter"}}, columns), device_error);
  EXPECT_EQ(on.last_choice().reason, "image is in memory of GPU 3");
  const column_request channels{.columns = {"perimeter"}, .channels = {here, there}};
  EXPECT_THROW(measure_columns(on, here, channels, columns), device_error);
  EXPECT_EQ(on.last_choice().reason, "channels[1] is in memory of GPU 3");
  EXPECT_EQ(relabel(on, here, {}, here), std::vector<label_bits>{1});
  EXPECT_EQ(on.last_choice().kind, engine_kind::cpu);
  EXPECT_EQ(find_extrema(on, {here, here}).labels, std::vector<label_bits>{1});
  EXPECT_EQ(on.last_choice().kind, engine_kind::cpu);
}

TEST(residence, a_cuda_engine_refuses_what_it_does_not_have_by_name) {
  std::vector<std::uint8_t> pixels(12, 1);
  const mutable_image here(pixels.data(), extent(3, 4));
  contact_table table;
  outline_table polygons;
  column_table columns;
  region_table rows;
  engine on = engine::cpu(1);
  on.inside().kind = engine_kind::cuda;  // stands for one of which this build has no code
  const auto has_no = [](const std::string& job) {
    return "on: the cuda engine has no " + job + "; use engine::cpu()";
  };
  EXPECT_EQ(refusal([&] { contacts(on, {.labels = here, .connectivity = 4}, table); }), has_no("contacts()"));
  EXPECT_THROW(outline(on, {.labels = here, .connectivity = 4}, polygons), device_error);
  const column_request weighted{.columns = {"centroid_weighted"}, .intensity = here};
  EXPECT_THROW(measure_columns(on, here, weighted, columns), device_error);
  EXPECT_THROW(measure_columns(on, here, {.columns = {"filled"}}, columns), device_error);
  EXPECT_THROW(measure_columns(on, here, {.columns = {"area", "perimeter"}}, columns), device_error);
  EXPECT_THROW(keep_regions(on, here, {}, {}, here), device_error);
  EXPECT_THROW(measure_regions(on, {.labels = here, .channels = {here}}, rows), device_error);
  EXPECT_THROW(relabel(on, here, {}, here), device_error);
  EXPECT_THROW(remap(on, here, {{1}, {2}}, here), device_error);
  EXPECT_THROW((void)find_extrema(on, {here, here}), device_error);
  EXPECT_THROW((void)count_histograms(on, {here, here}, {0, 1}), device_error);
  EXPECT_THROW((void)find_quantiles(on, {here, here}, {0.5}), device_error);
}

}  // namespace
}  // namespace skerry::test
