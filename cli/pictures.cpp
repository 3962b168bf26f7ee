// SPDX-License-Identifier: Apache-2.0
#include "cli/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <ostream>

#include "io/file_error.hpp"
#include "io/printable.hpp"

namespace skerry::cli {
namespace {

// Moves samples to their place in a volume, and gives the place of the next.
std::byte* append(std::byte* to, std::unique_ptr<std::byte[]>& from, std::int64_t samples, dtype type) {
  const std::size_t bytes = static_cast<std::size_t>(samples) * size_of(type);
  std::memcpy(to, from.get(), bytes);
  from.reset();
  return to + bytes;
}

// The size of a pixel of a frame, where the user or the file gives all sides that it needs.
void find_spacing(const input_options& options, picture& of) {
  const bool has_slices = of.frame(0).size.rank == 3;
  const pixel_size_choice& chosen = options.pixel_size;
  if (chosen.size && has_slices && chosen.size->z == 0)
    throw io::file_error(of.name, "is a volume, but --pixel-size has no size of slices; give Z,Y,X");
  if (chosen.given) {
    of.spacing = chosen.size;
    return;
  }
  const pixel_spacing& own = of.pixels.spacing;
  if (own.y == 0 || own.x == 0) return;
  if (!has_slices || own.z > 0) of.spacing = own;
  else if (of.pixels.note.empty()) of.pixels.note = "has no size of slices; columns in units need --pixel-size";
}

// An array whose last axis could be that of colours is a volume all the same; the user should know.
void note_colours(picture& of) {
  const extent& size = of.pixels.size;
  if (of.pixels.format != "npy" || size.rank != 3 || (size.width != 3 && size.width != 4) || !of.pixels.note.empty())
    return;
  of.pixels.note = fmt::format("is read as a volume of {}, not as colour", io::text_of(size));
}

// The inputs one behind the other: images give one slice each, volumes all of theirs.
picture read_volume(const input_options& options) {
  std::vector<io::image> parts;
  extent whole;
  io::read_options read = options.read;
  read.as_slices = true;
  for (const std::string& path : options.paths) {
    parts.push_back(io::read_image(path, read));
    const extent& first = parts.front().size;
    const extent& size = parts.back().size;
    if (size.height != first.height || size.width != first.width || parts.back().type != parts.front().type)
      throw io::file_error(path, fmt::format("does not fit the volume: it is {} of {}, {} is {} of {}",
                                             io::text_of(size), name_of(parts.back().type), options.paths.front(),
                                             io::text_of(first), name_of(parts.front().type)));
    whole = extent(whole.height == 0 ? size.depth : whole.depth + size.depth, first.height, first.width);
    io::check_size(path, whole, options.read.pixel_limit);
  }
  picture result{options.paths.front(), {}, false, {}};
  result.pixels.type = parts.front().type;
  result.pixels.size = whole;
  result.pixels.format = parts.front().format;
  result.pixels.bytes = io::allocate_pixels(result.name, result.pixels.type, whole);
  result.pixels.spacing = parts.front().spacing;
  std::byte* to = result.pixels.bytes.get();
  find_spacing(options, result);
  for (io::image& part : parts) to = append(to, part.bytes, part.size.pixels(), part.type);
  const bool coloured = std::all_of(parts.begin(), parts.end(), [&](const io::image& part) {
    return part.colours && part.colour_type == parts.front().colour_type;
  });
  if (!coloured) return result;
  result.pixels.colour_type = parts.front().colour_type;
  result.pixels.colours =
      io::allocate_pixels(result.name, result.pixels.colour_type, extent(3 * whole.depth, whole.height, whole.width));
  to = result.pixels.colours.get();
  for (io::image& part : parts) to = append(to, part.colours, 3 * part.size.pixels(), part.colour_type);
  return result;
}

}  // namespace

std::vector<image_view> intensity_images::several(std::int64_t frame) const {
  std::vector<image_view> views;
  views.reserve(count());
  if (numbered)
    for (const picture* channel : channels) views.push_back(channel->frame(frame));
  return views;
}

std::vector<std::string> picture_names(const input_options& options) {
  return options.volume ? std::vector<std::string>{options.paths.front()} : options.paths;
}

picture read_file(const input_options& options, const std::string& path) {
  io::read_options read = options.read;
  read.stack = options.stack;
  picture result{path, io::read_image(path, read), false, {}};
  // One page is a stack of one.
  if (options.stack) {
    result.is_stack = true;
    if (result.pixels.size.rank == 2)
      result.pixels.size = extent(1, result.pixels.size.height, result.pixels.size.width);
  }
  describe(options, result);
  return result;
}

void describe(const input_options& options, picture& of) {
  find_spacing(options, of);
  note_colours(of);
}

io::stack_form picture::form() const {
  io::slice_axis axis = pixels.slices;
  if (axis == io::slice_axis::unknown && spacing) axis = is_stack ? io::slice_axis::time : io::slice_axis::space;
  return {axis, spacing.value_or(pixel_spacing{0, 0, 0, {}})};
}

void print_note(const console& to, bool quiet, const picture& of) {
  if (!quiet && !of.pixels.note.empty())
    to.err << "skerry: note: " << io::printable(of.name) << ": " << io::printable(of.pixels.note) << '\n';
}

picture read_one(const input_options& options, std::size_t index) {
  return options.volume ? read_volume(options) : read_file(options, options.paths[index]);
}

}  // namespace skerry::cli
