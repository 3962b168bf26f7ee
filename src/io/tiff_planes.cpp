// SPDX-License-Identifier: Apache-2.0
// Stacks above 4 GB as ImageJ writes them: a classic TIFF whose only page is the first plane. The others follow its pixels
// without a gap, and no offset leads there.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "io/file_error.hpp"
#include "io/tiff_file.hpp"

namespace skerry::io {

std::uint64_t tiff_file::begin_of_following_planes(const tiff_page& page) const {
  const bool plain = short_number(TIFFTAG_COMPRESSION, COMPRESSION_NONE) == COMPRESSION_NONE &&
                     TIFFIsTiled(file_) == 0 && page.channels == 1 && page.depth == 1 &&
                     page.bits == static_cast<int>(8 * size_of(page.type));
  const std::uint32_t strips = plain ? TIFFNumberOfStrips(file_) : 0;
  bool follows = strips > 0;
  for (std::uint32_t strip = 1; follows && strip < strips; ++strip)
    follows = TIFFGetStrileOffset(file_, strip) ==
              TIFFGetStrileOffset(file_, strip - 1) + TIFFGetStrileByteCount(file_, strip - 1);
  if (!follows)
    throw file_error(name_,
                     "has planes behind its only page, as ImageJ writes stacks above 4 GB, but not as plain numbers; "
                     "save it as NPY or as a BigTIFF with pages");
  return TIFFGetStrileOffset(file_, 0);
}

void tiff_file::miss_following_plane(std::uint64_t plane) const {
  throw file_error(name_, fmt::format("is truncated: plane {} behind its only page is not there", plane));
}

void tiff_file::check_following_planes(const tiff_page& page, std::int64_t planes) const {
  const std::uint64_t begin = begin_of_following_planes(page), end = TIFFGetSizeProc(file_)(TIFFClientdata(file_));
  std::uint64_t held = end > begin ? (end - begin) / size_of(page.type) : 0;
  for (const std::int64_t side : {page.width, page.height})
    held /= static_cast<std::uint64_t>(std::max<std::int64_t>(side, 1));
  if (held < static_cast<std::uint64_t>(planes)) miss_following_plane(held);
}

void tiff_file::read_following_plane(const tiff_page& page, std::int64_t plane, const tiff_part& part,
                                     std::byte* pixels) {
  const std::uint64_t begin = begin_of_following_planes(page), pixel = size_of(page.type);
  const std::uint64_t bytes = static_cast<std::uint64_t>(page.width * page.height) * pixel;
  constexpr std::uint64_t furthest = std::numeric_limits<std::int64_t>::max();
  if (begin > furthest || static_cast<std::uint64_t>(plane) > (furthest - begin) / std::max<std::uint64_t>(bytes, 1))
    damaged();
  const std::uint64_t row = static_cast<std::uint64_t>(page.width) * pixel;
  const std::uint64_t at =
      begin + static_cast<std::uint64_t>(plane) * bytes + static_cast<std::uint64_t>(part.row_begin) * row;
  const std::uint64_t part_bytes = static_cast<std::uint64_t>(part.row_end - part.row_begin) * row;
  thandle_t handle = TIFFClientdata(file_);
  const bool found = TIFFGetSeekProc(file_)(handle, at, SEEK_SET) == at;
  const auto wanted = static_cast<tmsize_t>(part_bytes);
  if (!found || TIFFGetReadProc(file_)(handle, pixels, wanted) != wanted)
    miss_following_plane(static_cast<std::uint64_t>(plane));
  if (TIFFIsByteSwapped(file_) == 0) return;
  for (std::uint64_t i = 0; i < part_bytes; i += pixel) std::reverse(pixels + i, pixels + i + pixel);
}

}  // namespace skerry::io
