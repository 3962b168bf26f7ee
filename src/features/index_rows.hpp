// SPDX-License-Identifier: Apache-2.0
// Rows of table rows: for each pixel of an image row the region that it belongs to, with the rows around it.
#pragma once
#include <cstddef>
#include <vector>

#include "core/portable.hpp"
#include "skerry/image.hpp"

namespace skerry::features {

inline constexpr u32 no_region = ~u32{0};

// Keeps the last rows that were read. A row outside of the image has no region, nor have two pixels on either side of a row.
class index_rows {
 public:
  static constexpr i64 margin = 2;

  // Row (z, y) needs to be kept until row `kept` after it, in raster order, is read.
  index_rows(const extent& size, i64 kept)
      : size_(size), kept_(kept), pitch_(size.width + 2 * margin),
        cells_(static_cast<std::size_t>((kept + 1) * pitch_), no_region) {}

  // Where row r = z · height + y is written, from x = 0 on.
  [[nodiscard]] u32* place(i64 r) { return cells_.data() + slot(r); }
  [[nodiscard]] const u32* row(i64 r) const { return cells_.data() + slot(r); }

  // From x = -margin on to width + margin.
  [[nodiscard]] const u32* row(i64 z, i64 y) const {
    const bool inside = z >= 0 && z < size_.depth && y >= 0 && y < size_.height;
    return inside ? row(z * size_.height + y) : cells_.data() + kept_ * pitch_ + margin;
  }

  [[nodiscard]] const extent& size() const { return size_; }

 private:
  [[nodiscard]] i64 slot(i64 r) const { return r % kept_ * pitch_ + margin; }

  extent size_;
  i64 kept_, pitch_;
  std::vector<u32> cells_;
};

}  // namespace skerry::features
