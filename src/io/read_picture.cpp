// SPDX-License-Identifier: Apache-2.0
// What OpenImageIO reads.
#include <OpenImageIO/imageio.h>
#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "io/codec_messages.hpp"
#include "io/file_error.hpp"
#include "io/grey.hpp"
#include "io/image_file.hpp"

namespace skerry::io {
namespace {

using OIIO::ImageInput;
using OIIO::ImageSpec;
using OIIO::TypeDesc;

// The first line says it; decoders add one for every strip that is missing.
std::string first_line(const std::string& text) { return text.substr(0, std::min(text.find('\n'), std::size_t{200})); }

// An open file. Everything that its decoder says, in whatever way, is an error.
class picture_reader {
 public:
  picture_reader(const std::string& path, const std::string& name, int threads) : path_(path), name_(name) {
    static std::once_flag once;
    // Sizes are checked here, against a limit that the caller chooses.
    std::call_once(once, [] { OIIO::attribute("limits:imagesize_MB", 0); });
    open(threads);
    pages_ = count_pages();
    open(threads);  // some readers cannot go back after looking for a second page
  }

  [[nodiscard]] std::int64_t pages() const { return pages_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const char* format() const { return input_->format_name(); }

  [[nodiscard]] ImageSpec select(std::int64_t page) const {
    if (!input_->seek_subimage(static_cast<int>(page), 0)) damaged();
    return input_->spec();
  }
  void read(std::int64_t page, int channel_begin, int channel_end, const TypeDesc& type, void* pixels) const {
    const bool whole = input_->read_image(static_cast<int>(page), 0, channel_begin, channel_end, type, pixels);
    // A decoder may go on after damage and fill up with grey; it says so here.
    if (!whole || input_->has_error()) damaged();
  }

 private:
  void open(int threads) {
    (void)OIIO::geterror();  // of another file
    ImageSpec wish;
    wish["oiio:UnassociatedAlpha"] = 1;  // grey does not depend on alpha
    input_.reset();
    input_ = ImageInput::open(path_, &wish);
    std::string detail = OIIO::geterror();
    if (!input_) {
      if (detail.find("could not find a format reader") != std::string::npos) detail.clear();
      fail("is not an image that can be read, or is damaged", detail);
    }
    if (input_->has_error()) damaged();
    input_->threads(threads);
  }

  std::int64_t count_pages() const {
    std::int64_t pages = 1;
    while (input_->seek_subimage(static_cast<int>(pages), 0)) ++pages;
    (void)input_->geterror();  // that there are no more
    return pages;
  }

  [[noreturn]] void damaged() const {
    fail("is truncated or damaged", input_->has_error() ? input_->geterror() : OIIO::geterror());
  }
  [[noreturn]] void fail(const std::string& what, std::string detail) const {
    if (detail.empty()) detail = messages_.text();
    detail = first_line(detail);
    throw file_error(name_, detail.empty() ? what : what + " (" + detail + ")");
  }

  const std::string& path_;
  const std::string& name_;
  codec_messages messages_;
  std::unique_ptr<ImageInput> input_;
  std::int64_t pages_ = 1;
};

// Some readers (GIF) name the alpha channel without declaring it.
bool last_is_alpha(const ImageSpec& spec) {
  return spec.alpha_channel == spec.nchannels - 1 || spec.channel_name(spec.nchannels - 1) == "A";
}

struct pixel_type {
  TypeDesc file;
  dtype type;
};

pixel_type pixel_type_of(const ImageSpec& spec, const std::string& name) {
  switch (spec.format.basetype) {
    case TypeDesc::UINT8: return {TypeDesc::UINT8, dtype::u8};
    case TypeDesc::UINT16: return {TypeDesc::UINT16, dtype::u16};
    case TypeDesc::UINT32: return {TypeDesc::UINT32, dtype::u32};
    case TypeDesc::INT16: return {TypeDesc::INT16, dtype::i16};
    case TypeDesc::INT32: return {TypeDesc::INT32, dtype::i32};
    case TypeDesc::HALF:
    case TypeDesc::FLOAT: return {TypeDesc::FLOAT, dtype::f32};
    case TypeDesc::DOUBLE: return {TypeDesc::DOUBLE, dtype::f64};
    default: throw file_error(name, fmt::format("has the unsupported pixel type {}", spec.format.c_str()));
  }
}

void read_page(const picture_reader& reader, std::int64_t page, const pixel_type& type, const grey_rule& rule,
               const extent& size, std::byte* pixels) {
  if (!rule.mixes()) return reader.read(page, rule.begin, rule.end, type.file, pixels);
  const auto colours = allocate_pixels(reader.name(), type.type, extent(3 * size.depth, size.height, size.width));
  reader.read(page, rule.begin, rule.end, type.file, colours.get());
  mix_colours(type.type, colours.get(), pixels, size.pixels());
}

void check_same(const ImageSpec& first, const ImageSpec& spec, std::int64_t page, const std::string& name) {
  if (spec.width != first.width || spec.height != first.height || spec.depth != first.depth)
    throw file_error(name, fmt::format("has pages of different sizes (page 0: {} x {}, page {}: {} x {}); choose one",
                                       first.height, first.width, page, spec.height, spec.width));
  if (spec.format != first.format || spec.nchannels != first.nchannels)
    throw file_error(name,
                     fmt::format("has pages of different types (page 0: {} of {}, page {}: {} of {}); choose one",
                                 first.nchannels, first.format.c_str(), page, spec.nchannels, spec.format.c_str()));
}

}  // namespace

image read_picture(const std::string& path, const std::string& name, const read_options& options) {
  const picture_reader reader(path, name, options.threads);
  const bool one_page = options.page >= 0;
  if (options.page >= reader.pages())
    throw file_error(name, fmt::format("has no page {}: it has {}, the first is 0", options.page, reader.pages()));

  const std::int64_t begin = one_page ? options.page : 0;
  const std::int64_t end = one_page ? begin + 1 : reader.pages();
  const ImageSpec first = reader.select(begin);
  if (first.depth > 1 && end - begin > 1) throw file_error(name, "has several pages that are volumes; choose one");
  for (std::int64_t page = begin + 1; page < end; ++page) check_same(first, reader.select(page), page, name);

  image read;
  read.format = reader.format();
  read.channels = first.nchannels;
  const pixel_type type = pixel_type_of(first, name);
  read.type = type.type;
  const extent page_size =
      first.depth > 1 ? extent(first.depth, first.height, first.width) : extent(first.height, first.width);
  read.size = end - begin > 1 ? extent(end - begin, first.height, first.width) : page_size;
  check_size(name, read.size, options.pixel_limit);
  const grey_rule rule = choose_channels(first.nchannels, last_is_alpha(first), options.channel, name);
  read.bytes = allocate_pixels(name, read.type, read.size);
  const std::int64_t page_bytes = page_size.pixels() * static_cast<std::int64_t>(size_of(read.type));
  for (std::int64_t page = begin; page < end; ++page)
    read_page(reader, page, type, rule, page_size, read.bytes.get() + (page - begin) * page_bytes);
  return read;
}

}  // namespace skerry::io
