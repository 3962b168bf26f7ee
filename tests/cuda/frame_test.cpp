// SPDX-License-Identifier: Apache-2.0
// One small frame in one kernel: sizes around words and strips, images that are hard to join, overflow, graphs.
#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "cuda/captured_graph.hpp"
#include "cuda/device_packed.hpp"
#include "cuda/plans.hpp"
#include "skerry/cuda.hpp"
#include "support/adversarial.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"

namespace skerry::test {
namespace {

struct frame_answer {
  std::uint64_t count = 0;
  std::vector<std::uint32_t> labels;
  table_rows<geometry> rows;
};

// The reference, or for large frames the CPU, which is tested against it.
frame_answer answer_for(const mask& image, int connectivity, const foreground& rule = {}) {
  engine on = image.pixels.size() > 100000 ? engine::cpu() : engine::reference();
  frame_answer answer;
  feature_table table;
  answer.labels.resize(image.pixels.size());
  answer.count = label(on, {image.view(), with_connectivity(connectivity, rule)},
                       {.labels = {answer.labels.data(), image.size}, .table = &table});
  answer.rows = table.components;
  return answer;
}

// A frame in device memory, `offset` bytes after a multiple of 256 and with `gap` bytes between rows.
class frame_job {
 public:
  frame_job(const mask& image, int connectivity, std::uint64_t capacity, std::size_t offset = 0, std::size_t gap = 0)
      : image_(image), pixels_(placed(image, offset, gap)), labels_(image.pixels.size() * 4),
        room_(std::max<std::uint64_t>(capacity, image.pixels.size() / 64 + 1)), rows_((room_ + 1) * sizeof(geometry)),
        offsets_(16), overflow_(4), packed_(image.size) {
    work.image = image_view(pixels_.data<std::uint8_t>() + offset, dtype::u8, image.size);
    work.image.strides.y += static_cast<std::int64_t>(gap);
    work.connectivity = connectivity;
    work.labels = mutable_image(labels_.data(), dtype::u32, image.size);
    work.packed = packed_.view();
    work.rows = rows_.data<geometry>();
    work.row_capacity = capacity;
    work.offsets = offsets_.data<std::uint64_t>();
    work.overflow = overflow_.data<std::uint32_t>();
    give_scratch();
  }

  void give_scratch() {
    scratch_ = std::make_unique<device_bytes>(std::max<std::size_t>(cuda::scratch_bytes(work), 1));
  }

  void enqueue(cudaStream_t stream = nullptr) const {
    if (stream == nullptr) packed_.forget();
    plan_of(work).enqueue(scratch_->data(), stream);
  }
  /// Rows that there is memory for: more than the table of a frame of few components has.
  [[nodiscard]] std::uint64_t room() const { return room_; }
  [[nodiscard]] std::uint64_t count() const { return offsets_.copied<std::uint64_t>(2)[1]; }
  [[nodiscard]] std::vector<geometry> rows(std::size_t count) const { return rows_.copied<geometry>(count); }
  [[nodiscard]] std::uint32_t overflow() const { return overflow_.copied<std::uint32_t>(1)[0]; }
  [[nodiscard]] std::vector<std::uint32_t> labels() const {
    return labels_.copied<std::uint32_t>(image_.pixels.size());
  }

  void expect(const frame_answer& want) const {
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    ASSERT_EQ(offsets_.copied<std::uint64_t>(2), (std::vector<std::uint64_t>{0, want.count}));
    if (work.rows != nullptr) {
      EXPECT_TRUE(std::ranges::equal(rows(want.count), want.rows));
    }
    EXPECT_EQ(overflow(), 0u);
    if (work.labels.data != nullptr) {
      EXPECT_TRUE(labels() == want.labels);
    }
    if (work.packed.bits != nullptr) {
      EXPECT_TRUE(packed_.unpacked() == want.labels);
    }
  }

  cuda::label_job work;

