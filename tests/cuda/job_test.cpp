// SPDX-License-Identifier: Apache-2.0
// Everything that an enqueued job can be asked for, frame by frame.
#include <algorithm>
#include <cstring>

#include "cuda/full_job.hpp"
#include "skerry/error.hpp"

namespace skerry::test {
namespace {

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

// The job's label image, of another type and in memory of its own: `skipped` labels after a multiple of 256 bytes, with rows
// that are multiples of 16 bytes apart.
class placed_labels {
 public:
  placed_labels(full_job& job, dtype type, std::size_t skipped)
      : size_(job.image.size), label_bytes_(size_of(type)),
        row_bytes_((static_cast<std::size_t>(size_.width) * label_bytes_ + 15) / 16 * 16),
        begin_(skipped * label_bytes_), memory_(begin_ + static_cast<std::size_t>(size_.rows()) * row_bytes_) {
    const auto row = static_cast<std::int64_t>(row_bytes_);
    job.work.labels = mutable_image(memory_.data<char>() + begin_, type, size_,
                                    {row * size_.height, row, static_cast<std::int64_t>(label_bytes_)});
  }

  [[nodiscard]] std::vector<std::uint64_t> copied() const {
    const auto rows = static_cast<std::size_t>(size_.rows()), width = static_cast<std::size_t>(size_.width);
    const auto bytes = memory_.copied<std::uint8_t>(begin_ + rows * row_bytes_);
    std::vector<std::uint64_t> labels(rows * width, 0);
    for (std::size_t i = 0; i < labels.size(); ++i)
      std::memcpy(&labels[i], &bytes[begin_ + i / width * row_bytes_ + i % width * label_bytes_], label_bytes_);
    return labels;
  }

 private:
  extent size_;
  std::size_t label_bytes_, row_bytes_, begin_;
  device_bytes memory_;
};

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

TEST(cuda_job, everything_through_a_graph) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const int connectivity : {4, 8, 6, 18, 26})
    for (int k = 0; k < 6; ++k) {
      SCOPED_TRACE(testing::Message() << "connectivity " << connectivity << ", selection " << k);
      const bool batch = connectivity == 4 || connectivity == 8;
      full_job job(
          random_mask(batch ? extent(5, 70, 200) : extent(11, 20, 140), 1 + k % 3, 30, static_cast<std::uint32_t>(k)),
          connectivity, selection_number(k));
      std::vector<float> wide(job.image.pixels.begin(), job.image.pixels.end());
      const device_bytes floats = on_device(wide), bits = on_device(packed_bits(job.image));
      if (k % 3 == 1) job.work.image = image_view(floats.data(), dtype::f32, job.image.size);
      if (k % 3 == 2) job.work.image = image_view(bits.data(), dtype::bit, job.image.size);
      job.run_in_graph();
      job.expect_reference();
    }
}

// What touches the border is found by its pixels there, where no table needs boxes.
TEST(cuda_job, everything_but_tables_of_what_is_inside_or_filled) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const selection selections[] = {
      {.clear_border = true}, {.fill_holes = true}, {.fill_holes = true, .clear_border = true}};
  const extent batches[] = {{2, 1, 300}, {2, 64, 128}, {3, 65, 129}, {2, 200, 400}},
               volumes[] = {{1, 30, 40}, {8, 8, 128}, {9, 17, 129}, {20, 20, 140}};
  std::uint32_t seed = 0;
  for (const int connectivity : {4, 8, 6, 18, 26})
    for (const extent& size : connectivity == 4 || connectivity == 8 ? batches : volumes)
      for (const selection& keep : selections) {
        ++seed;
        SCOPED_TRACE(testing::Message() << "connectivity " << connectivity << ", image " << seed);
        full_job job(random_mask(size, 1 + seed % 3, 20 + seed % 5 * 15, seed), connectivity, keep);
        job.ask_for_no_table();
        job.run();
        job.expect_reference();
        ASSERT_FALSE(HasFailure());
      }
}

// Frames and volumes whose border has one row of tiles, one column or rings; the first has more tiles there than the kernel has blocks.
TEST(cuda_job, borders_of_every_shape) {
  SKERRY_NEEDS_CUDA_DEVICE();
  struct sized {
    extent size;
    int connectivity;
  };
  const sized cases[] = {{{1100, 1, 3}, 4},   {{300, 2, 260}, 8},  {{40, 210, 390}, 4}, {{3, 500, 2000}, 8},
                         {{20, 60, 500}, 26}, {{30, 300, 129}, 6}, {{130, 9, 1000}, 18}};
  std::uint32_t seed = 40;
  for (const sized& each : cases) {
    SCOPED_TRACE(testing::Message() << "connectivity " << each.connectivity << ", image " << ++seed);
    full_job job(random_mask(each.size, 6 + seed % 3, 10, seed), each.connectivity, {.clear_border = true});
    job.ask_for_no_table();
    job.run();
    job.expect_reference();
    ASSERT_FALSE(HasFailure());
  }
}

// Pixels none of which are neighbours, as many as there can be.
mask isolated_pixels(const extent& size, int connectivity) {
  mask image = empty_mask(size);
  const auto width = static_cast<std::size_t>(size.width), height = static_cast<std::size_t>(size.height);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    const std::size_t x = i % width, y = i / width % height, z = i / width / height;
    switch (connectivity) {
      case 4: image.pixels[i] = (x + y) % 2 == 0; break;
      case 6: image.pixels[i] = (x + y + z) % 2 == 0; break;
      case 8: image.pixels[i] = x % 2 == 0 && y % 2 == 0; break;
      case 18: image.pixels[i] = x % 2 == y % 2 && y % 2 == z % 2; break;
      default: image.pixels[i] = x % 2 == 0 && y % 2 == 0 && z % 2 == 0; break;
    }
  }
  return image;
}

