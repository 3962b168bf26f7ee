// SPDX-License-Identifier: Apache-2.0
// Checks that every job makes of its images. All throw invalid_argument, whose text begins with `name`.
#pragma once
#include <string>

#include "skerry/image.hpp"

namespace skerry {

using i128 = __int128;

struct byte_range {
  i128 begin, end;
};

// The addresses from the first to the last byte of an image that has pixels.
[[nodiscard]] byte_range bytes_of(const image_view& image);

// Whether the type is one of the enumerators.
[[nodiscard]] constexpr bool is_known(dtype type) { return type <= dtype::f16; }

[[noreturn]] void refuse(const std::string& text);

// A number in as few digits as tell it from its neighbours.
[[nodiscard]] std::string shortest(double number);

// "640 x 480" or "30 x 640 x 480": slices, rows, columns.
[[nodiscard]] std::string text_of(const extent& size);

void check_extent(const std::string& name, const extent& size);
// A known type, a size within the limits, and memory if there are pixels, where the image says that it is.
void check_image(const std::string& name, const image_view& image);
// One of the neighbourhoods of images of this rank.
void check_connectivity(int connectivity, int rank);
// Each pixel that is written has memory of its own.
void check_distinct(const std::string& name, const mutable_image& image);
// What is written overlaps nothing that is read; both have pixels.
void check_apart(const std::string& name, const mutable_image& written, const image_view& read,
                 const std::string& read_name = "image");

}  // namespace skerry
