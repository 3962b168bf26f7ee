// SPDX-License-Identifier: Apache-2.0
// The functions of the module, one file each. Those that take bytes are pure functions of them, so that they can be fuzzed.
#pragma once
#include <memory>
#include <string>

#include "io/codecs.hpp"

namespace skerry::io {

[[nodiscard]] std::unique_ptr<picture_decoder> open_by_library(const char* format, const std::string& path,
                                                               int threads);

/// FITS by CFITSIO. Numbers are scaled by BSCALE and BZERO, missing pixels (BLANK) are NaN, the first row of the file is the
/// first row of the image. Pages are the images of the file; the user has to choose when there are several.
[[nodiscard]] std::unique_ptr<picture_decoder> open_fits(file_bytes bytes);

/// GIF by giflib. Pages are frames as a viewer shows them: red, green, blue, alpha.
[[nodiscard]] std::unique_ptr<picture_decoder> open_gif(file_bytes bytes);

/// WebP by libwebp. Pages are frames as a viewer shows them: red, green, blue, and alpha if there is any, by which colours are
/// not multiplied.
[[nodiscard]] std::unique_ptr<picture_decoder> open_webp(file_bytes bytes);

void write_png(const png_picture& picture, const byte_sink& sink);

}  // namespace skerry::io
