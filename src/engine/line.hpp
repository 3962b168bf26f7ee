// SPDX-License-Identifier: Apache-2.0
// Images of rank 1: a call takes them at its door as planes of one row, so that no stage knows of them.
#pragma once
#include <string>

#include "engine/image_checks.hpp"
#include "skerry/image.hpp"

namespace skerry {

[[nodiscard]] constexpr bool is_line(const extent& size) { return size.rank == 1; }

// The plane of one row that a line is; any other image as it is. Throws invalid_argument for a line of several rows.
template <class Image>
[[nodiscard]] Image as_plane(const std::string& name, Image image) {
  if (!is_line(image.size)) return image;
  for (const std::int64_t side : {image.size.depth, image.size.height})
    if (side != 1) refuse(name + ": depth or height " + std::to_string(side) + " of rank 1 is not 1");
  image.size.rank = 2;
  return image;
}

// The same for an image, if there is one, that is to have the extent of a line. Throws for a plane of one row, too.
template <class Image>
[[nodiscard]] Image as_plane_beside_line(const std::string& name, const Image& image) {
  if (image.data != nullptr && !is_line(image.size))
    refuse(name + ": rank " + std::to_string(image.size.rank) + " is not that of the image, 1");
  return as_plane(name, image);
}

// The two neighbours of a pixel of a line are two of four in a plane. Throws invalid_argument for any other number.
[[nodiscard]] inline int connectivity_in_plane(int of_line) {
  if (of_line != 2) refuse("connectivity: " + std::to_string(of_line) + " is not 2 (image of rank 1)");
  return 4;
}

}  // namespace skerry
