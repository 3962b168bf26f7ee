// SPDX-License-Identifier: Apache-2.0
// GIF by giflib. OpenImageIO 2.4 composes a frame that is asked for alone wrongly.
#include <gif_lib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>

#include "io/codecs/decoders.hpp"

namespace skerry::io {
namespace {

using colour = std::array<std::uint8_t, 4>;

constexpr int rgba = 4;
constexpr colour nothing = {0, 0, 0, 0};

[[noreturn]] void damaged(const std::string& detail) {
  throw std::runtime_error("is truncated or damaged (" + detail + ")");
}

// The bytes of a file from the first record to the last.
class record_reader {
 public:
  explicit record_reader(const file_bytes& bytes) : bytes_(bytes) {
    int error = 0;
    file_ = DGifOpen(this, read_bytes, &error);
    if (file_ == nullptr) damaged(text_of(error));
  }
  record_reader(const record_reader&) = delete;
  record_reader& operator=(const record_reader&) = delete;
  ~record_reader() { DGifCloseFile(file_, nullptr); }

  [[nodiscard]] GifFileType* file() const { return file_; }
  void check(int done) const {
    if (done == GIF_ERROR) damaged(text_of(file_->Error));
  }

  /// Goes to the next frame, and keeps what was said about it. Returns false at the end.
  bool next_frame(GraphicsControlBlock& control) const {
    control = {DISPOSAL_UNSPECIFIED, false, 0, NO_TRANSPARENT_COLOR};
    for (GifRecordType kind = UNDEFINED_RECORD_TYPE; kind != TERMINATE_RECORD_TYPE;) {
      check(DGifGetRecordType(file_, &kind));
      if (kind == EXTENSION_RECORD_TYPE) read_extension(control);
      if (kind != IMAGE_DESC_RECORD_TYPE) continue;
      check(DGifGetImageDesc(file_));
      return true;
    }
    return false;
  }

  void skip_pixels() const {
    int size = 0;
    GifByteType* block = nullptr;
    check(DGifGetCode(file_, &size, &block));
    while (block != nullptr) check(DGifGetCodeNext(file_, &block));
  }

 private:
  static int read_bytes(GifFileType* file, GifByteType* to, int count) {
    auto& self = *static_cast<record_reader*>(file->UserData);
    const std::size_t got = std::min(static_cast<std::size_t>(count), self.bytes_.size() - self.at_);
    if (got > 0) std::memcpy(to, self.bytes_.data() + self.at_, got);
    self.at_ += got;
    return static_cast<int>(got);
  }
  static std::string text_of(int error) {
    const char* text = GifErrorString(error);
    return text == nullptr ? "unknown reason" : text;
  }

  void read_extension(GraphicsControlBlock& control) const {
    int function = 0;
    GifByteType* block = nullptr;
    check(DGifGetExtension(file_, &function, &block));
    if (function == GRAPHICS_EXT_FUNC_CODE && block != nullptr)
      check(DGifExtensionToGCB(block[0], block + 1, &control));
    while (block != nullptr) check(DGifGetExtensionNext(file_, &block));
  }

  const file_bytes& bytes_;
  std::size_t at_ = 0;
  GifFileType* file_ = nullptr;
};

class gif_decoder final : public picture_decoder {
 public:
  explicit gif_decoder(file_bytes bytes) : bytes_(std::move(bytes)) {
    reader_.emplace(bytes_);
    page_ = {1, reader_->file()->SHeight, reader_->file()->SWidth, rgba, true, dtype::u8};
    GraphicsControlBlock control;
    while (reader_->next_frame(control)) {
      reader_->skip_pixels();
      ++pages_;
    }
    reader_.reset();
    if (pages_ == 0) throw std::runtime_error("holds no image");
  }

  [[nodiscard]] std::int64_t pages() const override { return pages_; }
  [[nodiscard]] bool is_animation() const override { return true; }
  [[nodiscard]] picture_page page(std::int64_t) override { return page_; }

  // Frames are changes of those before them, so they are drawn in order.
  void read(std::int64_t page, int channel_begin, int channel_end, std::byte* pixels) override {
    if (!reader_ || page < next_) {
      reader_.emplace(bytes_);
      canvas_.assign(static_cast<std::size_t>(page_.width * page_.height), nothing);
      disposal_ = DISPOSE_DO_NOT;
      next_ = 0;
    }
    for (; next_ <= page; ++next_) draw_next();
    for (const colour& each : canvas_)
      for (int channel = channel_begin; channel < channel_end; ++channel)
        *pixels++ = static_cast<std::byte>(each[static_cast<std::size_t>(channel)]);
  }

 private:
  void draw_next() {
    GraphicsControlBlock control;
    dispose();
    if (!reader_->next_frame(control)) damaged("a frame is missing");
    const GifImageDesc& where = reader_->file()->Image;
    if (where.Left < 0 || where.Top < 0 || where.Left + where.Width > page_.width ||
        where.Top + where.Height > page_.height)
      throw std::runtime_error("has a frame that goes beyond the picture");
    left_ = where.Left, top_ = where.Top, width_ = where.Width, height_ = where.Height;
    disposal_ = control.DisposalMode;
    if (disposal_ == DISPOSE_PREVIOUS) before_ = canvas_;
    // Of rows in four passes: the first of each, and the steps.
    constexpr std::array first = {0, 4, 2, 1}, step = {8, 8, 4, 2};
    if (!where.Interlace) return draw_rows(control, 0, 1);
    for (std::size_t pass = 0; pass < first.size(); ++pass) draw_rows(control, first[pass], step[pass]);
  }

  void draw_rows(const GraphicsControlBlock& control, int first, int step) {
    const ColorMapObject* own = reader_->file()->Image.ColorMap;
    const ColorMapObject* colours = own != nullptr ? own : reader_->file()->SColorMap;
    if (colours == nullptr) damaged("it has no colours");
    std::vector<GifPixelType> row(static_cast<std::size_t>(width_));
    for (int y = first; y < height_; y += step) {
      reader_->check(DGifGetLine(reader_->file(), row.data(), width_));
      colour* to = canvas_.data() + (top_ + y) * page_.width + left_;
      for (std::size_t x = 0; x < row.size(); ++x) {
        if (row[x] == control.TransparentColor) continue;
        if (row[x] >= colours->ColorCount) damaged("a colour is missing");
        const GifColorType& found = colours->Colors[row[x]];
        to[x] = {found.Red, found.Green, found.Blue, 255};
      }
    }
  }

  // What the frame before leaves for the next.
  void dispose() {
    if (disposal_ == DISPOSE_PREVIOUS) canvas_.swap(before_);
    if (disposal_ != DISPOSE_BACKGROUND) return;
    for (std::int64_t y = top_; y < top_ + height_; ++y)
      std::fill_n(canvas_.begin() + y * page_.width + left_, width_, nothing);
  }

  file_bytes bytes_;
  picture_page page_;
  std::int64_t pages_ = 0, next_ = 0;
  std::optional<record_reader> reader_;
  std::vector<colour> canvas_, before_;
  int disposal_ = DISPOSE_DO_NOT;
  int left_ = 0, top_ = 0, width_ = 0, height_ = 0;  // of the frame drawn last
};

}  // namespace

std::unique_ptr<picture_decoder> open_gif(file_bytes bytes) { return std::make_unique<gif_decoder>(std::move(bytes)); }

}  // namespace skerry::io
