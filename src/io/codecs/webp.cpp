// SPDX-License-Identifier: Apache-2.0
// WebP by libwebp. OpenImageIO 2.4 multiplies colours by alpha.
#include <webp/decode.h>
#include <webp/demux.h>

#include <cstring>
#include <stdexcept>

#include "io/codecs/decoders.hpp"

namespace skerry::io {
namespace {

constexpr int rgba_channels = 4;

[[noreturn]] void damaged() { throw std::runtime_error("is truncated or damaged"); }

class webp_decoder final : public picture_decoder {
 public:
  explicit webp_decoder(file_bytes bytes) : bytes_(std::move(bytes)), data_{start(), bytes_.size()} {
    WebPBitstreamFeatures features;
    if (WebPGetFeatures(start(), bytes_.size(), &features) != VP8_STATUS_OK) damaged();
    page_ = {1,
             features.height,
             features.width,
             features.has_alpha != 0 ? rgba_channels : rgba_channels - 1,
             features.has_alpha != 0,
             dtype::u8};
    if (features.has_animation != 0) count_frames();
  }
  ~webp_decoder() override { WebPAnimDecoderDelete(frames_); }

  [[nodiscard]] std::int64_t pages() const override { return pages_; }
  [[nodiscard]] bool is_animation() const override { return true; }
  [[nodiscard]] picture_page page(std::int64_t) override { return page_; }

  void read(std::int64_t page, int channel_begin, int channel_end, std::byte* pixels) override {
    if (animated_) return copy(frame(page), channel_begin, channel_end, pixels);
    int width = 0, height = 0;
    const std::unique_ptr<std::uint8_t, decltype(&WebPFree)> whole(
        WebPDecodeRGBA(start(), bytes_.size(), &width, &height), WebPFree);
    if (!whole || width != page_.width || height != page_.height) damaged();
    copy(whole.get(), channel_begin, channel_end, pixels);
  }

 private:
  [[nodiscard]] const std::uint8_t* start() const { return reinterpret_cast<const std::uint8_t*>(bytes_.data()); }

  void count_frames() {
    animated_ = true;
    const std::unique_ptr<WebPDemuxer, decltype(&WebPDemuxDelete)> parts(WebPDemux(&data_), WebPDemuxDelete);
    if (!parts) damaged();
    pages_ = WebPDemuxGetI(parts.get(), WEBP_FF_FRAME_COUNT);
    page_.width = WebPDemuxGetI(parts.get(), WEBP_FF_CANVAS_WIDTH);
    page_.height = WebPDemuxGetI(parts.get(), WEBP_FF_CANVAS_HEIGHT);
    if (pages_ < 1) damaged();
  }

  // Frames are changes of those before them, so they are decoded in order.
  const std::uint8_t* frame(std::int64_t page) {
    if (frames_ == nullptr || page < next_) {
      WebPAnimDecoderDelete(frames_);
      WebPAnimDecoderOptions options;
      if (WebPAnimDecoderOptionsInit(&options) == 0) damaged();
      options.color_mode = MODE_RGBA;  // not multiplied
      frames_ = WebPAnimDecoderNew(&data_, &options);
      if (frames_ == nullptr) damaged();
      next_ = 0;
    }
    std::uint8_t* canvas = nullptr;
    for (int time = 0; next_ <= page; ++next_)
      if (WebPAnimDecoderGetNext(frames_, &canvas, &time) == 0) damaged();
    return canvas;
  }

  void copy(const std::uint8_t* canvas, int channel_begin, int channel_end, std::byte* pixels) const {
    for (std::int64_t i = 0; i < page_.width * page_.height; ++i)
      for (int channel = channel_begin; channel < channel_end; ++channel)
        *pixels++ = static_cast<std::byte>(canvas[i * rgba_channels + channel]);
  }

  file_bytes bytes_;
  WebPData data_;
  picture_page page_;
  bool animated_ = false;
  std::int64_t pages_ = 1, next_ = 0;
  WebPAnimDecoder* frames_ = nullptr;
};

}  // namespace

std::unique_ptr<picture_decoder> open_webp(file_bytes bytes) {
  return std::make_unique<webp_decoder>(std::move(bytes));
}

}  // namespace skerry::io
