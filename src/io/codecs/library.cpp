// SPDX-License-Identifier: Apache-2.0
// Pictures by OpenImageIO.
#include <OpenImageIO/imageio.h>
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>

#include "io/codecs/decoders.hpp"
#include "io/codecs/messages.hpp"

namespace skerry::io {
namespace {

using OIIO::ImageInput;
using OIIO::ImageSpec;
using OIIO::TypeDesc;

// The first line says it; decoders add one for every strip that is missing.
std::string first_line(const std::string& text) { return text.substr(0, std::min(text.find('\n'), std::size_t{200})); }

struct pixel_type {
  TypeDesc file;
  dtype type;
};

pixel_type pixel_type_of(const ImageSpec& spec) {
  switch (spec.format.basetype) {
    case TypeDesc::UINT8: return {TypeDesc::UINT8, dtype::u8};
    case TypeDesc::UINT16: return {TypeDesc::UINT16, dtype::u16};
    case TypeDesc::UINT32: return {TypeDesc::UINT32, dtype::u32};
    case TypeDesc::INT8: return {TypeDesc::INT8, dtype::i8};
    case TypeDesc::INT16: return {TypeDesc::INT16, dtype::i16};
    case TypeDesc::INT32: return {TypeDesc::INT32, dtype::i32};
    case TypeDesc::HALF: return {TypeDesc::HALF, dtype::f16};
    case TypeDesc::FLOAT: return {TypeDesc::FLOAT, dtype::f32};
    case TypeDesc::DOUBLE: return {TypeDesc::DOUBLE, dtype::f64};
    default: throw std::runtime_error(fmt::format("has the unsupported pixel type {}", spec.format.c_str()));
  }
}

// Some readers name the alpha channel without declaring it.
bool last_is_alpha(const ImageSpec& spec) {
  return spec.alpha_channel == spec.nchannels - 1 || spec.channel_name(spec.nchannels - 1) == "A";
}

// An open file. Everything that its decoder says, in whatever way, is an error.
class library_decoder final : public picture_decoder {
 public:
  library_decoder(const char* format, const std::string& path, int threads) : format_(format), path_(path) {
    static std::once_flag once;
    // Sizes are checked by the caller, against a limit of its own.
    std::call_once(once, [] { OIIO::attribute("limits:imagesize_MB", 0); });
    open(threads);
    pages_ = count_pages();
    open(threads);  // some readers cannot go back after looking for a second page
  }

  [[nodiscard]] std::int64_t pages() const override { return pages_; }

  [[nodiscard]] picture_page page(std::int64_t index) override {
    if (!input_->seek_subimage(static_cast<int>(index), 0)) damaged();
    const ImageSpec spec = input_->spec();
    return {spec.depth, spec.height, spec.width, spec.nchannels, last_is_alpha(spec), pixel_type_of(spec).type};
  }

  void read(std::int64_t page, int channel_begin, int channel_end, std::byte* pixels) override {
    if (!input_->seek_subimage(static_cast<int>(page), 0)) damaged();
    const TypeDesc type = pixel_type_of(input_->spec()).file;
    const bool whole = input_->read_image(static_cast<int>(page), 0, channel_begin, channel_end, type, pixels);
    // A decoder may go on after damage and fill up with grey; it says so here.
    if (!whole || input_->has_error()) damaged();
  }

 private:
  void open(int threads) {
    (void)OIIO::geterror();  // of another file
    ImageSpec wish;
    wish["oiio:UnassociatedAlpha"] = 1;  // grey does not depend on alpha
    input_ = ImageInput::create(format_);
    if (!input_) throw std::runtime_error("cannot be read: this OpenImageIO has no reader of " + format_);
    ImageSpec found;
    if (!input_->open(path_, found, wish)) {
      const std::string detail = input_->geterror();
      fail("is not an image that can be read, or is damaged", detail.empty() ? OIIO::geterror() : detail);
    }
    if (input_->has_error()) damaged();
    input_->threads(threads);
  }

  [[nodiscard]] std::int64_t count_pages() const {
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
    throw std::runtime_error(detail.empty() ? what : what + " (" + detail + ")");
  }

  const std::string format_, path_;
  codec_messages messages_;
  std::unique_ptr<ImageInput> input_;
  std::int64_t pages_ = 1;
};

}  // namespace

std::unique_ptr<picture_decoder> open_by_library(const char* format, const std::string& path, int threads) {
  return std::make_unique<library_decoder>(format, path, threads);
}

}  // namespace skerry::io
