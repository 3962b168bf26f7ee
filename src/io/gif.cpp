// SPDX-License-Identifier: Apache-2.0
#include "io/gif.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "io/file_error.hpp"

namespace skerry::io {
namespace {

constexpr std::size_t most_colours = 255;
constexpr std::uint8_t unchanged = 255;  // transparent: shows what was there before

// ---- palette --------------------------------------------------------------------------------------------------------

// Colours of five bits each; a bin also knows the mean of what fell into it.
constexpr std::size_t bin_count = 1 << 15;

std::size_t bin_of(const std::uint8_t* pixel) {
  return static_cast<std::size_t>(pixel[0] >> 3) << 10 | static_cast<std::size_t>(pixel[1] >> 3) << 5 | pixel[2] >> 3;
}
int channel_of(std::size_t bin, int channel) { return static_cast<int>(bin >> (10 - 5 * channel) & 31); }

struct bin {
  std::uint64_t count = 0, sum[3] = {};
};

// Some of the bins, next to each other in the order of all.
struct box {
  std::size_t begin, end;
  std::uint64_t count = 0;
  int longest = 0, side = 0;  // channel, and steps from its smallest to its largest value

  void measure(const std::vector<std::uint16_t>& order, const std::vector<bin>& bins) {
    count = 0;
    for (std::size_t i = begin; i < end; ++i) count += bins[order[i]].count;
    side = 0;
    for (int channel = 0; channel < 3; ++channel) {
      int low = 31, high = 0;
      for (std::size_t i = begin; i < end; ++i) {
        low = std::min(low, channel_of(order[i], channel));
        high = std::max(high, channel_of(order[i], channel));
      }
      if (high - low <= side) continue;
      side = high - low;
      longest = channel;
    }
  }
  [[nodiscard]] std::uint64_t urgency() const { return count * static_cast<std::uint64_t>(side); }
};

struct frame_palette {
  std::vector<std::array<std::uint8_t, 3>> colours;
  std::vector<std::uint8_t> of_bin = std::vector<std::uint8_t>(bin_count);
};

std::vector<bin> count_colours(const std::vector<std::vector<std::uint8_t>>& frames) {
  std::vector<bin> bins(bin_count);
  for (const std::vector<std::uint8_t>& frame : frames)
    for (std::size_t i = 0; i < frame.size(); i += 3) {
      bin& into = bins[bin_of(frame.data() + i)];
      ++into.count;
      for (std::size_t channel = 0; channel < 3; ++channel) into.sum[channel] += frame[i + channel];
    }
  return bins;
}

// Cuts the box along its longest side, with half of the pixels on either hand.
box cut(box& from, std::vector<std::uint16_t>& order, const std::vector<bin>& bins) {
  const auto at = [&](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
  std::sort(at(from.begin), at(from.end), [&](std::uint16_t a, std::uint16_t b) {
    const int first = channel_of(a, from.longest), second = channel_of(b, from.longest);
    return first != second ? first < second : a < b;
  });
  std::size_t middle = from.begin;
  for (std::uint64_t below = 0; middle + 1 < from.end && 2 * below < from.count; ++middle)
    below += bins[order[middle]].count;
  box other{middle, from.end};
  from.end = middle;
  from.measure(order, bins);
  other.measure(order, bins);
  return other;
}

frame_palette choose_palette(const std::vector<std::vector<std::uint8_t>>& frames) {
  const std::vector<bin> bins = count_colours(frames);
  std::vector<std::uint16_t> order;
  for (std::size_t i = 0; i < bin_count; ++i)
    if (bins[i].count > 0) order.push_back(static_cast<std::uint16_t>(i));
  std::vector<box> boxes = {{0, order.size()}};
  boxes.front().measure(order, bins);
  while (boxes.size() < most_colours) {
    const auto next = std::max_element(boxes.begin(), boxes.end(),
                                       [](const box& a, const box& b) { return a.urgency() < b.urgency(); });
    if (next->urgency() == 0) break;
    box other = cut(*next, order, bins);
    boxes.push_back(other);
  }
  frame_palette chosen;
  for (const box& each : boxes) {
    std::uint64_t sum[3] = {};
    for (std::size_t i = each.begin; i < each.end; ++i) {
      chosen.of_bin[order[i]] = static_cast<std::uint8_t>(chosen.colours.size());
      for (std::size_t channel = 0; channel < 3; ++channel) sum[channel] += bins[order[i]].sum[channel];
    }
    std::array<std::uint8_t, 3> mean{};
    for (std::size_t channel = 0; channel < 3; ++channel)
      mean[channel] =
          static_cast<std::uint8_t>((sum[channel] + each.count / 2) / std::max<std::uint64_t>(1, each.count));
    chosen.colours.push_back(mean);
  }
  return chosen;
}

// ---- LZW ------------------------------------------------------------------------------------------------------------

// Codes of 9 to 12 bits in blocks of at most 255 bytes.
class code_writer {
 public:
  explicit code_writer(std::string& to) : to_(to) {}
  void write(unsigned code, int bits) {
    waiting_ |= static_cast<std::uint64_t>(code) << held_;
    for (held_ += bits; held_ >= 8; held_ -= 8, waiting_ >>= 8) put(static_cast<char>(waiting_ & 0xff));
  }
  void finish() {
    if (held_ > 0) put(static_cast<char>(waiting_ & 0xff));
    if (!block_.empty()) end_block();
    to_ += '\0';
  }

 private:
  void put(char byte) {
    block_ += byte;
    if (block_.size() == 255) end_block();
  }
  void end_block() {
    to_ += static_cast<char>(block_.size());
    to_ += block_;
    block_.clear();
  }
  std::string& to_;
  std::string block_;
  std::uint64_t waiting_ = 0;
  int held_ = 0;
};

class compressor {
 public:
  explicit compressor(std::string& to) : codes_(to), places_(place_count) {}

  void compress(const std::vector<std::uint8_t>& bytes) {
    forget();
    unsigned known = bytes.front();
    for (std::size_t i = 1; i < bytes.size(); ++i) {
      entry& place = find(known, bytes[i]);
      if (place.code != 0) {
        known = place.code;
        continue;
      }
      codes_.write(known, bits_);
      if (next_ < most_codes) {
        place = {known << 8 | bytes[i], next_};
        if (next_++ == 1U << bits_) ++bits_;
      } else {
        forget();
      }
      known = bytes[i];
    }
    codes_.write(known, bits_);
    codes_.write(end_code, bits_);
    codes_.finish();
  }

 private:
  struct entry {
    unsigned text = 0;  // a code and the byte after it
    unsigned code = 0;  // 0: the place is free
  };
  static constexpr unsigned clear_code = 256, end_code = 257, most_codes = 4096;
  static constexpr std::size_t place_count = 1 << 13;

  void forget() {
    codes_.write(clear_code, bits_);
    std::fill(places_.begin(), places_.end(), entry{});
    next_ = end_code + 1;
    bits_ = 9;
  }
  entry& find(unsigned known, std::uint8_t byte) {
    const unsigned text = known << 8 | byte;
    std::size_t at = text * 2654435761U >> 19;  // the upper 13 of 32 bits
    while (places_[at].code != 0 && places_[at].text != text) at = (at + 1) & (place_count - 1);
    return places_[at];
  }

  code_writer codes_;
  std::vector<entry> places_;
  unsigned next_ = 0;
  int bits_ = 9;
};

// ---- file -----------------------------------------------------------------------------------------------------------

void add_number(std::string& to, std::int64_t value) {
  to += static_cast<char>(value & 0xff);
  to += static_cast<char>(value >> 8 & 0xff);
}

std::string head_of(const frame_palette& colours, std::int64_t height, std::int64_t width) {
  std::string head = "GIF89a";
  add_number(head, width);
  add_number(head, height);
  head += std::string("\xf7\0\0", 3);  // a palette of 256 colours, the first is the ground
  for (const auto& colour : colours.colours) head.append(colour.begin(), colour.end());
  head.append(3 * (256 - colours.colours.size()), '\0');
  return head + std::string("\x21\xff\x0bNETSCAPE2.0\3\1\0\0\0", 19);  // again and again
}

}  // namespace

void check_gif_size(const pending_file& to, std::int64_t height, std::int64_t width) {
  constexpr std::int64_t largest_side = 65535;
  if (height > largest_side || width > largest_side)
    throw file_error(to.path(), "cannot be written: a GIF has at most 65535 x 65535 pixels");
}

void write_gif(pending_file& to, const std::vector<std::vector<std::uint8_t>>& frames, std::int64_t height,
               std::int64_t width, int frames_per_second) {
  check_gif_size(to, height, width);
  const frame_palette colours = choose_palette(frames);
  to.append(head_of(colours, height, width));
  std::vector<std::uint8_t> shown(static_cast<std::size_t>(height * width), unchanged), changes(shown.size());
  for (const std::vector<std::uint8_t>& frame : frames) {
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const std::uint8_t colour = colours.of_bin[bin_of(frame.data() + 3 * i)];
      changes[i] = colour == shown[i] ? unchanged : colour;
      shown[i] = colour;
    }
    std::string text("\x21\xf9\4\5", 4);  // what was there stays, and one colour is transparent
    add_number(text, std::lround(100.0 / frames_per_second));
    text += std::string("\xff\0\x2c\0\0\0\0", 7);
    add_number(text, width);
    add_number(text, height);
    text += std::string("\0\x08", 2);  // no palette of its own; bytes
    compressor(text).compress(changes);
    to.append(text);
  }
  to.append(";");
}

}  // namespace skerry::io
