// SPDX-License-Identifier: Apache-2.0
// Images in every arrangement that strides can describe, with junk around their pixels.
#pragma once
#include <cstdint>
#include <vector>

#include "skerry/image.hpp"
#include "support/guarded_memory.hpp"

namespace skerry::test {

enum class layout {
  dense,               // ends where the memory ends
  padded_rows,         // begins where the memory begins
  every_second_pixel,  // and a gap after each row
  backward_rows,       // the last row first
  backward,            // every stride negative
  transposed,          // columns are dense
  slices_inside,       // the pixels of all slices side by side
  unaligned,           // one byte away from any alignment, and an odd number of bytes from row to row
};

inline constexpr layout all_layouts[] = {layout::dense,         layout::padded_rows, layout::every_second_pixel,
                                         layout::backward_rows, layout::backward,    layout::transposed,
                                         layout::slices_inside, layout::unaligned};

[[nodiscard]] const char* name_of(layout arrangement);

class placed_image {
 public:
  /// All bytes are junk.
  placed_image(dtype type, const extent& size, layout arrangement);
  /// Pixels from exact values in raster order; for bits and booleans, 0 or not.
  placed_image(dtype type, const extent& size, layout arrangement, const std::vector<double>& values);

  [[nodiscard]] image_view view() const { return target(); }
  [[nodiscard]] mutable_image target() const;
  /// Integer pixels in raster order.
  [[nodiscard]] std::vector<std::uint64_t> values() const;
  /// True while the bytes that are not pixels are still the junk they were.
  [[nodiscard]] bool surroundings_untouched() const;

  /// All of it, pixels and junk; pixel (0, 0, 0) is `origin()` bytes behind the begin.
  [[nodiscard]] const guarded_memory& memory() const { return memory_; }
  [[nodiscard]] std::size_t origin() const { return origin_; }

 private:
  [[nodiscard]] std::byte* pixel(std::int64_t z, std::int64_t y, std::int64_t x) const;

  dtype type_;
  extent size_;
  byte_strides strides_;
  std::size_t origin_ = 0;  // of pixel (0, 0, 0) in the memory
  guarded_memory memory_;
};

}  // namespace skerry::test
