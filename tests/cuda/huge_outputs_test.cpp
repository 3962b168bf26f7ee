// SPDX-License-Identifier: Apache-2.0
// More than 2^31 pixels at once: what huge_test.cpp has not, which is runs, selections, moments, intensities, and labels
// that are first pixels. Images are few bytes, as there. Answers are the CPU's, or closed forms.
#include <algorithm>
#include <iostream>

#include "cuda/device_image.hpp"
#include "cuda/label_pattern.hpp"
#include "cuda/plans.hpp"
#include "skerry/cuda.hpp"
#include "support/bars.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

constexpr std::int64_t width = 65536;

// Whether a job's scratch and `more` bytes of device memory can be had; a note when they cannot.
bool has_room(const cuda::label_job& work, std::size_t more = 0) {
  const std::size_t bytes = cuda::scratch_bytes(work) + more;
  std::size_t free = 0, total = 0;
  EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  const bool fits = bytes + (std::size_t{1} << 28) <= free;
  if (!fits)
    std::cout << "left out: " << (bytes >> 30) << " GiB of device memory needed, " << (free >> 30) << " GiB free\n";
  return fits;
}

void run(const cuda::label_job& work) {
  const std::size_t bytes = cuda::scratch_bytes(work);
  const device_bytes scratch(bytes);
  plan_of(work).enqueue(scratch.data(), nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

// An image in memory of the host and of the device.
struct twins {
  image_view here, there;
};

// Every list and table of an image, against the CPU.
void expect_lists(const twins& image, const twins& intensity, int connectivity, const selection& keep) {
  SCOPED_TRACE(testing::Message() << "connectivity " << connectivity << ", largest " << keep.largest);
  ASSERT_GT(image.here.size.pixels(), std::int64_t{1} << 31);
  engine cpu = engine::cpu();
  feature_table want;
  std::vector<labelled_run> want_runs;
  label(cpu, {image.here, with_connectivity(connectivity, {}, keep), {.moments = true, .intensity = intensity.here}},
        {.labels = {}, .runs = &want_runs, .table = &want});
  const std::size_t count = want.size(), runs = want_runs.size();
  const device_bytes rows(count * sizeof(geometry)), moments(count * sizeof(second_moments)),
      intensities(count * sizeof(skerry::intensity)), run_list(runs * sizeof(labelled_run)), offsets(16),
      run_offsets(16);
  cuda::label_job work;
  work.image = image.there;
  work.connectivity = connectivity;
  work.selection = keep;
  work.row_capacity = count;
  work.rows = rows.data<geometry>();
  work.moments = moments.data<second_moments>();
  work.intensities = intensities.data<skerry::intensity>();
  work.intensity_image = intensity.there;
  work.run_capacity = runs;
  work.runs = run_list.data<labelled_run>();
  work.offsets = offsets.data<std::uint64_t>();
  work.run_offsets = run_offsets.data<std::uint64_t>();
  if (!has_room(work)) return;
  run(work);
  ASSERT_EQ(offsets.copied<std::uint64_t>(2)[1], count);
  ASSERT_EQ(run_offsets.copied<std::uint64_t>(2)[1], runs);
  feature_table got = want;
  const auto fill = []<class Item>(table_rows<Item>& to, const std::vector<Item>& from) {
    to = table_rows<Item>(from.begin(), from.end());
  };
  fill(got.components, rows.copied<geometry>(count));
  fill(got.moments, moments.copied<second_moments>(count));
  fill(got.intensities, intensities.copied<skerry::intensity>(count));
  EXPECT_TRUE(same_table(got, want));
  EXPECT_TRUE(same_runs(run_list.copied<labelled_run>(runs), want_runs));
}

// Half a million bars of nearly the same area, or one component; brightness varies along diagonals.
TEST(cuda_huge_outputs, planes) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const std::int64_t height = test_scale() < 1 ? 33000 : 70000;
  const sliding_bars bars(height, width, sliding_bars::step);
  const device_bytes pixels(bars.bits());
  std::vector<std::uint8_t> values(static_cast<std::size_t>(2 * (width + height)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i * 2654435761u >> 13);
  const device_bytes values_there(values);
  const auto bright = [&](const void* data) { return image_view(data, dtype::u16, extent(height, width), {0, 2, 2}); };
  for (const int connectivity : {4, 8})
    for (const selection& keep : {selection{}, selection{.largest = 200001}})
      expect_lists({bars.image(height), bars.image(pixels.data(), height)},
                   {bright(values.data()), bright(values_there.data())}, connectivity, keep);
}

TEST(cuda_huge_outputs, volumes) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const extent size(1000, 1500, 1503);
  const std::vector<std::uint8_t> row = row_of(size.width, {{3, 70}, {100, 1000}, {1002, 1503}});
  std::vector<std::uint8_t> values(4096);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i * 2654435761u >> 13);
  const device_bytes pixels(row), values_there(values);
  const auto bars = [&](const void* data) { return image_view(data, dtype::bit, size, {0, 0, 0}); };
  const auto bright = [&](const void* data) { return image_view(data, dtype::u8, size, {1, 0, 1}); };
  for (const int connectivity : {6, 18, 26})
    expect_lists({bars(row.data()), bars(pixels.data())}, {bright(values.data()), bright(values_there.data())},
                 connectivity, {.largest = 2});
}

TEST(cuda_huge_outputs, labels_that_are_first_pixels) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const std::int64_t height = test_scale() < 1 ? 33000 : 65535;  // 2^32 - 2 pixels at most
  const sliding_bars bars(height, width, sliding_bars::step);
  const device_bytes pixels(bars.bits());
  cuda::label_job work;
  work.image = bars.image(pixels.data(), height);
  work.connectivity = 4;
  work.numbering = cuda::numbering::first_pixel;
  ASSERT_GT(work.image.size.pixels(), std::int64_t{1} << 31);
  label_pattern want{width, std::vector<std::uint32_t>(2 * width, 0), width};
  for (std::int64_t row = 0; row < 2; ++row)
    for (const bar& b : bars.bars_of(row))
      std::fill_n(want.labels.begin() + row * width + b.begin, b.end - b.begin,
                  static_cast<std::uint32_t>(b.begin + 1));
  const auto bytes = static_cast<std::size_t>(work.image.size.pixels()) * sizeof(std::uint32_t);
  if (!has_room(work, bytes)) return;
  const device_bytes labels(bytes);
  work.labels = {labels.data<std::uint32_t>(), work.image.size};
  run(work);
  EXPECT_EQ(labels_that_differ(labels.data<std::uint32_t>(), height, want), 0U);
}

}  // namespace
}  // namespace skerry::test
