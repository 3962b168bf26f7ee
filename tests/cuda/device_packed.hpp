// SPDX-License-Identifier: Apache-2.0
// Packed labels in device memory, and the label image that they stand for.
#pragma once
#include "cuda/device_image.hpp"
#include "skerry/cuda.hpp"

namespace skerry::test {

class device_packed {
 public:
  explicit device_packed(const extent& size)
      : width_(static_cast<std::size_t>(size.width)), rows_(static_cast<std::size_t>(size.rows())),
        words_of_row_((width_ + 31) / 32), bits_(words() * 4), labels_(words() * 16 * 4) {}

  [[nodiscard]] cuda::packed_labels view() const {
    return {bits_.data<std::uint32_t>(), labels_.data<std::uint32_t>()};
  }
  /// Makes junk of them.
  void forget() const {
    EXPECT_EQ(cudaMemset(bits_.data(), 0xcd, words() * 4), cudaSuccess);
    EXPECT_EQ(cudaMemset(labels_.data(), 0xcd, words() * 16 * 4), cudaSuccess);
  }
  /// Of each pixel, by the definition. Expects that nothing lies past the width.
  [[nodiscard]] std::vector<std::uint32_t> unpacked() const {
    const auto bits = bits_.copied<std::uint32_t>(words()), labels = labels_.copied<std::uint32_t>(words() * 16);
    std::vector<std::uint32_t> image(rows_ * width_);
    std::size_t outside = 0;
    for (std::size_t i = 0; i < words(); ++i) {
      const std::size_t row = i / words_of_row_, begin = i % words_of_row_ * 32;
      std::size_t stretch = 0;
      for (std::size_t k = 0; k < 32; ++k) {
        if ((bits[i] >> k & 1) == 0) continue;
        if (begin + k < width_) image[row * width_ + begin + k] = labels[stretch * words() + i];
        else ++outside;
        if (k < 31 && (bits[i] >> (k + 1) & 1) == 0) ++stretch;
      }
    }
    EXPECT_EQ(outside, 0U);
    return image;
  }

 private:
  [[nodiscard]] std::size_t words() const { return rows_ * words_of_row_; }

  std::size_t width_, rows_, words_of_row_;
  device_bytes bits_, labels_;
};

}  // namespace skerry::test
