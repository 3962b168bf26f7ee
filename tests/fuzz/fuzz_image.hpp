// SPDX-License-Identifier: Apache-2.0
// Small images of any type and strides from the bytes of an input. Their memory ends where their pixels end, on both sides,
// so that AddressSanitizer sees any other access.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "fuzz_input.hpp"
#include "skerry/image.hpp"

namespace skerry::fuzz {

/// Pixels in an arrangement that an input chooses.
class arranged_image {
 public:
  /// Takes the arrangement; `may_repeat` lets strides be 0. All bytes are junk.
  arranged_image(input_bytes& from, dtype type, const extent& size, bool may_repeat) : type_(type), size_(size) {
    place(from, may_repeat);
    memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
    std::memset(memory_.get(), junk, bytes_);
  }

  [[nodiscard]] mutable_image target() const { return {memory_.get() + origin_, type_, size_, strides_}; }
  [[nodiscard]] image_view view() const { return target(); }
  [[nodiscard]] std::byte* begin() const { return memory_.get(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::byte* pixel(std::int64_t z, std::int64_t y, std::int64_t x) const {
    return memory_.get() + origin_ + z * strides_.z + y * strides_.y + x * strides_.x;
  }
  /// True while the bytes between pixels are still junk. Overwrites the pixels.
  [[nodiscard]] bool gaps_untouched() const {
    for (std::int64_t z = 0; z < size_.depth; ++z)
      for (std::int64_t y = 0; y < size_.height; ++y)
        for (std::int64_t x = 0; x < size_.width; ++x) std::memset(pixel(z, y, x), junk, size_of(type_));
    for (std::size_t i = 0; i < bytes_; ++i)
      if (memory_[i] != std::byte{junk}) return false;
    return true;
  }

 private:
  static constexpr int junk = 0xA5;

  // Three bytes: the order of the axes with their signs, gaps in pixels, odd bytes and repetitions.
  void place(input_bytes& from, bool may_repeat) {
    const auto order = from.take<std::uint8_t>(), gaps = from.take<std::uint8_t>(), odd = from.take<std::uint8_t>();
    const bool bits = type_ == dtype::bit;
    const std::int64_t unit = bits ? (size_.width + 7) / 8 : static_cast<std::int64_t>(size_of(type_));
    struct axis {
      std::int64_t count;
      std::int64_t* stride;
    };
    axis axes[3] = {{bits ? 1 : size_.width, &strides_.x}, {size_.height, &strides_.y}, {size_.depth, &strides_.z}};
    if ((order & 1) != 0) std::swap(axes[0], axes[1]);
    if ((order & 2) != 0) std::swap(axes[1], axes[2]);
    if ((order & 4) != 0) std::swap(axes[0], axes[2]);
    std::int64_t held = unit, before = 0, behind = 0;
    for (int k = 0; k < 3; ++k) {
      const std::int64_t steps = axes[k].count - 1;
      std::int64_t stride = held + unit * (gaps >> 2 * k & 3) + (odd >> k & 1);
      if (may_repeat && (odd >> (4 + k) & 1) != 0) stride = 0;
      const bool backward = (order >> (3 + k) & 1) != 0;
      *axes[k].stride = backward ? -stride : stride;
      (backward ? before : behind) += steps * stride;
      held += steps * stride;
    }
    origin_ = before;
    bytes_ = size_.pixels() == 0 ? 0 : static_cast<std::size_t>(before + behind + unit);
  }

  dtype type_;
  extent size_;
  byte_strides strides_;
  std::int64_t origin_ = 0;  // of pixel (0, 0, 0)
  std::size_t bytes_ = 0;
  std::unique_ptr<std::byte[]> memory_;
};

/// Fills an image from the rest of an input: its bytes in turn, or a pixel for each of its bits, 0 or the value taken first.
inline void fill(const arranged_image& image, input_bytes from) {
  const bool by_bits = from.take<std::uint8_t>() % 2 != 0 && image.view().type != dtype::bit;
  const auto value = by_bits ? from.take<std::uint64_t>() : 0;
  const std::string_view source = from.rest();
  if (!by_bits || source.empty()) {
    for (std::size_t i = 0; i < image.bytes(); ++i)
      image.begin()[i] = static_cast<std::byte>(source.empty() ? 0 : source[i % source.size()]);
    return;
  }
  const extent& size = image.view().size;
  std::size_t next = 0;
  for (std::int64_t z = 0; z < size.depth; ++z)
    for (std::int64_t y = 0; y < size.height; ++y)
      for (std::int64_t x = 0; x < size.width; ++x, next = (next + 1) % (8 * source.size())) {
        const std::uint64_t pixel = (source[next / 8] >> next % 8 & 1) != 0 ? value : 0;
        std::memcpy(image.pixel(z, y, x), &pixel, size_of(image.view().type));
      }
}

}  // namespace skerry::fuzz
