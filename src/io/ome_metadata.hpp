// SPDX-License-Identifier: Apache-2.0
// OME-XML in the first ImageDescription of a TIFF (https://docs.openmicroscopy.org/ome-model/latest/ome-tiff).
// A pure function of its arguments: whatever the text, it returns or throws std::runtime_error. pugixml parses; it expands
// no entities of a document's own, and no depth of elements recurses.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "io/axes.hpp"

namespace skerry::io {

/// Whether the text begins as OME-XML does, well-formed or not.
[[nodiscard]] bool is_ome(std::string_view description);

/// What the text says of the file's pages.
///
///   file         the file's own name without folders: planes may name the file that they lie in
///   directories  of the file, thumbnails included
///   samples      per pixel of a page
///   height, …    of a page
///
/// Planes are found by DimensionOrder and TiffData (IFD, FirstZ, FirstC, FirstT, PlaneCount). A channel of several samples
/// is one plane, and its samples are the page's own. Lengths without a unit are µm.
/// Throws std::runtime_error with the reason: XML that is not well-formed, several images, planes in other files, planes
/// that are missing, and numbers that disagree with the pages.
[[nodiscard]] stack_axes parse_ome(std::string_view description, const std::string& file, std::int64_t directories,
                                   std::int64_t samples, std::int64_t height, std::int64_t width);

}  // namespace skerry::io
