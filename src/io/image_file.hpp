// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "io/axes.hpp"
#include "io/formats.hpp"
#include "io/picture_decoder.hpp"
#include "skerry/image.hpp"

namespace skerry::io {

/// Pixels of a file: dense, row-major, in the byte order of this machine.
struct image {
  std::unique_ptr<std::byte[]> bytes;
  dtype type = dtype::u8;
  extent size;         // rank 3 when the file has several pages, slices or a third axis
  int channels = 1;    // in the file
  std::string format;  // "npy", "png", "tiff", …
  /// Red, green and blue of each pixel, interleaved: of colour images and palettes, if read_options::keep_colours.
  std::unique_ptr<std::byte[]> colours;
  dtype colour_type = dtype::u8;
  slice_axis slices = slice_axis::unknown;  // what the third axis is, if the file says so
  pixel_spacing spacing = {0, 0, 0, {}};    // the size of a pixel; 0 for a side that the file does not say
  std::optional<stack_axes> axes;           // of all planes of the file, if it says so
  std::string note;                         // what the user should know of the file, one line

  [[nodiscard]] image_view view() const { return {bytes.get(), type, size}; }
  /// One slice of a volume, or one page of a stack, as an image of rank 2.
  [[nodiscard]] image_view slice(std::int64_t z) const;
  /// One slice, or the image of rank 2, as a picture shows it: the colours as height x width x 3 if there are any, else
  /// the pixels.
  [[nodiscard]] image_view shown(std::int64_t z) const;
};

struct read_options {
  /// Images with more pixels are refused before any pixel is read or any memory taken.
  std::int64_t pixel_limit = std::int64_t{1} << 40;
  /// Reads one page of a file with several, as rank 2; the first is 0. Below 0: all of them, as rank 3.
  std::int64_t page = -1;
  /// Takes one channel of a colour image; the first is 0. Below 0: colour becomes grey.
  int channel = -1;
  /// Keeps the colours beside the grey that they become.
  bool keep_colours = false;
  /// Takes the channel of that name, where `channel` is below 0 or the file has no channel of that number.
  std::string channel_name = {};
  /// The option that chooses a channel, as messages name it, and whether it takes "all".
  std::string channel_option = "--channel";
  bool all_channels = false;
  /// Reads one time point of a file with several; the first is 0. Below 0: all of them, if `stack` is set.
  std::int64_t frame = -1;
  /// Pages are images of their own, so that time points may be the third axis.
  bool stack = false;
  /// Pages are slices of a volume, also where they are images in time.
  bool as_slices = false;
  /// Reads all planes as one stack, whatever their axes, for a look at what is in a file. Of channels that are not colours, and
  /// of which none is chosen, the first is read; image::note says so.
  bool survey = false;
  /// Threads of the decoder, 0 for one per processor.
  int threads = 0;
};

/// Reads an image file of a format of io/formats.hpp.
///
///   path  a file, a pipe, or "-" for standard input; the content decides the format
///
/// One channel keeps its type. Several pages of one size and type, and volumetric TIFF, are a volume.
/// TIFF gives the stored numbers, as NumPy's readers do: one bit is bool, 12 bits are 0…4095 in u16, "white is zero"
/// is not applied; thumbnails and pyramid levels are skipped. PNM and FITS give the stored numbers, too; PNG
/// of fewer than 8 bits fills up the range of u8. Orientations (TIFF, Exif) are not applied: the first row of the file is the
/// first row of the image.
/// Colour, and what a palette stands for, becomes grey as 0.2125 R + 0.7154 G + 0.0721 B (Rec. 709, as scikit-image's
/// rgb2gray) in the units of the file, rounded to its type if that is whole (of f16 to f32); alpha is ignored.
/// TIFF stacks of ImageJ and OME-TIFF say what their pages are: slices are a volume, time points a stack, and one channel is
/// chosen. Their pixel sizes are read; resolution tags alone are those of printers and scanners, and are not taken for one.
/// NPY has rank 2 or 3 and is never colour; C and Fortran order, both byte orders.
///
/// Returns the whole image. Throws file_error: missing, empty, no image, truncated, of no pixels, of an unsupported
/// type, larger than the limit or the memory; several channels or time points of which none is chosen; metadata of several
/// pages that cannot be read.
[[nodiscard]] image read_image(const std::string& path, const read_options& options = {});

/// Memory for an image of this size. Throws file_error when there is not enough of it.
[[nodiscard]] std::unique_ptr<std::byte[]> allocate_pixels(const std::string& path, dtype type, const extent& size);

/// Throws file_error when an image has no pixels, a side of 2^31 or more, or more pixels than `limit`.
void check_size(const std::string& path, const extent& size, std::int64_t limit);

/// "640 x 480" or "30 x 640 x 480": slices, rows, columns.
[[nodiscard]] std::string text_of(const extent& size);

/// The format of a regular file, by its beginning and its name. Throws file_error: missing, empty, no image.
[[nodiscard]] const file_format& format_of(const std::string& path, const std::string& name);

// The readers behind read_image().
[[nodiscard]] image read_npy(const std::string& path, const std::string& name, const read_options& options);
[[nodiscard]] image read_tiff(const std::string& path, const std::string& name, const read_options& options);
[[nodiscard]] image read_picture(const file_format& format, const std::string& path, const std::string& name,
                                 const read_options& options);
/// Throws std::runtime_error with the reason.
[[nodiscard]] file_bytes read_bytes(const std::string& path);

}  // namespace skerry::io
