// SPDX-License-Identifier: Apache-2.0
// The codecs of other people. OpenImageIO links 250 libraries, which take 150 ms and 120 MB to start; so they lie in a
// module of their own, which is loaded when the first picture is read or written that needs it. A program that links the
// object library skerry_codecs has them from the start, without a module.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "io/picture_decoder.hpp"

namespace skerry::io {

/// Pixels to be written as PNG: 8 or 16 bits, 1 or 3 channels.
struct png_picture {
  std::int64_t height = 0, width = 0;
  int channels = 1, bits = 8;
  const void* pixels = nullptr;
};

/// Takes bytes for a place of a file; may throw.
using byte_sink = std::function<void(const void* bytes, std::size_t count, std::int64_t offset)>;

/// What the module gives. Functions throw std::runtime_error with the reason.
struct codec_functions {
  /// Opens what OpenImageIO reads, by its name of the format.
  std::unique_ptr<picture_decoder> (*open_by_library)(const char* format, const std::string& path, int threads);
  picture_opener open_fits, open_gif, open_webp;
  /// Rethrows what the sink throws.
  void (*write_png)(const png_picture& picture, const byte_sink& sink);
};

/// Loads the module at the first call. Throws std::runtime_error when it is missing or cannot be started.
[[nodiscard]] const codec_functions& codecs();

}  // namespace skerry::io

/// The one symbol of the module.
extern "C" const skerry::io::codec_functions* skerry_codecs();
