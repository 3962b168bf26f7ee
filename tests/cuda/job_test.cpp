// SPDX-License-Identifier: Apache-2.0
// Everything that an enqueued job can be asked for, frame by frame.
#include <cstring>

#include "cuda/device_packed.hpp"
#include "skerry/error.hpp"
#include "support/compare.hpp"
#include "support/mask.hpp"

namespace skerry::test {
namespace {

template <class Item>
device_bytes on_device(const std::vector<Item>& items) {
  std::vector<std::uint8_t> bytes(items.size() * sizeof(Item));
  std::memcpy(bytes.data(), items.data(), bytes.size());
  return device_bytes(bytes);
}

// A batch of frames, or one volume, with room for every result.
struct full_job {
  static constexpr std::uint64_t row_capacity = 20000, run_capacity = 60000;
  mask image;
  std::vector<float> values;
  std::size_t frames;
  device_bytes pixels, intensity_pixels, labels, rows, moments, intensities, scales, runs, offsets, run_offsets,
      overflow;
  device_packed packed;
  cuda::job work;

  full_job(const mask& from, int connectivity, const selection& keep)
      : image(from), values(values_of(from)),
        frames(connectivity == 4 || connectivity == 8 ? static_cast<std::size_t>(from.size.depth) : 1),
        pixels(from.pixels), intensity_pixels(on_device(values)), labels(from.pixels.size() * 4),
        rows(row_capacity * sizeof(geometry)), moments(row_capacity * sizeof(second_moments)),
        intensities(row_capacity * sizeof(intensity)), scales(frames * sizeof(intensity_scale)),
        runs(run_capacity * sizeof(labelled_run)), offsets((frames + 1) * 8), run_offsets((frames + 1) * 8),
        overflow(4), packed(from.size) {
    work.image = image_view(pixels.data(), dtype::u8, image.size);
    work.connectivity = connectivity;
    work.selection = keep;
    work.offsets = offsets.data<std::uint64_t>();
    work.labels = mutable_image(labels.data(), dtype::u32, image.size);
    work.packed = packed.view();
    work.row_capacity = row_capacity;
    work.rows = rows.data<geometry>();
    work.moments = moments.data<second_moments>();
    work.intensities = intensities.data<intensity>();
    work.intensity_image = image_view(intensity_pixels.data(), dtype::f32, image.size);
    work.scales = scales.data<intensity_scale>();
    work.run_capacity = run_capacity;
    work.runs = runs.data<labelled_run>();
    work.run_offsets = run_offsets.data<std::uint64_t>();
    work.overflow = overflow.data<std::uint32_t>();
  }

  // Values of all signs and sizes, largest in the first frame.
  static std::vector<float> values_of(const mask& from) {
    std::vector<float> values(from.pixels.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] =
          static_cast<float>(static_cast<int>(i * 2654435761u >> 20 & 0xfff) - 2000) / static_cast<float>(1 + i);
    return values;
  }

  void run() const {
    const std::size_t bytes = cuda::scratch_bytes(work);
    const device_bytes scratch(bytes);
    cuda::enqueue(work, scratch.data(), bytes, nullptr);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }

  [[nodiscard]] extent frame_size() const {
    return work.connectivity == 4 || work.connectivity == 8 ? extent(image.size.height, image.size.width) : image.size;
  }

  [[nodiscard]] reference::answer expected(std::size_t frame) const {
    const auto begin = frame * static_cast<std::size_t>(frame_size().pixels());
    return expected_answer({.image = {image.pixels.data() + begin, frame_size()},
                            .options = with_connectivity(work.connectivity, {}, work.selection),
                            .features = {.moments = true, .intensity = {values.data() + begin, frame_size()}}});
  }

  // The rows, runs and scale of one frame, as a table of its own.
  [[nodiscard]] feature_table table_of(std::uint64_t begin, std::uint64_t end, std::size_t frame) const {
    const auto cut = [&]<class Item>(const std::vector<Item>& all) {
      return table_rows<Item>(all.begin() + static_cast<std::ptrdiff_t>(begin),
                              all.begin() + static_cast<std::ptrdiff_t>(end));
    };
    feature_table table;
    table.rank = frame_size().rank;
    table.has_moments = table.has_intensities = true;
    table.components = cut(rows.copied<geometry>(end));
    table.moments = cut(moments.copied<second_moments>(end));
    table.intensities = cut(intensities.copied<intensity>(end));
    const intensity_scale scale = scales.copied<intensity_scale>(frames)[frame];
    table.sum_exponent = scale.sum_exponent;
    table.square_exponent = scale.square_exponent;
    return table;
  }

