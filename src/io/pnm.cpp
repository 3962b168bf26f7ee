// SPDX-License-Identifier: Apache-2.0
#include "io/pnm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

namespace skerry::io {
namespace {

constexpr std::uint32_t largest_maxval = 65535, largest_side = std::numeric_limits<std::int32_t>::max();

[[noreturn]] void damaged(const std::string& detail) {
  throw std::runtime_error("is truncated or damaged (" + detail + ")");
}

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A header or a raster of text. A comment goes from # to the end of its line, and counts as that end.
class text_reader {
 public:
  text_reader(std::string_view text, std::size_t at) : text_(text), at_(at) {}
  [[nodiscard]] std::size_t at() const { return at_; }

  char next() {
    if (at_ >= text_.size()) damaged("it ends early");
    const char c = text_[at_++];
    if (c != '#') return c;
    const std::size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) damaged("it ends early");
    at_ = end + 1;
    return '\n';
  }
  char next_visible() {
    char c = next();
    while (is_blank(c)) c = next();
    return c;
  }
  // With the one blank after it, which may be the end of a raster of text.
  std::uint32_t number(std::uint32_t limit, bool may_end = false) {
    std::uint64_t value = 0;
    char c = next_visible();
    if (!is_digit(c)) damaged("a number is missing");
    while (true) {
      value = 10 * value + static_cast<unsigned>(c - '0');
      if (value > limit) damaged(fmt::format("a number is above {}", limit));
      if (may_end && at_ == text_.size()) break;
      c = next();
      if (is_blank(c)) break;
      if (!is_digit(c)) damaged("a number is missing");
    }
    return static_cast<std::uint32_t>(value);
  }
  // Up to a blank, without it.
  std::string word() {
    std::string found(1, next_visible());
    for (char c = next(); !is_blank(c); c = next()) found += c;
    return found;
  }
  std::string rest_of_line() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string found(text_.substr(at_, end - at_));
    at_ = std::min(end + 1, text_.size());
    return found;
  }

 private:
  std::string_view text_;
  std::size_t at_;
};

enum class raster : std::uint8_t { text_bits, text, bits, samples, floats };

// One image of the file.
struct pnm_page {
  picture_page page;
  raster kind = raster::samples;
  std::uint32_t maxval = 255;
  bool little_endian = false;  // of floats
  std::size_t at = 0;          // the first byte of its raster

  [[nodiscard]] std::uint64_t row_samples() const {
    return static_cast<std::uint64_t>(page.width) * static_cast<std::uint64_t>(page.channels);
  }
  [[nodiscard]] std::uint64_t row_bytes() const {
    return kind == raster::bits ? (row_samples() + 7) / 8 : row_samples() * size_of(page.type);
  }
};

class pnm_decoder final : public picture_decoder {
 public:
  explicit pnm_decoder(file_bytes bytes) : bytes_(std::move(bytes)) {
    for (std::size_t at = 0; at == 0 || begins_image(at);) {
      const pnm_page page = read_header(at);
      pages_.push_back(page);
      if (page.kind == raster::text || page.kind == raster::text_bits) {
        check_text(page);
        break;
      }
      at = page.at + raster_bytes(page);
    }
  }

  [[nodiscard]] std::int64_t pages() const override { return static_cast<std::int64_t>(pages_.size()); }
  [[nodiscard]] picture_page page(std::int64_t index) override { return pages_[static_cast<std::size_t>(index)].page; }

  void read(std::int64_t page, int channel_begin, int channel_end, std::byte* pixels) override {
    const pnm_page& from = pages_[static_cast<std::size_t>(page)];
    text_reader text(all(), from.at);
    std::vector<std::byte> row(from.row_samples() * size_of(from.page.type));
    const auto channels = static_cast<std::size_t>(from.page.channels);
    const std::size_t sample = size_of(from.page.type), begin = static_cast<std::size_t>(channel_begin) * sample;
    const std::size_t wanted = static_cast<std::size_t>(channel_end - channel_begin) * sample;
    for (std::int64_t y = 0; y < from.page.height; ++y) {
      read_row(from, y, text, row.data());
      for (std::int64_t x = 0; x < from.page.width; ++x, pixels += wanted)
        std::memcpy(pixels, row.data() + static_cast<std::size_t>(x) * channels * sample + begin, wanted);
    }
  }

