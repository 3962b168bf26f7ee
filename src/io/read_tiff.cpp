// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "io/file_error.hpp"
#include "io/grey.hpp"
#include "io/image_file.hpp"
#include "io/stack_choice.hpp"
#include "io/tiff_file.hpp"

namespace skerry::io {
namespace {

void check_same(std::size_t first_page, std::size_t page, const std::vector<tiff_page>& all, const std::string& name) {
  const tiff_page &first = all[first_page], &other = all[page];
  if (other.width != first.width || other.height != first.height || other.depth != first.depth)
    throw file_error(name, fmt::format("has pages of different sizes (page {}: {} x {}, page {}: {} x {}); choose one",
                                       first_page, first.height, first.width, page, other.height, other.width));
  if (!other.same_form(first))
    throw file_error(
        name, fmt::format("has pages of different types (page {}: {} of {}, page {}: {} of {}); choose one", first_page,
                          first.channels, name_of(first.type), page, other.channels, name_of(other.type)));
}

}  // namespace

image read_tiff(const std::string& path, const std::string& name, const read_options& options) {
  tiff_file file(path, name);
  const auto& all = file.pages();
  image read;
  read.format = "tiff";
  read.axes = read_axes(file, name, options, read.note);
  const bool one_page = has_planes_without_pages(file, read.axes);
  const stack_choice chosen = choose_planes(file, name, options, read.axes);
  const tiff_page& first = all[one_page ? 0 : chosen.pages.front()];
  const auto count = static_cast<std::int64_t>(chosen.pages.size());
  if (first.depth > 1 && count > 1) throw file_error(name, "has several pages that are volumes; choose one");
  for (const std::size_t page : chosen.pages)
    if (!one_page) check_same(chosen.pages.front(), page, all, name);

  read.channels = first.channels * static_cast<int>(read.axes ? read.axes->channels : 1);
  read.slices = chosen.slices;
  if (read.axes) read.spacing = read.axes->spacing;
  const extent page_size =
      first.depth > 1 ? extent(first.depth, first.height, first.width) : extent(first.height, first.width);
  read.size = count > 1 ? extent(count, first.height, first.width) : page_size;
  check_size(name, read.size, options.pixel_limit);
  const grey_rule rule = choose_channels(first.channels, first.last_is_alpha, chosen.sample, name);
  read.type = rule.mixes() ? grey_type(first.type, name) : first.type;
  read.bytes = allocate_pixels(name, read.type, read.size);
  read.colour_type = first.type;
  const colour_pages colours(read, rule, page_size, options, name);
  std::byte* to = read.bytes.get();
  std::int64_t slice = 0;
  for (const std::size_t page : chosen.pages) {
    std::byte* stored = rule.mixes() ? colours.page(slice++) : to;
    if (one_page) file.read_following_plane(first, static_cast<std::int64_t>(page), stored);
    else file.read(all[page], rule.begin, rule.end, stored);
    if (rule.mixes()) mix_colours(first.type, stored, to, page_size.pixels());
    to += page_size.pixels() * static_cast<std::int64_t>(size_of(read.type));
  }
  return read;
}

}  // namespace skerry::io