 private:
  static std::vector<std::uint8_t> placed(const mask& image, std::size_t offset, std::size_t gap) {
    const auto width = static_cast<std::size_t>(image.size.width), height = static_cast<std::size_t>(image.size.height);
    std::vector<std::uint8_t> bytes(offset + height * (width + gap), 1);  // what lies between rows is not looked at
    for (std::size_t y = 0; y < height; ++y)
      std::memcpy(bytes.data() + offset + y * (width + gap), image.pixels.data() + y * width, width);
    return bytes;
  }

  mask image_;
  device_bytes pixels_, labels_;
  std::uint64_t room_;
  device_bytes rows_, offsets_, overflow_;
  device_packed packed_;
  std::unique_ptr<device_bytes> scratch_;
};

void expect_answer(const mask& image, std::size_t offset = 0, std::size_t gap = 0) {
  for (const int connectivity : {4, 8}) {
    SCOPED_TRACE(testing::Message() << image.size.height << " x " << image.size.width << ", " << connectivity
                                    << ", offset " << offset << ", gap " << gap);
    const frame_answer want = answer_for(image, connectivity);
    frame_job job(image, connectivity, want.count, offset, gap);
    const cuda::label_job all = job.work;
    const auto expect_job = [&] {
      job.give_scratch();
      job.enqueue();
      job.expect(want);
    };
    for (const bool one_kernel : {true, false}) {
      job.work = all;
      job.work.one_kernel = one_kernel;
      expect_job();
      job.work.labels = {};
      expect_job();
      job.work.packed = {};
      expect_job();
      job.work.row_capacity = job.room();
      expect_job();
      job.work.labels = all.labels;
      expect_job();
      job.work.rows = nullptr;
      job.work.row_capacity = 0;
      expect_job();
      job.work.labels = {};
      job.work.packed = all.packed;
      expect_job();
    }
  }
}

TEST(cuda_frame, sizes_around_words_and_strips) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::uint32_t seed = 0;
  for (const std::int64_t height : {1, 2, 3, 31, 64, 65, 127, 130})
    for (const std::int64_t width : {1, 2, 31, 32, 33, 63, 64, 65, 96, 127, 129, 257, 1030}) {
      const mask image = random_mask(extent(height, width), 1 + seed % 3, 20 + seed % 61, seed + 1);
      expect_answer(image, seed % 2 * (seed % 37), seed % 3 * (seed % 19));
      ++seed;
      ASSERT_FALSE(HasFailure());
    }
}

TEST(cuda_frame, the_longest_sides) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const extent size : {extent(8192, 8), extent(8, 8192), extent(8192, 1), extent(1, 8192), extent(8193, 8)})
    expect_answer(random_mask(size, 1, 45, 1));
}

TEST(cuda_frame, hard_images) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const auto& [height, width] : {std::pair{150, 260}, {256, 256}, {720, 1280}, {1024, 1024}})
    for (const named_mask& hard : adversarial_planes(height, width)) {
      SCOPED_TRACE(hard.name);
      expect_answer(hard.image);
      ASSERT_FALSE(HasFailure());
    }
}

TEST(cuda_frame, noise_of_every_density) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const std::int64_t side : {256, 500, 1024})
    for (int density = 0; density <= 100; density += 10) {
      expect_answer(random_mask(extent(side, side), 1, density, 7));
      expect_answer(random_mask(extent(side, side), 8, density, 7));
      ASSERT_FALSE(HasFailure());
    }
}

TEST(cuda_frame, random_small_frames) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::mt19937 draw(5);
  for (int i = 0; i < scaled(1000) && !HasFailure(); ++i) {
    const extent size(1 + draw() % 150, 1 + draw() % 300);
    const mask image = random_mask(size, 1 << draw() % 3, draw() % 101, draw());
    expect_answer(image, draw() % 2 * (draw() % 64), draw() % 2 * (draw() % 64));
  }
}

