// SPDX-License-Identifier: Apache-2.0
// Rows of any width at any address: what is read 16 bytes at a time and written four labels at a time.
#include <algorithm>
#include <cstring>
#include <random>

#include "cuda/full_job.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

constexpr std::uint8_t junk = 0xcd;  // foreground by every rule below

// Rows in memory that ends with the last one, `begin` bytes after a multiple of 256. All else is junk.
class placed_rows {
 public:
  placed_rows(const extent& size, std::size_t row, std::size_t begin, std::size_t gap, bool backward)
      : size_(size), row_(row), begin_(begin), step_(row + gap), backward_(backward),
        memory_(std::max(bytes(), spare) - spare) {}

  void upload(const std::vector<std::uint8_t>& rows) const {
    std::vector<std::uint8_t> all(bytes(), junk);
    for (std::size_t i = 0; i < count(); ++i) std::memcpy(&all[place(i)], &rows[i * row_], row_);
    memory_.upload(all.data(), all.size());
  }
  // The rows one after the other; what is between them must be junk still.
  [[nodiscard]] std::vector<std::uint8_t> download() const {
    std::vector<std::uint8_t> all = memory_.copied<std::uint8_t>(bytes()), rows(count() * row_);
    for (std::size_t i = 0; i < count(); ++i) {
      std::memcpy(&rows[i * row_], &all[place(i)], row_);
      std::memset(&all[place(i)], junk, row_);
    }
    EXPECT_TRUE(std::all_of(all.begin(), all.end(), [](std::uint8_t byte) { return byte == junk; }));
    return rows;
  }
  [[nodiscard]] mutable_image view(dtype type) const {
    const auto step = static_cast<std::int64_t>(backward_ ? -step_ : step_);
    return {memory_.data<char>() + place(0),
            type,
            size_,
            {step * size_.height, step, static_cast<std::int64_t>(size_of(type))}};
  }

 private:
  static constexpr std::size_t spare = 256;  // that device_bytes takes
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(size_.rows()); }
  [[nodiscard]] std::size_t bytes() const { return begin_ + (count() - 1) * step_ + row_; }
  [[nodiscard]] std::size_t place(std::size_t i) const { return begin_ + (backward_ ? count() - 1 - i : i) * step_; }

  extent size_;
  std::size_t row_, begin_, step_;
  bool backward_;
  device_bytes memory_;
};

struct placement {
  std::size_t begin = 0, gap = 0;
  bool backward = false;
};

struct rows_case {
  mask image;
  int connectivity = 8;
  foreground rule = {};
  placement pixels = {}, labels = {};
  dtype label_type = dtype::u32;
  bool bits = false;
};

void expect_right_labels(const rows_case& asked) {
  const extent& size = asked.image.size;
  const auto width = static_cast<std::size_t>(size.width), label_bytes = size_of(asked.label_type);
  const placed_rows pixels(size, asked.bits ? (width + 7) / 8 : width, asked.pixels.begin, asked.pixels.gap,
                           asked.pixels.backward),
      labels(size, width * label_bytes, asked.labels.begin * label_bytes, asked.labels.gap * label_bytes,
             asked.labels.backward);
  pixels.upload(asked.bits ? packed_bits(asked.image) : asked.image.pixels);
  cuda::label_job work;
  work.image = pixels.view(asked.bits ? dtype::bit : dtype::u8);
  work.connectivity = asked.connectivity;
  work.foreground = asked.rule;
  work.labels = labels.view(asked.label_type);
  work.one_kernel = false;
  const device_bytes scratch(cuda::scratch_bytes(work));
  plan_of(work).enqueue(scratch.data(), nullptr);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const std::vector<std::uint8_t> rows = labels.download();
  std::vector<std::uint64_t> got(asked.image.pixels.size(), 0);
  for (std::size_t i = 0; i < got.size(); ++i) std::memcpy(&got[i], &rows[i * label_bytes], label_bytes);
  const reference::answer want =
      expected_answer({.image = asked.image.view(), .options = with_connectivity(asked.connectivity, asked.rule)});
  EXPECT_TRUE(same_labels(got, {want.labels.begin(), want.labels.end()}, size))
      << "width " << width << ", connectivity " << asked.connectivity << ", pixels of " << (asked.bits ? 1 : 8)
      << " bits after " << asked.pixels.begin << " with gaps of " << asked.pixels.gap
      << (asked.pixels.backward ? " backward" : "") << ", labels of " << label_bytes << " bytes after "
      << asked.labels.begin << " with gaps of " << asked.labels.gap << (asked.labels.backward ? " backward" : "");
}

