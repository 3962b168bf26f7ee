// SPDX-License-Identifier: Apache-2.0
// What every reader of pictures gives: pages of interleaved channels. How they become one grey image is decided in one place,
// read_picture.cpp.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "skerry/image.hpp"

namespace skerry::io {

/// What one page says of its pixels.
struct picture_page {
  std::int64_t depth = 1, height = 0, width = 0;
  int channels = 1;
  bool last_is_alpha = false;
  dtype type = dtype::u8;

  [[nodiscard]] extent size() const { return depth > 1 ? extent(depth, height, width) : extent(height, width); }
};

/// An open picture. Every function throws std::runtime_error with the reason, without the name of the file.
class picture_decoder {
 public:
  picture_decoder() = default;
  picture_decoder(const picture_decoder&) = delete;
  picture_decoder& operator=(const picture_decoder&) = delete;
  virtual ~picture_decoder() = default;

  /// At least 1.
  [[nodiscard]] virtual std::int64_t pages() const = 0;
  /// Whether pages are unrelated pictures, of which the user has to choose one, and no volume.
  [[nodiscard]] virtual bool asks_for_page() const { return false; }
  /// Whether pages are images in time.
  [[nodiscard]] virtual bool is_animation() const { return false; }
  [[nodiscard]] virtual picture_page page(std::int64_t index) = 0;
  /// Writes channels [begin, end) of a page, interleaved, in slices, rows and columns, in the byte order of this machine.
  virtual void read(std::int64_t page, int channel_begin, int channel_end, std::byte* pixels) = 0;
};

/// The bytes of a whole file, for readers that are pure functions of bytes.
using file_bytes = std::vector<std::byte>;
using picture_opener = std::unique_ptr<picture_decoder> (*)(file_bytes bytes);

}  // namespace skerry::io