// One kernel does not sum them.
TEST(cuda_frame, real_intensities_without_moments) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const mask image = random_mask(extent(200, 300), 4, 40, 9);
  std::vector<float> values(image.pixels.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000) / 8;
  const measure_options features = {.intensity = image_view(values.data(), dtype::f32, image.size)};
  feature_table want, got;
  engine cpu = engine::cpu(), device = engine::cuda();
  label(cpu, {image.view(), with_connectivity(8), features}, {.table = &want});
  label(device, {image.view(), with_connectivity(8), features}, {.table = &got});
  EXPECT_TRUE(std::ranges::equal(got.components, want.components));
  EXPECT_TRUE(std::ranges::equal(got.real_intensities, want.real_intensities));
}

// Enqueues all of them again and again.
void expect_each_time(const frame_answer& want, std::initializer_list<const frame_job*> jobs) {
  for (int i = 0; i < scaled(200); ++i) {
    SCOPED_TRACE(i);
    for (const frame_job* job : jobs) job->enqueue();
    for (const frame_job* job : jobs) job->expect(want);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

TEST(cuda_frame, the_same_bits_200_times) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const int connectivity : {4, 8}) {
    const mask image = random_mask(extent(1000, 1000), 1, connectivity == 4 ? 60 : 42, 3);
    const frame_answer want = answer_for(image, connectivity);
    frame_job job(image, connectivity, want.count);
    job.work.packed = {};
    expect_each_time(want, {&job});
  }
}

// Squares of these sides, of one density after the other, in frames whose rows begin anywhere.
void expect_answers(std::initializer_list<extent> sizes, std::initializer_list<int> sides,
                    const std::vector<int>& densities) {
  std::uint32_t seed = 0;
  for (const extent& size : sizes)
    for (const int side : sides) {
      expect_answer(random_mask(size, side, densities[seed % densities.size()], seed + 1), seed % 2 * (seed % 37),
                    seed % 3 * (seed % 19));
      ++seed;
      ASSERT_FALSE(testing::Test::HasFailure());
    }
}

TEST(cuda_frame, few_tiles_of_a_thread_for_each_pixel) {
  SKERRY_NEEDS_CUDA_DEVICE();
  expect_answers({extent(40, 70), extent(130, 160)}, {1}, {45, 60});
}

// Labels and tables by their pixels: as one cluster, as a grid with one and with two pixels for a thread, and beyond the limits.
TEST(cuda_frame, tiles_of_a_thread_for_each_pixel) {
  SKERRY_NEEDS_CUDA_DEVICE();
  expect_answers({extent(128, 128), extent(129, 128), extent(32, 512), extent(161, 95), extent(255, 257),
                  extent(512, 512), extent(300, 830), extent(1024, 225), extent(1025, 60), extent(500, 800),
                  extent(512, 1024), extent(1024, 32), extent(700, 800)},
                 {1, 3, 32}, {25, 40, 55, 70});
}

// Each tile has a block: with narrow words and with wide ones, with tiles that end outside, and rows that begin anywhere.
TEST(cuda_frame, tiles_that_all_run_at_once) {
  SKERRY_NEEDS_CUDA_DEVICE();
  expect_answers({extent(641, 1025), extent(1024, 1024), extent(1290, 1030), extent(1030, 2100), extent(130, 4096),
                  extent(129, 4097), extent(2100, 250)},
                 {1, 4, 40}, {35, 50, 65});
}

TEST(cuda_frame, tiles_that_all_run_at_once_200_times) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const int connectivity : {4, 8})
    for (const std::int64_t side : {125, 500, 1000, 1700}) {
      const mask image = random_mask(extent(side, side), 1, connectivity == 4 ? 60 : 42, 3);
      const frame_answer want = answer_for(image, connectivity);
      frame_job labels(image, connectivity, 0), rows(image, connectivity, want.count);
      labels.work.packed = rows.work.packed = {};
      labels.work.rows = nullptr;
      rows.work.labels = {};
      expect_each_time(want, {&labels, &rows});
    }
}

