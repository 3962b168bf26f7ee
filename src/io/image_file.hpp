// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "skerry/image.hpp"

namespace skerry::io {

/// Pixels of a file: dense, row-major, in the byte order of this machine.
struct image {
  std::unique_ptr<std::byte[]> bytes;
  dtype type = dtype::u8;
  extent size;         // rank 3 when the file has several pages, slices or a third axis
  int channels = 1;    // in the file
  std::string format;  // "npy", "png", "tiff", …

  [[nodiscard]] image_view view() const { return {bytes.get(), type, size}; }
  /// One slice of a volume, or one page of a stack, as an image of rank 2.
  [[nodiscard]] image_view slice(std::int64_t z) const;
};

struct read_options {
  /// Images with more pixels are refused before any pixel is read or any memory taken.
  std::int64_t pixel_limit = std::int64_t{1} << 40;
  /// Reads one page of a file with several, as rank 2; the first is 0. Below 0: all of them, as rank 3.
  std::int64_t page = -1;
  /// Takes one channel of a colour image; the first is 0. Below 0: colour becomes grey.
  int channel = -1;
  /// Threads of the decoder, 0 for one per processor.
  int threads = 0;
};

/// Reads an image file: NPY, TIFF, and what OpenImageIO knows (PNG, PNM, JPEG, BMP, FITS, OpenEXR, …).
///
///   path  a file, a pipe, or "-" for standard input; the content decides the format when the name does not
///
/// One channel keeps its type; half becomes f32. Several pages of one size and type, and volumetric TIFF, are a volume.
/// TIFF gives the stored numbers, as NumPy's readers do: one bit is bool, 12 bits are 0…4095 in u16, and "white is zero"
/// and palettes are not applied; thumbnails and pyramid levels are skipped. Other formats fill up the range of u8 or u16.
/// Colour becomes grey as 0.2125 R + 0.7154 G + 0.0721 B (Rec. 709, as scikit-image's rgb2gray) in the units of the
/// file, rounded to its type if that is whole; alpha is ignored.
/// NPY has rank 2 or 3 and is never colour; C and Fortran order, both byte orders; 64-bit integers become i32 or u32, and must
/// fit.
///
/// Returns the whole image. Throws file_error: missing, empty, no image, truncated, of no pixels, of an unsupported
/// type, larger than the limit or the memory.
[[nodiscard]] image read_image(const std::string& path, const read_options& options = {});

/// Memory for an image of this size. Throws file_error when there is not enough of it.
[[nodiscard]] std::unique_ptr<std::byte[]> allocate_pixels(const std::string& path, dtype type, const extent& size);

/// Throws file_error when an image has no pixels, a side of 2^31 or more, or more pixels than `limit`.
void check_size(const std::string& path, const extent& size, std::int64_t limit);

/// "640 x 480" or "30 x 640 x 480": slices, rows, columns.
[[nodiscard]] std::string text_of(const extent& size);

// The readers behind read_image().
[[nodiscard]] bool is_npy(const std::string& path, const std::string& name);
[[nodiscard]] image read_npy(const std::string& path, const std::string& name, const read_options& options);
[[nodiscard]] bool is_tiff(const std::string& path);
[[nodiscard]] image read_tiff(const std::string& path, const std::string& name, const read_options& options);
[[nodiscard]] image read_picture(const std::string& path, const std::string& name, const read_options& options);

}  // namespace skerry::io
