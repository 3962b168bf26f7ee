// SPDX-License-Identifier: Apache-2.0
// The one table of file formats: how each is recognised, who reads it, and what of it is read and written.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace skerry::io {

enum class format_reader : std::uint8_t {
  npy,
  tiff,
  pnm,  // our own, on top of libtiff for TIFF
  fits,
  gif,
  webp,     // CFITSIO, giflib, libwebp
  library,  // OpenImageIO
  none      // known, and refused by name
};

struct file_format {
  const char* name;     // "png"
  const char* endings;  // ".jpg .jpeg"
  format_reader reader;
  const char* library_name;  // OpenImageIO's name of it
  const char* types;   // what is read: pixel types; of a format that is refused the remedy, if it is a special one
  const char* axes;    // what channels, pages and axes become
  const char* writes;  // pixel types, or nothing
};

/// All formats that are known, those that are read first.
[[nodiscard]] std::span<const file_format> file_formats();

/// How many bytes of the beginning recognise() looks at.
inline constexpr std::size_t recognised_bytes = 512;

/// The format of a file, by the beginning of its bytes, and by the ending of its name where the bytes say nothing (TGA).
/// Returns nullptr for what is no image that is known.
[[nodiscard]] const file_format* recognise(std::string_view start, std::string_view name);

/// Whether a name ends as those of a format that is known: ".tif", ".PNG".
[[nodiscard]] bool has_image_ending(std::string_view name);

/// "is of the format HEIF, …": that a format is not read, and what to do.
[[nodiscard]] std::string refusal_of(const file_format& format);

/// Names of the formats that are read here, with spaces between them.
[[nodiscard]] std::string readable_formats();

}  // namespace skerry::io