TEST(cuda_frame, labels_of_any_type_at_any_distance) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const mask image = random_mask(extent(300, 401), 32, 40, 5);
  for (const int connectivity : {4, 8}) {
    const frame_answer want = answer_for(image, connectivity);
    ASSERT_LT(want.count, 256U);
    for (const dtype type : {dtype::u8, dtype::u16, dtype::u32, dtype::u64})
      for (const std::int64_t step : {1, 3}) {  // in labels
        const auto bytes = static_cast<std::int64_t>(size_of(type)), row = 401 * step * bytes;
        const device_bytes memory(static_cast<std::size_t>(300 * row));
        frame_job job(image, connectivity, 0);
        job.work.rows = nullptr;
        job.work.packed = {};
        job.work.labels = mutable_image(memory.data(), type, image.size, {300 * row, row, step * bytes});
        job.enqueue();
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        const auto got = memory.copied<std::uint8_t>(static_cast<std::size_t>(300 * row));
        for (std::size_t i = 0; i < want.labels.size(); ++i)
          ASSERT_EQ(got[i * static_cast<std::size_t>(step * bytes)], want.labels[i]) << i << ", " << size_of(type);
      }
  }
}

TEST(cuda_frame, labels_can_be_first_pixels) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const extent size : {extent(60, 100), extent(100, 300), extent(500, 600), extent(1000, 1030)})
    for (const int connectivity : {4, 8})
      for (const bool counted : {true, false}) {
        const mask image = random_mask(size, 2, 45, 3);
        const frame_answer want = answer_for(image, connectivity);
        std::vector<std::uint32_t> first(want.count + 1);
        for (std::size_t i = image.pixels.size(); i-- > 0;)
          if (want.labels[i] != 0) first[want.labels[i]] = static_cast<std::uint32_t>(i + 1);
        frame_job job(image, connectivity, 0);
        job.work.rows = nullptr;
        job.work.packed = {};
        if (!counted) job.work.offsets = nullptr, job.work.overflow = nullptr;
        job.enqueue();
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_EQ(job.labels(), want.labels);
        job.work.numbering = cuda::numbering::first_pixel;
        job.enqueue();
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        const std::vector<std::uint32_t> got = job.labels();
        for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], first[want.labels[i]]) << i;
        if (counted) {
          EXPECT_EQ(job.count(), want.count);
        }
      }
}

// Of a table with room for fewer rows than there are components: those that fit are right, nothing is written behind them.
void expect_rows_that_fit(frame_job& job, const frame_answer& want) {
  const std::uint64_t room = job.work.row_capacity;
  ASSERT_GT(want.count, room);
  job.work.packed = {};
  job.give_scratch();
  const geometry guard = job.rows(room + 1)[room];
  job.enqueue();
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(job.count(), want.count);
  EXPECT_EQ(job.rows(room + 1)[room], guard);
  EXPECT_EQ(job.overflow(), cuda::rows_overflow);
  const std::vector<geometry> rows = job.rows(room);
  EXPECT_TRUE(std::equal(rows.begin(), rows.end(), want.rows.begin()));
}

TEST(cuda_frame, too_few_rows_of_a_large_frame) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const mask image = random_mask(extent(1000, 1000), 1, 20, 9);
  frame_job job(image, 4, 1000);
  job.work.labels = {};
  expect_rows_that_fit(job, answer_for(image, 4));
}

// Room for few rows, which one cluster makes, and for many, with and without a label image beside the table.
TEST(cuda_frame, too_few_rows_still_give_the_true_count) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const mask image = random_mask(extent(300, 300), 1, 30, 9);
  for (const int connectivity : {4, 8})
    for (const std::uint64_t room : {100, 2000})
      for (const bool labels : {true, false}) {
        frame_job job(image, connectivity, room);
        if (!labels) job.work.labels = {};
        expect_rows_that_fit(job, answer_for(image, connectivity));
      }
}

