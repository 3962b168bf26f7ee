// SPDX-License-Identifier: Apache-2.0
#include "cli/pictures.hpp"

#include <fmt/format.h>

#include <cstring>

#include "io/file_error.hpp"

namespace skerry::cli {
namespace {

// The inputs one behind the other: images give one slice each, volumes all of theirs.
picture read_volume(const input_options& options) {
  std::vector<io::image> parts;
  extent whole;
  for (const std::string& path : options.paths) {
    parts.push_back(io::read_image(path, options.read));
    const extent& first = parts.front().size;
    const extent& size = parts.back().size;
    if (size.height != first.height || size.width != first.width || parts.back().type != parts.front().type)
      throw io::file_error(path, fmt::format("does not fit the volume: it is {} of {}, {} is {} of {}",
                                             io::text_of(size), name_of(parts.back().type), options.paths.front(),
                                             io::text_of(first), name_of(parts.front().type)));
    whole = extent(whole.height == 0 ? size.depth : whole.depth + size.depth, first.height, first.width);
    io::check_size(path, whole, options.read.pixel_limit);
  }
  picture result{options.paths.front(), {}, false};
  result.pixels.type = parts.front().type;
  result.pixels.size = whole;
  result.pixels.format = parts.front().format;
  result.pixels.bytes = io::allocate_pixels(result.name, result.pixels.type, whole);
  std::byte* to = result.pixels.bytes.get();
  for (io::image& part : parts) {
    const std::size_t bytes = static_cast<std::size_t>(part.size.pixels()) * size_of(part.type);
    std::memcpy(to, part.bytes.get(), bytes);
    part.bytes.reset();
    to += bytes;
  }
  return result;
}

}  // namespace

std::vector<std::string> picture_names(const input_options& options) {
  return options.volume ? std::vector<std::string>{options.paths.front()} : options.paths;
}

picture read_file(const input_options& options, const std::string& path) {
  picture result{path, io::read_image(path, options.read), false};
  // One page is a stack of one.
  if (options.stack) {
    result.is_stack = true;
    if (result.pixels.size.rank == 2)
      result.pixels.size = extent(1, result.pixels.size.height, result.pixels.size.width);
  }
  return result;
}

picture read_one(const input_options& options, std::size_t index) {
  return options.volume ? read_volume(options) : read_file(options, options.paths[index]);
}

}  // namespace skerry::cli
