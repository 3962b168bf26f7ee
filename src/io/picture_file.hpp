// SPDX-License-Identifier: Apache-2.0
// Images out: labels, grey values, colours.
#pragma once
#include <cstdint>
#include <string>

#include "io/axes.hpp"
#include "io/pending_file.hpp"
#include "skerry/image.hpp"

namespace skerry::io {

enum class picture_format : std::uint8_t { tiff, png, npy };

/// By the end of the name: .tif, .tiff, .png or .npy; "-" is NPY on standard output. Throws file_error.
[[nodiscard]] picture_format picture_format_of(const std::string& path);

/// The smallest unsigned type that holds `count` and that the format can store.
/// Throws file_error, naming the count, when the format has none: PNG ends at 65535.
[[nodiscard]] dtype label_type_for(const std::string& path, std::uint64_t count);

/// Throws file_error when the format of `path` cannot store pixels of this type and rank at all.
void check_pixel_type(const std::string& path, dtype type, int rank);

/// Writes a dense image of rank 2 or 3, of any type but packed bits as TIFF or NPY, of u8 or u16 as PNG; a volume is a
/// TIFF with one page per slice, or an NPY of rank 3. A TIFF says what its pages are and how large its pixels, as ImageJ
/// does; other formats have no place for it. Throws file_error. The caller commits `to`.
void write_picture(pending_file& to, const image_view& image, const stack_form& form = {});

/// The TIFF writer behind write_picture().
void write_tiff(pending_file& to, const image_view& image, const stack_form& form);

/// Writes 8-bit RGB pixels as PNG. Throws file_error. The caller commits `to`.
void write_rgb_png(pending_file& to, const std::uint8_t* pixels, std::int64_t height, std::int64_t width);

}  // namespace skerry::io