  void expect_reference() const {
    const auto offset = offsets.copied<std::uint64_t>(frames + 1),
               run_offset = run_offsets.copied<std::uint64_t>(frames + 1);
    const auto label = labels.copied<std::uint32_t>(image.pixels.size());
    EXPECT_TRUE(packed.unpacked() == label);
    const auto run = runs.copied<labelled_run>(run_offset[frames]);
    EXPECT_EQ(overflow.copied<std::uint32_t>(1)[0], 0u);
    EXPECT_EQ(offset[0], 0u);
    EXPECT_EQ(run_offset[0], 0u);
    for (std::size_t f = 0; f < frames; ++f) {
      SCOPED_TRACE(testing::Message() << "frame " << f);
      const reference::answer want = expected(f);
      EXPECT_EQ(offset[f + 1] - offset[f], want.count);
      const auto first = label.begin() + static_cast<std::ptrdiff_t>(f * want.labels.size());
      EXPECT_TRUE(std::equal(want.labels.begin(), want.labels.end(), first));
      EXPECT_TRUE(same_table(table_of(offset[f], offset[f + 1], f), want.table));
      EXPECT_TRUE(same_runs({run.begin() + static_cast<std::ptrdiff_t>(run_offset[f]),
                             run.begin() + static_cast<std::ptrdiff_t>(run_offset[f + 1])},
                            want.runs));
    }
  }
};

selection selection_number(int k) {
  switch (k) {
    case 1: return {.min_area = 2, .max_area = 60};
    case 2: return {.clear_border = true};
    case 3: return {.min_area = 2, .largest = 5};
    case 4: return {.largest = 300};
    case 5: return {.fill_holes = true, .clear_border = true, .largest = 3};
    default: return {};
  }
}

TEST(cuda_job, everything_for_each_frame_of_a_batch) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const int connectivity : {4, 8})
    for (int k = 0; k < 6; ++k) {
      SCOPED_TRACE(testing::Message() << "connectivity " << connectivity << ", selection " << k);
      const full_job job(random_mask(extent(5, 70, 200), 1 + k % 3, 40, static_cast<std::uint32_t>(k)), connectivity,
                         selection_number(k));
      job.run();
      job.expect_reference();
    }
}

TEST(cuda_job, everything_of_a_volume) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const int connectivity : {6, 18, 26})
    for (int k = 0; k < 6; ++k) {
      SCOPED_TRACE(testing::Message() << "connectivity " << connectivity << ", selection " << k);
      const full_job job(random_mask(extent(11, 20, 140), 1 + k % 3, 25, static_cast<std::uint32_t>(k)), connectivity,
                         selection_number(k));
      job.run();
      job.expect_reference();
    }
}

TEST(cuda_job, labels_can_be_first_pixels) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const int connectivity : {4, 8, 6, 18, 26}) {
    full_job job(random_mask(extent(3, 70, 140), 1, 35, 4), connectivity, selection_number(connectivity % 4));
    job.work.numbering = cuda::numbering::first_pixel;
    if (connectivity % 4 == 0) {  // nothing but labels: nothing is numbered
      const cuda::job all = job.work;
      job.work = {};
      job.work.image = all.image, job.work.connectivity = all.connectivity, job.work.selection = all.selection;
      job.work.labels = all.labels, job.work.numbering = all.numbering;
    }
    job.run();
    const auto got = job.labels.copied<std::uint32_t>(job.image.pixels.size());
    for (std::size_t f = 0; f < job.frames; ++f) {
      const reference::answer want = job.expected(f);
      std::vector<std::uint32_t> first(want.count + 1, 0);
      for (std::size_t i = want.labels.size(); i-- > 0;)
        if (want.labels[i] != 0) first[want.labels[i]] = static_cast<std::uint32_t>(i + 1);
      for (std::size_t i = 0; i < want.labels.size(); ++i)
        ASSERT_EQ(got[f * want.labels.size() + i], first[want.labels[i]]) << "frame " << f << ", pixel " << i;
    }
  }
}