TEST(cuda_frame, too_many_labels_still_give_the_true_count) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const mask image = random_mask(extent(300, 300), 1, 30, 9);
  const frame_answer want = answer_for(image, 8);
  frame_job job(image, 8, 0);
  job.work.packed = {};
  job.work.rows = nullptr;
  job.work.labels.type = dtype::u8;
  job.work.labels.strides = mutable_image(nullptr, dtype::u8, image.size).strides;
  job.give_scratch();
  job.enqueue();
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(job.count(), want.count);
  EXPECT_EQ(job.overflow(), cuda::labels_overflow);
}

TEST(cuda_frame, wide_pixels_and_filled_holes) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const int connectivity : {4, 8})
    for (const std::int64_t width : {64, 150, 301}) {
      const mask image = random_mask(extent(130, width), 2, 55, 9);
      std::vector<float> values(image.pixels.size());
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = image.pixels[i] != 0 ? 2.5F : -1.0F;
      const foreground rule = foreground::above(0.5);
      const label_options options = with_connectivity(connectivity, rule, {.fill_holes = true});
      const reference::answer want =
          expected_answer({.image = image_view(values.data(), dtype::f32, image.size), .options = options});
      frame_job job(image, connectivity, want.count);
      std::vector<std::uint8_t> bytes(values.size() * sizeof(float));
      std::memcpy(bytes.data(), values.data(), bytes.size());
      const device_bytes pixels(bytes);
      job.work.image = image_view(pixels.data(), dtype::f32, image.size);
      job.work.foreground = rule;
      job.work.selection = options.selection;
      job.give_scratch();
      job.enqueue();
      job.expect({want.count, {want.labels.begin(), want.labels.end()}, want.table.components});
    }
}

TEST(cuda_frame, graphs) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const std::int64_t side : {100, 256, 1024}) {
    const mask image = random_mask(extent(side, side), 4, 40, 5);
    const frame_answer want = answer_for(image, 8);
    frame_job job(image, 8, want.count);
    const captured_graph graph([&](cudaStream_t stream) {
      for (const bool early : {false, true, true}) {
        job.work.early_launch = early;
        job.enqueue(stream);
      }
    });
    graph.launch(3);
    job.expect(want);
  }
}

// The way through tiles gives the same answers, so only the graph tells which way a frame has taken.
TEST(cuda_frame, a_frame_is_one_kernel) {
  SKERRY_NEEDS_CUDA_DEVICE();
  int major = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), cudaSuccess);
  if (major < 9) GTEST_SKIP() << "the device has no clusters";
  for (const int connectivity : {4, 8})
    for (const std::int64_t side : {64, 256, 1024}) {
      frame_job job(random_mask(extent(side, side), 4, 40, 5), connectivity, 100000);
      job.work.labels = {};
      const auto kernels = [&] {
        job.give_scratch();
        return captured_graph([&](cudaStream_t stream) { job.enqueue(stream); }).kernels();
      };
      EXPECT_EQ(kernels(), 1U) << side;
      job.work.one_kernel = false;
      EXPECT_GT(kernels(), 1U) << side;
    }
}

TEST(cuda_frame, a_label_image_is_one_kernel) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const int connectivity : {4, 8})
    for (const std::int64_t side : {64, 256, 1024}) {
      frame_job job(random_mask(extent(side, side), 4, 40, 5), connectivity, 0);
      job.work.rows = nullptr;
      job.work.packed = {};
      const auto kernels = [&] {
        job.give_scratch();
        return captured_graph([&](cudaStream_t stream) { job.enqueue(stream); }).kernels();
      };
      EXPECT_EQ(kernels(), 1U) << side;
      job.work.one_kernel = false;
      EXPECT_GT(kernels(), 1U) << side;
    }
}

}  // namespace
}  // namespace skerry::test
