// SPDX-License-Identifier: Apache-2.0
// More than 2^31 pixels at once: planes, volumes and batches that are few bytes of image, because their rows are the
// same memory; label images and tables are as large as they say. Answers are closed forms, or the CPU's.
#include <algorithm>
#include <cstring>
#include <iostream>
#include <memory>
#include <random>

#include "core/feature.hpp"
#include "cuda/device_image.hpp"
#include "cuda/label_pattern.hpp"
#include "cuda/plans.hpp"
#include "skerry/cuda.hpp"
#include "support/bars.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"

namespace skerry::test {
namespace {

constexpr std::int64_t width = 65536;
const std::int64_t height = test_scale() < 1 ? 33000 : 70000;

// One answer of the device, with a label image or with a table.
class huge_answer {
 public:
  huge_answer(const image_view& image, int connectivity) : frames_(image.size.rank == 2 ? 1 : image.size.depth) {
    work_.image = image;
    work_.connectivity = connectivity;
    if (connectivity > 8 || connectivity == 6) frames_ = 1;
  }
  /// False, with a note, when the device has too little memory.
  bool label() {
    const auto bytes = static_cast<std::size_t>(work_.image.size.pixels()) * sizeof(std::uint32_t);
    return run(bytes, 0);
  }
  bool measure(std::uint64_t capacity) { return run(0, capacity); }

  [[nodiscard]] std::vector<std::uint64_t> offsets() const {
    return offsets_->copied<std::uint64_t>(static_cast<std::size_t>(frames_) + 1);
  }
  [[nodiscard]] std::vector<geometry> rows(std::uint64_t count) const { return rows_->copied<geometry>(count); }
  [[nodiscard]] std::uint64_t wrong_labels(const label_pattern& want) const {
    return labels_that_differ(labels_->data<std::uint32_t>(), work_.image.size.rows(), want);
  }

 private:
  bool run(std::size_t label_bytes, std::uint64_t capacity) {
    labels_.reset(), rows_.reset(), offsets_.reset();
    offsets_ = std::make_unique<device_bytes>((static_cast<std::size_t>(frames_) + 1) * sizeof(std::uint64_t));
    work_.offsets = offsets_->data<std::uint64_t>();
    work_.row_capacity = capacity;
    work_.rows = capacity == 0 ? nullptr : reinterpret_cast<geometry*>(256);  // until it is known that all fits
    work_.labels = {};
    const std::size_t scratch_bytes = cuda::scratch_bytes(work_), row_bytes = capacity * sizeof(geometry);
    std::size_t free = 0, total = 0;
    EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    if (scratch_bytes + row_bytes + label_bytes + (std::size_t{1} << 28) > free) {
      std::cout << "left out: " << ((scratch_bytes + row_bytes + label_bytes) >> 30) << " GiB of device memory needed, "
                << (free >> 30) << " GiB free\n";
      return false;
    }
    if (row_bytes != 0) rows_ = std::make_unique<device_bytes>(row_bytes), work_.rows = rows_->data<geometry>();
    if (label_bytes != 0) {
      labels_ = std::make_unique<device_bytes>(label_bytes);
      work_.labels = {labels_->data<std::uint32_t>(), work_.image.size};
    }
    const device_bytes scratch(scratch_bytes);
    plan_of(work_).enqueue(scratch.data(), nullptr);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    return true;
  }

  cuda::label_job work_;
  std::int64_t frames_;
  std::unique_ptr<device_bytes> labels_, rows_, offsets_;
};

// Bars from the first row (of the first slice) to the last.
void expect_bars(const extent& size, int connectivity, const std::vector<bar>& bars) {
  const std::vector<std::uint8_t> row = row_of(size.width, bars);
  const device_bytes pixels(row);
  const image_view image(pixels.data(), dtype::bit, size, {0, 0, 0});
  ASSERT_GT(size.pixels(), std::int64_t{1} << 31);
  huge_answer answer(image, connectivity);
  if (answer.measure(1000)) {
    ASSERT_EQ(answer.offsets(), (std::vector<std::uint64_t>{0, bars.size()}));
    const std::vector<geometry> rows = answer.rows(bars.size());
    for (std::size_t i = 0; i < bars.size(); ++i) EXPECT_EQ(rows[i], geometry_of_block(size, bars[i])) << i;
  }
  if (!answer.label()) return;
  label_pattern want{size.width, std::vector<std::uint32_t>(static_cast<std::size_t>(size.width), 0)};
  for (std::size_t i = 0; i < bars.size(); ++i)
    std::fill(want.labels.begin() + bars[i].begin, want.labels.begin() + bars[i].end,
              static_cast<std::uint32_t>(i + 1));
  EXPECT_EQ(answer.offsets().back(), bars.size());
  EXPECT_EQ(answer.wrong_labels(want), 0U);
}

TEST(cuda_huge, planes) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const int connectivity : {4, 8})
    expect_bars(extent(height, width), connectivity, {{0, 100}, {200, 201}, {40000, width}});
}