TEST(cuda_job, images_that_are_read_may_lie_anywhere) {
  SKERRY_NEEDS_CUDA_DEVICE();
  full_job job(random_mask(extent(4, 33, 150), 2, 45, 6), 8, {});
  constexpr std::int64_t step = 7, begin = 1;  // bytes
  const extent& size = job.image.size;
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(begin + step * size.pixels())), intensities(pixels.size());
  for (std::size_t i = 0; i < job.image.pixels.size(); ++i) {
    const float value = job.image.pixels[i];
    std::memcpy(&pixels[begin + step * i], &value, sizeof value);
    std::memcpy(&intensities[begin + step * i], &job.values[i], sizeof value);
  }
  const device_bytes apart(pixels), intensities_apart(intensities);
  const byte_strides strides = {step * size.height * size.width, step * size.width, step};
  job.work.image = image_view(apart.data<char>() + begin, dtype::f32, size, strides);
  job.work.intensity_image = image_view(intensities_apart.data<char>() + begin, dtype::f32, size, strides);
  job.run();
  job.expect_reference();
}

TEST(cuda_job, what_does_not_fit_is_told) {
  SKERRY_NEEDS_CUDA_DEVICE();
  full_job job(random_mask(extent(2, 200, 200), 1, 30, 9), 4, {});
  job.work.labels = mutable_image(job.labels.data(), dtype::u8, job.image.size);
  job.work.row_capacity = 100;
  job.work.run_capacity = 1000;
  job.run();
  EXPECT_EQ(job.overflow.copied<std::uint32_t>(1)[0],
            cuda::rows_overflow | cuda::labels_overflow | cuda::runs_overflow);
  const auto offset = job.offsets.copied<std::uint64_t>(3), run_offset = job.run_offsets.copied<std::uint64_t>(3);
  const reference::answer want[2] = {job.expected(0), job.expected(1)};
  EXPECT_EQ(offset, (std::vector<std::uint64_t>{0, want[0].count, want[0].count + want[1].count}));
  EXPECT_EQ(run_offset,
            (std::vector<std::uint64_t>{0, want[0].runs.size(), want[0].runs.size() + want[1].runs.size()}));
  // What fits is there, and nothing is written past it.
  const auto junk_after = [](const device_bytes& memory, std::size_t bytes) {
    return memory.copied<std::uint8_t>(bytes + 200).back() == 0xcd;
  };
  EXPECT_TRUE(junk_after(job.rows, 100 * sizeof(geometry)));
  EXPECT_TRUE(junk_after(job.moments, 100 * sizeof(second_moments)));
  EXPECT_TRUE(junk_after(job.intensities, 100 * sizeof(intensity)));
  EXPECT_TRUE(junk_after(job.runs, 1000 * sizeof(labelled_run)));
  EXPECT_EQ(job.rows.copied<geometry>(100),
            std::vector<geometry>(want[0].table.components.begin(), want[0].table.components.begin() + 100));
  EXPECT_EQ(job.runs.copied<labelled_run>(1000),
            std::vector<labelled_run>(want[0].runs.begin(), want[0].runs.begin() + 1000));
}

TEST(cuda_job, contradictions_are_refused_by_name) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const full_job job(random_mask(extent(2, 20, 20), 1, 30, 9), 4, {});
  const auto expect_refused = [&](const char* name, const auto& spoil) {
    cuda::job wrong = job.work;
    spoil(wrong);
    try {
      (void)cuda::scratch_bytes(wrong);
      ADD_FAILURE() << name << " was not refused";
    } catch (const invalid_argument& error) {
      EXPECT_EQ(std::string(error.what()).rfind(name, 0), 0u) << error.what();
    }
  };
  expect_refused("row_capacity", [](cuda::job& w) { w.rows = nullptr; });
  expect_refused("run_capacity", [](cuda::job& w) { w.runs = nullptr; });
  expect_refused("packed.bits", [](cuda::job& w) { w.packed.bits = nullptr; });
  expect_refused("packed.labels", [](cuda::job& w) { w.packed.labels = nullptr; });
  expect_refused("moments", [](cuda::job& w) { w.rows = nullptr, w.row_capacity = 0; });
  expect_refused("intensity_image", [](cuda::job& w) { w.intensity_image = {}; });
  expect_refused("intensities", [](cuda::job& w) { w.intensities = nullptr; });
  expect_refused("intensity:", [](cuda::job& w) { w.intensity_image.size.width = 19; });
  expect_refused("selection", [](cuda::job& w) { w.selection.min_area = 3, w.selection.max_area = 2; });
  expect_refused("labels", [](cuda::job& w) {
    w.numbering = cuda::numbering::first_pixel;
    w.labels.type = dtype::u16;
  });
}

}  // namespace
}  // namespace skerry::test
