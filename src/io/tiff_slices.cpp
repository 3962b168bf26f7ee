// SPDX-License-Identifier: Apache-2.0
#include "io/tiff_slices.hpp"

#include <fmt/format.h>

#include "io/file_error.hpp"

namespace skerry::io {

tiff_slices::tiff_slices(const std::string& path, const std::string& name, const read_options& options)
    : name_(name), file_(path, name_) {
  axes_ = read_axes(file_, name_, options, note_);
  planes_without_pages_ = has_planes_without_pages(file_, axes_);
  chosen_ = choose_planes(file_, name_, options, axes_);
  if (first().depth > 1 && count() > 1) throw file_error(name_, "has several pages that are volumes; choose one");
  for (const std::size_t page : chosen_.pages)
    if (!planes_without_pages_) check_same(page);
  size_ = count() > 1 ? extent(count(), first().height, first().width) : page_size();
  check_size(name_, size_, options.pixel_limit);
  rule_ = choose_channels(first().channels, first().last_is_alpha, chosen_.sample, name_, options);
  type_ = rule_.mixes() ? grey_type(first().type, name_) : first().type;
}

void tiff_slices::check_same(std::size_t page) const {
  const tiff_page& other = file_.pages()[page];
  const std::size_t first_page = chosen_.pages.front();
  if (other.width != first().width || other.height != first().height || other.depth != first().depth)
    throw file_error(name_, fmt::format("has pages of different sizes (page {}: {} x {}, page {}: {} x {}); choose one",
                                        first_page, first().height, first().width, page, other.height, other.width));
  if (!other.same_form(first()))
    throw file_error(
        name_,
        fmt::format("has pages of different types (page {}: {} of {}, page {}: {} of {}); choose one", first_page,
                    first().channels, name_of(first().type), page, other.channels, name_of(other.type)));
}

image tiff_slices::about() const {
  image read;
  read.type = type_;
  read.size = size_;
  read.channels = first().channels * static_cast<int>(axes_ ? axes_->channels : 1);
  read.format = "tiff";
  read.colour_type = first().type;
  read.slices = chosen_.slices;
  if (axes_) read.spacing = axes_->spacing;
  read.axes = axes_;
  read.note = note_;
  if (!rule_.note.empty()) read.note += (note_.empty() ? "" : "; ") + rule_.note;
  return read;
}

extent tiff_slices::page_size() const {
  const tiff_page& page = first();
  return page.depth > 1 ? extent(page.depth, page.height, page.width) : extent(page.height, page.width);
}

std::int64_t tiff_slices::rows_together() { return planes_without_pages_ ? 1 : file_.rows_together(first()); }

void tiff_slices::read(std::int64_t index, std::int64_t row_begin, std::int64_t row_end, std::byte* stored) {
  const std::size_t page = chosen_.pages[static_cast<std::size_t>(index)];
  const tiff_part part{rule_.begin, rule_.end, row_begin, row_end};
  if (planes_without_pages_) file_.read_following_plane(first(), static_cast<std::int64_t>(page), part, stored);
  else file_.read(file_.pages()[page], part, stored);
}

}  // namespace skerry::io
