// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "io/file_error.hpp"
#include "io/image_file.hpp"
#include "io/npy_file.hpp"

namespace skerry::io {
namespace {

// Fortran order has the first axis fastest: element (z, y, x) of (d, h, w) is at z + d (y + h x). Goes by squares of
// 64 × 64, so that both sides stay in the cache.
template <class Pixel>
void to_c_order(const Pixel* from, Pixel* to, std::int64_t slow, std::int64_t middle, std::int64_t fast) {
  constexpr std::int64_t square = 64;
  for (std::int64_t m = 0; m < middle; ++m)
    for (std::int64_t s0 = 0; s0 < slow; s0 += square)
      for (std::int64_t f0 = 0; f0 < fast; f0 += square)
        for (std::int64_t s = s0; s < std::min(s0 + square, slow); ++s)
          for (std::int64_t f = f0; f < std::min(f0 + square, fast); ++f)
            to[(s * middle + m) * fast + f] = from[s + slow * (m + middle * f)];
}

void reorder(image& read, const std::string& name) {
  const extent& size = read.size;
  std::unique_ptr<std::byte[]> ordered = allocate_pixels(name, read.type, size);
  // Of rank 2, rows are the first axis and there is none in the middle.
  const std::int64_t slow = size.rank == 3 ? size.depth : size.height;
  const std::int64_t middle = size.rank == 3 ? size.height : 1;
  const auto with = [&]<class Pixel>(Pixel*) {
    to_c_order(reinterpret_cast<const Pixel*>(read.bytes.get()), reinterpret_cast<Pixel*>(ordered.get()), slow, middle,
               size.width);
  };
  switch (size_of(read.type)) {
    case 1: with(static_cast<std::uint8_t*>(nullptr)); break;
    case 2: with(static_cast<std::uint16_t*>(nullptr)); break;
    case 4: with(static_cast<std::uint32_t*>(nullptr)); break;
    default: with(static_cast<std::uint64_t*>(nullptr)); break;
  }
  read.bytes = std::move(ordered);
}

}  // namespace

image read_npy(const std::string& path, const std::string& name, const read_options& options) {
  const npy_file file(path, name, options.pixel_limit);
  image read;
  read.format = "npy";
  read.type = file.type();
  read.size = file.size();
  if (options.channel > 0) throw file_error(name, fmt::format("has no channel {}: NPY has only 0", options.channel));
  read.bytes = allocate_pixels(name, read.type, read.size);
  file.read(0, read.size.pixels(), read.bytes.get());
  if (file.fortran_order()) reorder(read, name);
  if (options.page >= 0 && read.size.rank == 3) {
    if (options.page >= read.size.depth)
      throw file_error(name, fmt::format("has no page {}: it has {}, the first is 0", options.page, read.size.depth));
    const image_view page = read.slice(options.page);
    std::memmove(read.bytes.get(), page.data, static_cast<std::size_t>(page.size.pixels()) * size_of(read.type));
    read.size = page.size;
  } else if (options.page > 0) {
    throw file_error(name, fmt::format("has no page {}: it has 1, the first is 0", options.page));
  }
  return read;
}

}  // namespace skerry::io