TEST(cuda_job, everything_of_as_many_components_as_there_can_be) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const int connectivity : {4, 8, 6, 18, 26}) {
    SCOPED_TRACE(testing::Message() << "connectivity " << connectivity);
    const bool batch = connectivity == 4 || connectivity == 8;
    const full_job job(isolated_pixels(batch ? extent(2, 64, 250) : extent(10, 16, 200), connectivity), connectivity,
                       {});
    job.run();
    job.expect_reference();
  }
}

void expect_first_pixels(const full_job& job, const std::vector<std::uint64_t>& labels) {
  for (std::size_t f = 0; f < job.frames; ++f) {
    const reference::answer want = job.expected(f);
    std::vector<std::uint64_t> first(want.count + 1, 0);
    for (std::size_t i = want.labels.size(); i-- > 0;)
      if (want.labels[i] != 0) first[want.labels[i]] = i + 1;
    for (std::size_t i = 0; i < want.labels.size(); ++i)
      ASSERT_EQ(labels[f * want.labels.size() + i], first[want.labels[i]]) << "frame " << f << ", pixel " << i;
  }
}

TEST(cuda_job, labels_can_be_first_pixels) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const dtype type : {dtype::u32, dtype::u64})
    for (const int connectivity : {4, 8, 6, 18, 26}) {
      SCOPED_TRACE(testing::Message() << "connectivity " << connectivity << ", bytes " << size_of(type));
      full_job job(random_mask(extent(3, 70, 140), 1, 35, 4), connectivity, selection_number(connectivity % 4));
      const placed_labels labels(job, type, 0);
      job.work.numbering = cuda::numbering::first_pixel;
      if (connectivity % 4 == 0) {  // nothing but labels: nothing is numbered
        const cuda::label_job all = job.work;
        job.work = {};
        job.work.image = all.image, job.work.connectivity = all.connectivity, job.work.selection = all.selection;
        job.work.labels = all.labels, job.work.numbering = all.numbering;
      }
      if (connectivity % 8 == 0 || connectivity == 6) job.run_in_graph();
      else job.run();
      expect_first_pixels(job, labels.copied());
      ASSERT_FALSE(HasFailure());
    }
}

TEST(cuda_job, label_images_may_begin_anywhere) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const dtype type : {dtype::u8, dtype::u16, dtype::u32, dtype::u64})
    for (const std::size_t skipped : {0, 1, 3})
      for (const int connectivity : {8, 6}) {
        SCOPED_TRACE(testing::Message() << "connectivity " << connectivity << ", bytes " << size_of(type) << ", after "
                                        << skipped);
        full_job job(random_mask(extent(3, 33, 150), 8, 45, 6), connectivity, {});
        const placed_labels labels(job, type, skipped);
        job.run();
        const std::vector<std::uint64_t> got = labels.copied();
        for (std::size_t f = 0; f < job.frames; ++f) {
          const reference::answer want = job.expected(f);
          ASSERT_LT(want.count, 256U);
          const auto begin = got.begin() + static_cast<std::ptrdiff_t>(f * want.labels.size());
          ASSERT_TRUE(std::equal(want.labels.begin(), want.labels.end(), begin)) << "frame " << f;
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
  EXPECT_TRUE(junk_after(job.intensities, 100 * sizeof(real_intensity)));
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
    cuda::label_job wrong = job.work;
    spoil(wrong);
    try {
      (void)cuda::scratch_bytes(wrong);
      ADD_FAILURE() << name << " was not refused";
    } catch (const invalid_argument& error) {
      EXPECT_EQ(std::string(error.what()).rfind(name, 0), 0u) << error.what();
    }
  };
  expect_refused("row_capacity", [](cuda::label_job& w) { w.rows = nullptr; });
  expect_refused("run_capacity", [](cuda::label_job& w) { w.runs = nullptr; });
  expect_refused("packed.bits", [](cuda::label_job& w) { w.packed.bits = nullptr; });
  expect_refused("packed.labels", [](cuda::label_job& w) { w.packed.labels = nullptr; });
  expect_refused("moments", [](cuda::label_job& w) { w.rows = nullptr, w.row_capacity = 0; });
  expect_refused("intensity_image", [](cuda::label_job& w) { w.intensity_image = {}; });
  expect_refused("real_intensities", [](cuda::label_job& w) { w.real_intensities = nullptr; });
  expect_refused("intensities",
                 [](cuda::label_job& w) { w.intensities = reinterpret_cast<intensity*>(w.real_intensities); });
  expect_refused("real_intensities", [](cuda::label_job& w) { w.intensity_image.type = dtype::i32; });
  expect_refused("intensity:", [](cuda::label_job& w) { w.intensity_image.size.width = 19; });
  expect_refused("selection", [](cuda::label_job& w) { w.selection.min_area = 3, w.selection.max_area = 2; });
  expect_refused("labels", [](cuda::label_job& w) {
    w.numbering = cuda::numbering::first_pixel;
    w.labels.type = dtype::u16;
  });
}

}  // namespace
}  // namespace skerry::test
