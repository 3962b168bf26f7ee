// SPDX-License-Identifier: Apache-2.0
// What the readers share; it needs no decoder.
#include "io/image_file.hpp"

#include <fmt/format.h>

#include <new>

#include "io/file_error.hpp"

namespace skerry::io {

image_view image::slice(std::int64_t z) const {
  const image_view all = view();
  return {static_cast<const std::byte*>(all.data) + z * all.strides.z, type, extent(size.height, size.width)};
}

image_view image::shown(std::int64_t z) const {
  if (!colours) return slice(z);
  const std::int64_t slice_bytes = 3 * size.height * size.width * static_cast<std::int64_t>(size_of(colour_type));
  return {colours.get() + z * slice_bytes, colour_type, extent(size.height, size.width, 3)};
}

std::unique_ptr<std::byte[]> allocate_pixels(const std::string& path, dtype type, const extent& size) {
  const std::size_t bytes = static_cast<std::size_t>(size.pixels()) * size_of(type);
  try {
    return std::make_unique_for_overwrite<std::byte[]>(bytes);
  } catch (const std::bad_alloc&) {
    throw file_error(path, fmt::format("is too large: {} of {} need {:.1f} GB of memory", text_of(size), name_of(type),
                                       static_cast<double>(bytes) * 1e-9));
  }
}

void check_size(const std::string& path, const extent& size, std::int64_t limit) {
  constexpr std::int64_t largest_side = (std::int64_t{1} << 31) - 1;
  if (size.depth < 1 || size.height < 1 || size.width < 1)
    throw file_error(path, fmt::format("has no pixels ({})", text_of(size)));
  // Sides below 2^31 first, so that the products below cannot overflow.
  if (size.depth > largest_side || size.height > largest_side || size.width > largest_side)
    throw file_error(path, fmt::format("is too large: {} pixels, sides end at {}", text_of(size), largest_side));
  if (size.height * size.width > limit / size.depth)
    throw file_error(path, fmt::format("is too large: {} pixels, the limit is {} in all", text_of(size), limit));
}

std::string text_of(const extent& size) {
  if (size.rank == 1) return fmt::format("{}", size.width);
  return size.rank == 3 ? fmt::format("{} x {} x {}", size.depth, size.height, size.width)
                        : fmt::format("{} x {}", size.height, size.width);
}

}  // namespace skerry::io
