// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <fstream>
#include <string_view>

#include "io/file_error.hpp"
#include "io/grey.hpp"
#include "io/image_file.hpp"
#include "io/tiff_file.hpp"

namespace skerry::io {
namespace {

// ImageJ writes stacks above 4 GB as one page with a note; reading that page alone would be silently wrong.
void refuse_hidden_stack(const tiff_file& file, const std::string& name) {
  const std::string_view note = file.pages().front().description;
  constexpr std::string_view key = "images=";
  const std::size_t at = note.find(key);
  if (file.pages().size() > 1 || !note.starts_with("ImageJ=") || at == std::string_view::npos) return;
  int images = 0;
  std::from_chars(note.data() + at + key.size(), note.data() + note.size(), images);
  if (images > 1)
    throw file_error(name, fmt::format("hides {} images in one page, as ImageJ does above 4 GB; save it as NPY or as a "
                                       "BigTIFF with pages",
                                       images));
}

void check_same(const tiff_page& first, const tiff_page& other, std::size_t page, const std::string& name) {
  if (other.width != first.width || other.height != first.height || other.depth != first.depth)
    throw file_error(name, fmt::format("has pages of different sizes (page 0: {} x {}, page {}: {} x {}); choose one",
                                       first.height, first.width, page, other.height, other.width));
  if (!other.same_form(first))
    throw file_error(name, fmt::format("has pages of different types (page 0: {} of {}, page {}: {} of {}); choose one",
                                       first.channels, name_of(first.type), page, other.channels, name_of(other.type)));
}

}  // namespace

bool is_tiff(const std::string& path) {
  std::array<char, 4> start{};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  const std::string_view magic(start.data(), start.size());
  for (const std::string_view known : {std::string_view("II\x2a\0", 4), std::string_view("MM\0\x2a", 4),
                                       std::string_view("II\x2b\0", 4), std::string_view("MM\0\x2b", 4)})
    if (magic == known) return true;
  return false;
}

image read_tiff(const std::string& path, const std::string& name, const read_options& options) {
  tiff_file file(path, name);
  const auto& all = file.pages();
  if (options.page >= static_cast<std::int64_t>(all.size()))
    throw file_error(name, fmt::format("has no page {}: it has {}, the first is 0", options.page, all.size()));
  refuse_hidden_stack(file, name);
  const std::size_t begin = options.page >= 0 ? static_cast<std::size_t>(options.page) : 0;
  const std::size_t end = options.page >= 0 ? begin + 1 : all.size();
  const tiff_page& first = all[begin];
  if (first.depth > 1 && end - begin > 1) throw file_error(name, "has several pages that are volumes; choose one");
  for (std::size_t page = begin + 1; page < end; ++page) check_same(first, all[page], page, name);

  image read;
  read.format = "tiff";
  read.channels = first.channels;
  read.type = first.type;
  const extent page_size =
      first.depth > 1 ? extent(first.depth, first.height, first.width) : extent(first.height, first.width);
  read.size = end - begin > 1 ? extent(static_cast<std::int64_t>(end - begin), first.height, first.width) : page_size;
  check_size(name, read.size, options.pixel_limit);
  const grey_rule rule = choose_channels(first.channels, first.last_is_alpha, options.channel, name);
  read.bytes = allocate_pixels(name, read.type, read.size);
  std::unique_ptr<std::byte[]> colours;
  if (rule.mixes()) {
    check_size(name, extent(3 * first.depth, first.height, first.width), 3 * options.pixel_limit);
    colours = allocate_pixels(name, read.type, extent(3 * first.depth, first.height, first.width));
  }
  std::byte* to = read.bytes.get();
  for (std::size_t page = begin; page < end; ++page) {
    file.read(all[page], rule.begin, rule.end, rule.mixes() ? colours.get() : to);
    if (rule.mixes()) mix_colours(read.type, colours.get(), to, page_size.pixels());
    to += page_size.pixels() * static_cast<std::int64_t>(size_of(read.type));
  }
  return read;
}

}  // namespace skerry::io