TEST(cuda_huge, volumes) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const extent size(test_scale() < 1 ? 1000 : 2000, 1500, 1503);
  for (const int connectivity : {6, 18, 26}) expect_bars(size, connectivity, {{3, 70}, {100, 1000}, {1002, 1503}});
}

// Bars that touch by their corners only: half a million components, or one.
TEST(cuda_huge, planes_of_many_runs) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const sliding_bars bars(height, width, sliding_bars::step);
  const device_bytes pixels(bars.bits());
  constexpr std::uint32_t each_row = width / sliding_bars::period;
  for (const int connectivity : {4, 8}) {
    std::vector<geometry> want;
    label_pattern labels{width, std::vector<std::uint32_t>(2 * width, 0), connectivity == 4 ? each_row : 0};
    for (std::int64_t row = 0; row < height; ++row)
      for (const bar& b : bars.bars_of(row)) {
        if (b.begin == b.end) continue;
        geometry one = geometry_of_block(extent(1, width), b);
        one.sum[1] = static_cast<std::uint64_t>(row * (b.end - b.begin));
        one.min[1] = one.max[1] = static_cast<std::int32_t>(row);
        if (connectivity == 4 || want.empty()) want.push_back(one);
        else join<2>(want[0], one, join_alone{});
        const auto label = static_cast<std::uint32_t>(want.size() - (row == 1 && connectivity == 4 ? each_row : 0));
        if (row < 2) std::fill_n(labels.labels.begin() + row * width + b.begin, b.end - b.begin, label);
      }
    huge_answer answer(bars.image(pixels.data(), height), connectivity);
    if (answer.measure(want.size())) {
      ASSERT_EQ(answer.offsets().back(), want.size());
      EXPECT_EQ(answer.rows(want.size()), want);
    }
    if (answer.label()) {
      EXPECT_EQ(answer.wrong_labels(labels), 0U);
    }
  }
}

// Random blocks of 4 × 4 pixels, packed; a quarter of them are foreground.
std::vector<std::uint8_t> random_blocks(std::int64_t rows) {
  std::mt19937_64 draw(11);
  std::vector<std::uint8_t> bits(static_cast<std::size_t>(rows * width / 8));
  for (std::int64_t y = 0; y < rows; y += 4) {
    std::uint8_t* const first = bits.data() + y * width / 8;
    for (std::int64_t x = 0; x < width / 8; x += 32) {
      std::uint64_t blocks = draw() & draw();
      for (int k = 0; k < 32; ++k, blocks >>= 2)
        first[x + k] = static_cast<std::uint8_t>((blocks & 1 ? 0x0f : 0) | (blocks & 2 ? 0xf0 : 0));
    }
    for (int k = 1; k < 4; ++k) std::memcpy(first + k * width / 8, first, width / 8);
  }
  return bits;
}

TEST(cuda_huge, random_planes) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const std::int64_t rows = test_scale() < 1 ? 33000 : 65536;
  const std::vector<std::uint8_t> bits = random_blocks(rows);
  const device_bytes pixels(bits);
  engine cpu = engine::cpu();
  for (const int connectivity : {4, 8}) {
    feature_table want;
    skerry::measure(cpu, {bits.data(), dtype::bit, extent(rows, width)}, with_connectivity(connectivity), {}, want);
    huge_answer answer({pixels.data(), dtype::bit, extent(rows, width)}, connectivity);
    if (answer.measure(want.size() + 5)) {
      ASSERT_EQ(answer.offsets().back(), want.size());
      EXPECT_TRUE(std::ranges::equal(answer.rows(want.size()), want.components));  // too many to print
    }
  }
}

TEST(cuda_huge, batches) {
  SKERRY_NEEDS_CUDA_DEVICE();
  constexpr std::int64_t frames = 40000;
  const mask frame = random_mask(extent(256, 256), 8, 30, 4);
  const device_bytes pixels(frame.pixels);
  const image_view image(pixels.data(), dtype::u8, extent(frames, 256, 256), {0, 256, 1});
  ASSERT_GT(image.size.pixels(), std::int64_t{1} << 31);
  for (const int connectivity : {4, 8}) {
    const reference::answer want = expected_answer({.image = frame.view(), .options = with_connectivity(connectivity)});
    const auto expect_offsets = [&](const std::vector<std::uint64_t>& offsets) {
      for (std::size_t f = 0; f < offsets.size(); ++f) ASSERT_EQ(offsets[f], f * want.count);
    };
    huge_answer answer(image, connectivity);
    if (answer.measure(frames * want.count)) {
      expect_offsets(answer.offsets());
      const std::vector<geometry> rows = answer.rows(frames * want.count);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        geometry row = rows[i];
        row.sum[0] = 0;  // a frame of a batch may know its number
        row.min[0] = row.max[0] = 0;
        ASSERT_EQ(row, want.table.components[i % want.count]) << i;
      }
    }
    if (!answer.label()) continue;
    expect_offsets(answer.offsets());
    EXPECT_EQ(answer.wrong_labels({256, {want.labels.begin(), want.labels.end()}}), 0U);
  }
}

}  // namespace
}  // namespace skerry::test