// Zeros, and ones that are values of all sizes.
mask grey_mask(const extent& size, std::mt19937& random) {
  mask image =
      random_mask(size, 1 + static_cast<int>(random() % 5), 10 + random() % 85, static_cast<std::uint32_t>(random()));
  for (std::uint8_t& pixel : image.pixels)
    if (pixel != 0) pixel = static_cast<std::uint8_t>(1 + random() % 255);
  return image;
}

placement any_place(std::mt19937& random, std::size_t begins) {
  constexpr std::size_t gaps[] = {0, 0, 1, 2, 3, 5, 16};
  return {random() % begins, gaps[random() % std::size(gaps)], random() % 4 == 0};
}

// Every width and every begin, of all multiples of 16.
TEST(cuda_widths, every_place_of_a_row) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::mt19937 random(7);
  for (std::int64_t width = 128; width < 144 && !HasFailure(); ++width)
    for (std::size_t begin = 0; begin < 16; ++begin)
      expect_right_labels({.image = grey_mask(extent(19, width), random), .pixels = {begin}, .labels = {begin % 4}});
}

TEST(cuda_widths, random_rows) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::mt19937 random(8);
  const foreground rules[] = {foreground::nonzero(), foreground::at_least(100), foreground::within(60, 220),
                              foreground::except(7)};
  const dtype types[] = {dtype::u16, dtype::u32, dtype::u64};
  for (int i = 0; i < scaled(600) && !HasFailure(); ++i) {
    constexpr int connectivities[] = {4, 8, 6, 18, 26};
    rows_case asked;
    asked.connectivity = connectivities[random() % 5];
    const std::int64_t width = 1 + random() % 400;
    const auto side = [&](std::uint32_t most) { return static_cast<std::int64_t>(1 + random() % most); };
    asked.image = grey_mask(asked.connectivity == 4 || asked.connectivity == 8 ? extent(side(140), width)
                                                                               : extent(side(20), side(20), width),
                            random);
    asked.bits = random() % 5 == 0;
    if (asked.bits)
      for (std::uint8_t& pixel : asked.image.pixels) pixel = pixel != 0;
    else asked.rule = rules[random() % std::size(rules)];
    asked.pixels = any_place(random, 32);
    asked.labels = any_place(random, 8);
    asked.label_type = types[random() % std::size(types)];
    expect_right_labels(asked);
  }
}

// Labels of one byte: few components.
TEST(cuda_widths, labels_of_one_byte) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::mt19937 random(9);
  for (std::int64_t width = 250; width < 266 && !HasFailure(); ++width)
    for (const int connectivity : {8, 6}) {
      rows_case asked{.image = random_mask(connectivity == 8 ? extent(70, width) : extent(9, 17, width), 16, 50, 3),
                      .connectivity = connectivity};
      asked.pixels = any_place(random, 32);
      asked.labels = any_place(random, 8);
      asked.label_type = dtype::u8;
      expect_right_labels(asked);
    }
}

// Intensities of one byte, whose rows lie elsewhere than those of the image.
TEST(cuda_widths, intensities_of_one_byte) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::mt19937 random(10);
  for (int i = 0; i < scaled(200) && !HasFailure(); ++i) {
    const int connectivity = i % 3 == 0 ? 26 : 8;
    const std::int64_t width = i < 16 ? 128 + i : 1 + random() % 300, height = 1 + random() % 40;
    const mask image = random_mask(connectivity == 8 ? extent(height, width) : extent(3, height, width),
                                   1 + static_cast<int>(random() % 9), 10 + random() % 85, random());
    std::vector<std::uint8_t> values(image.pixels.size());
    for (std::uint8_t& value : values) value = static_cast<std::uint8_t>(random());
    const placement place = any_place(random, 32);
    const placed_rows intensities(image.size, static_cast<std::size_t>(width), place.begin, place.gap, place.backward);
    intensities.upload(values);
    full_job job(image, connectivity, {});
    job.work.real_intensities = nullptr;
    job.work.intensities = job.intensities.data<intensity>();  // rows of reals are larger
    job.work.intensity_image = intensities.view(dtype::u8);
    job.run();
    const reference::answer want = expected_answer({.image = image.view(),
                                                    .options = with_connectivity(connectivity),
                                                    .features = {.intensity = {values.data(), image.size}}});
    EXPECT_TRUE(job.intensities.copied<intensity>(want.count) ==
                std::vector<intensity>(want.table.intensities.begin(), want.table.intensities.end()))
        << "width " << width << ", connectivity " << connectivity << ", after " << place.begin << " with gaps of "
        << place.gap << (place.backward ? " backward" : "");
  }
}

}  // namespace
}  // namespace skerry::test