 private:
  [[nodiscard]] std::string_view all() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }

  [[nodiscard]] bool begins_image(std::size_t at) const {
    const std::string_view rest = all().substr(at);
    return rest.size() >= 3 && rest[0] == 'P' &&
           std::string_view("1234567fF").find(rest[1]) != std::string_view::npos &&
           (is_blank(rest[2]) || rest[2] == '#');
  }

  [[nodiscard]] pnm_page read_header(std::size_t at) const {
    if (!begins_image(at)) throw std::runtime_error("is not a PNM file");
    const char kind = all()[at + 1];
    text_reader from(all(), at + 2);
    pnm_page found = kind == '7'                  ? read_pam(from)
                     : kind == 'f' || kind == 'F' ? read_pfm(from, kind)
                                                  : read_pnm(from, kind);
    found.at = from.at();
    return found;
  }

  static pnm_page read_pnm(text_reader& from, char kind) {
    pnm_page found;
    found.page.width = from.number(largest_side);
    found.page.height = from.number(largest_side);
    const bool bits = kind == '1' || kind == '4';
    if (!bits) found.maxval = maxval_of(from.number(largest_maxval));
    found.page.channels = kind == '3' || kind == '6' ? 3 : 1;
    found.page.type = found.maxval > 255 ? dtype::u16 : dtype::u8;
    const bool text = kind < '4';
    found.kind = bits ? (text ? raster::text_bits : raster::bits) : text ? raster::text : raster::samples;
    return found;
  }

  static pnm_page read_pam(text_reader& from) {
    pnm_page found;
    found.maxval = 0;
    found.page.channels = 0;
    for (std::string word = from.word(); word != "ENDHDR"; word = from.word()) {
      if (word == "WIDTH") found.page.width = from.number(largest_side);
      else if (word == "HEIGHT") found.page.height = from.number(largest_side);
      else if (word == "DEPTH") found.page.channels = static_cast<int>(from.number(largest_maxval));
      else if (word == "MAXVAL") found.maxval = maxval_of(from.number(largest_maxval));
      else if (word == "TUPLTYPE") found.page.last_is_alpha = from.rest_of_line().find("_ALPHA") != std::string::npos;
      else damaged("the header has an unknown line");
    }
    if (found.maxval == 0 || found.page.channels == 0) damaged("the header lacks a line");
    found.page.type = found.maxval > 255 ? dtype::u16 : dtype::u8;
    return found;
  }

  static pnm_page read_pfm(text_reader& from, char kind) {
    pnm_page found;
    found.kind = raster::floats;
    found.page.type = dtype::f32;
    found.page.channels = kind == 'F' ? 3 : 1;
    found.page.width = from.number(largest_side);
    found.page.height = from.number(largest_side);
    const std::string scale = from.word();
    if (scale.find_first_of("123456789") == std::string::npos) damaged("the byte order is missing");
    found.little_endian = scale[0] == '-';
    return found;
  }

  static std::uint32_t maxval_of(std::uint32_t value) {
    if (value == 0) damaged("the maxval is 0");
    return value;
  }

  // A header that lies costs no memory: bits have a byte each, numbers two, but for the last.
  void check_text(const pnm_page& page) const {
    const std::uint64_t row = page.row_samples() * (page.kind == raster::text ? 2 : 1),
                        left = bytes_.size() - page.at + 1;
    if (row > 0 && static_cast<std::uint64_t>(page.page.height) > left / row) damaged("it ends early");
  }

  // The same for bytes.
  [[nodiscard]] std::size_t raster_bytes(const pnm_page& page) const {
    const std::uint64_t row = page.row_bytes(), left = bytes_.size() - page.at;
    if (row > 0 && static_cast<std::uint64_t>(page.page.height) > left / row)
      throw std::runtime_error(
          fmt::format("is truncated: {} bytes of pixels for {} rows of {}", left, page.page.height, row));
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(page.page.height);
  }

  void read_row(const pnm_page& page, std::int64_t y, text_reader& text, std::byte* row) const {
    const std::uint64_t samples = page.row_samples();
    const bool turned = page.kind == raster::floats;
    const auto stored_row = static_cast<std::size_t>(turned ? page.page.height - 1 - y : y);
    const std::byte* stored = bytes_.data() + page.at + stored_row * page.row_bytes();
    switch (page.kind) {
      case raster::text_bits:
        for (std::uint64_t i = 0; i < samples; ++i) row[i] = white_or_black(text.next_visible());
        break;
      case raster::text:
        for (std::uint64_t i = 0; i < samples; ++i) store(page, i, text.number(page.maxval, true), row);
        break;
      case raster::bits:
        for (std::uint64_t i = 0; i < samples; ++i)
          row[i] = (stored[i / 8] >> (7 - i % 8) & std::byte{1}) == std::byte{0} ? std::byte{255} : std::byte{0};
        break;
      case raster::samples:
        for (std::uint64_t i = 0; i < samples; ++i) store(page, i, sample_of(page, stored, i), row);
        break;
      case raster::floats:
        std::memcpy(row, stored, page.row_bytes());
        if (page.little_endian != (std::endian::native == std::endian::little))
          for (std::uint64_t i = 0; i < samples; ++i) std::reverse(row + 4 * i, row + 4 * i + 4);
        break;
    }
  }

  static std::byte white_or_black(char digit) {
    if (digit != '0' && digit != '1') damaged("a bit is neither 0 nor 1");
    return digit == '0' ? std::byte{255} : std::byte{0};
  }

  static std::uint32_t sample_of(const pnm_page& page, const std::byte* row, std::uint64_t i) {
    if (page.page.type == dtype::u8) return std::to_integer<std::uint32_t>(row[i]);
    return std::to_integer<std::uint32_t>(row[2 * i]) << 8 | std::to_integer<std::uint32_t>(row[2 * i + 1]);
  }

  static void store(const pnm_page& page, std::uint64_t i, std::uint32_t value, std::byte* row) {
    if (value > page.maxval) damaged(fmt::format("the value {} is above the maxval {}", value, page.maxval));
    const auto byte = static_cast<std::uint8_t>(value);
    const auto word = static_cast<std::uint16_t>(value);
    if (page.page.type == dtype::u8) std::memcpy(row + i, &byte, sizeof byte);
    else std::memcpy(row + 2 * i, &word, sizeof word);
  }

  file_bytes bytes_;
  std::vector<pnm_page> pages_;
};

}  // namespace

std::unique_ptr<picture_decoder> open_pnm(file_bytes bytes) { return std::make_unique<pnm_decoder>(std::move(bytes)); }

}  // namespace skerry::io
