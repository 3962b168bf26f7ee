// SPDX-License-Identifier: Apache-2.0
// Pages and channels of a picture, whoever decodes it, become one grey image or volume.
#include <fmt/format.h>

#include <stdexcept>

#include "io/codecs.hpp"
#include "io/file_error.hpp"
#include "io/formats.hpp"
#include "io/grey.hpp"
#include "io/image_file.hpp"
#include "io/pnm.hpp"

namespace skerry::io {
namespace {

std::unique_ptr<picture_decoder> open(const file_format& format, const std::string& path, int threads) {
  switch (format.reader) {
    case format_reader::pnm: return open_pnm(read_bytes(path));
    case format_reader::fits: return codecs().open_fits(read_bytes(path));
    case format_reader::gif: return codecs().open_gif(read_bytes(path));
    case format_reader::webp: return codecs().open_webp(read_bytes(path));
    case format_reader::library: return codecs().open_by_library(format.library_name, path, threads);
    default: throw std::runtime_error(refusal_of(format));
  }
}

void check_same(const picture_page& first, const picture_page& other, std::int64_t page) {
  if (other.size() != first.size())
    throw std::runtime_error(fmt::format("has pages of different sizes (page 0: {} x {}, page {}: {} x {}); choose one",
                                         first.height, first.width, page, other.height, other.width));
  if (other.type != first.type || other.channels != first.channels)
    throw std::runtime_error(
        fmt::format("has pages of different types (page 0: {} of {}, page {}: {} of {}); choose one", first.channels,
                    name_of(first.type), page, other.channels, name_of(other.type)));
}

// Half-open.
struct page_range {
  std::int64_t begin, end;
  [[nodiscard]] std::int64_t count() const { return end - begin; }
};

page_range choose_pages(const picture_decoder& from, const read_options& options) {
  const std::int64_t pages = from.pages(), chosen = options.page;
  if (chosen >= pages)
    throw std::runtime_error(fmt::format("has no page {}: it has {}, the first is 0", chosen, pages));
  if (chosen >= 0) return {chosen, chosen + 1};
  if (from.asks_for_page())
    throw std::runtime_error(fmt::format("holds {} images; choose one by --page, the first is 0", pages));
  if (from.is_animation() && pages > 1 && !options.stack && !options.as_slices && !options.survey)
    throw std::runtime_error(fmt::format(
        "is an animation of {} images: take each by itself with --stack, all as one volume with --volume, or "
        "choose one with --page N, the first is 0",
        pages));
  return {0, pages};
}

image read_pages(picture_decoder& from, const std::string& name, const read_options& options) {
  const page_range pages = choose_pages(from, options);
  const picture_page first = from.page(pages.begin);
  if (first.depth > 1 && pages.count() > 1) throw std::runtime_error("has several pages that are volumes; choose one");
  for (std::int64_t page = pages.begin + 1; page < pages.end; ++page) check_same(first, from.page(page), page);

  image read;
  read.channels = first.channels;
  const grey_rule rule = choose_channels(first.channels, first.last_is_alpha, options.channel, name, options);
  read.note = rule.note;
  read.type = rule.mixes() ? grey_type(first.type, name) : first.type;
  read.size = pages.count() > 1 ? extent(pages.count(), first.height, first.width) : first.size();
  check_size(name, read.size, options.pixel_limit);
  read.bytes = allocate_pixels(name, read.type, read.size);
  const std::int64_t page_pixels = first.size().pixels();
  read.colour_type = first.type;
  const colour_pages colours(read, rule, first.size(), options, name);
  std::byte* to = read.bytes.get();
  for (std::int64_t page = pages.begin; page < pages.end; ++page) {
    std::byte* stored = rule.mixes() ? colours.page(page - pages.begin) : to;
    from.read(page, rule.begin, rule.end, stored);
    if (rule.mixes()) mix_colours(first.type, stored, to, page_pixels);
    to += page_pixels * static_cast<std::int64_t>(size_of(read.type));
  }
  return read;
}

}  // namespace

image read_picture(const file_format& format, const std::string& path, const std::string& name,
                   const read_options& options) {
  try {
    const std::unique_ptr<picture_decoder> from = open(format, path, options.threads);
    image read = read_pages(*from, name, options);
    read.format = format.name;
    return read;
  } catch (const file_error&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw file_error(name, error.what());
  }
}

}  // namespace skerry::io
