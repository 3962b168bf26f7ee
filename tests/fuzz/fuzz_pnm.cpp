// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of Netpbm's formats. An input is a file.
//
// Promises: a file is read or refused by a runtime_error; a channel read alone is that channel of all of them; and a page
// written as raw PAM or PFM with the same numbers is read again.
#include <bit>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "fuzz_input.hpp"
#include "io/pnm.hpp"

namespace {

using namespace skerry;
using fuzz::promise;

constexpr std::uint64_t most_samples = 1 << 12;
constexpr std::int64_t most_pages = 8;

io::file_bytes bytes_of(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

std::uint64_t samples_of(const io::picture_page& page) {
  return static_cast<std::uint64_t>(page.height) * static_cast<std::uint64_t>(page.width) *
         static_cast<std::uint64_t>(page.channels);
}

std::vector<std::byte> pixels_of(io::picture_decoder& from, std::int64_t index, int begin, int end) {
  const io::picture_page page = from.page(index);
  const auto channels = static_cast<std::uint64_t>(page.channels), wanted = static_cast<std::uint64_t>(end - begin);
  std::vector<std::byte> pixels(samples_of(page) / channels * wanted * size_of(page.type));
  from.read(index, begin, end, pixels.data());
  return pixels;
}

void check_channel(io::picture_decoder& from, std::int64_t index, int channel, const std::vector<std::byte>& all) {
  const io::picture_page page = from.page(index);
  const std::vector<std::byte> alone = pixels_of(from, index, channel, channel + 1);
  const std::size_t sample = size_of(page.type), step = sample * static_cast<std::size_t>(page.channels);
  const std::byte* next = all.data() + static_cast<std::size_t>(channel) * sample;
  for (std::size_t at = 0; at < alone.size(); at += sample, next += step)
    promise(std::memcmp(alone.data() + at, next, sample) == 0, "a channel alone is that of all");
}

// PAM has numbers of two bytes with the high one first, PFM floats of this machine with the last row first.
std::string written(const io::picture_page& page, const std::vector<std::byte>& pixels) {
  const std::string size =
      std::to_string(page.width) + (page.type == dtype::f32 ? " " : "\nHEIGHT ") + std::to_string(page.height);
  const std::string_view raw(reinterpret_cast<const char*>(pixels.data()), pixels.size());
  if (page.type == dtype::f32) {
    std::string file = (page.channels == 3 ? "PF\n" : "Pf\n") + size + "\n-1.0\n";
    const std::size_t row = raw.size() / static_cast<std::size_t>(page.height);
    for (std::int64_t y = page.height - 1; y >= 0; --y) file += raw.substr(static_cast<std::size_t>(y) * row, row);
    return file;
  }
  const bool wide = page.type == dtype::u16;
  std::string file = "P7\nWIDTH " + size + "\nDEPTH " + std::to_string(page.channels) + "\nMAXVAL " +
                     (wide ? "65535" : "255") + "\nENDHDR\n" + std::string(raw);
  if (wide)
    for (std::size_t at = file.size() - raw.size(); at + 1 < file.size(); at += 2) std::swap(file[at], file[at + 1]);
  return file;
}

void check_page(io::picture_decoder& from, std::int64_t index) {
  const io::picture_page page = from.page(index);
  promise(page.channels > 0 && page.depth == 1, "a page has channels, and is no volume");
  const std::uint64_t samples = samples_of(page);
  if (samples == 0 || samples > most_samples) return;  // refused by their size before
  const std::vector<std::byte> all = pixels_of(from, index, 0, page.channels);
  check_channel(from, index, 0, all);
  check_channel(from, index, page.channels - 1, all);
  const auto again = io::open_pnm(bytes_of(written(page, all)));
  promise(again->pages() == 1 && again->page(0).type == page.type, "what is written is one page of the same type");
  promise(pixels_of(*again, 0, 0, page.channels) == all, "what is written is read again");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    const auto decoder = io::open_pnm(bytes_of({reinterpret_cast<const char*>(bytes), size}));
    promise(decoder->pages() > 0, "a file has a page");
    for (std::int64_t page = 0; page < std::min(decoder->pages(), most_pages); ++page) check_page(*decoder, page);
  } catch (const std::runtime_error& refused) {
    promise(*refused.what() != '\0', "a refusal has a reason");
  }
  return 0;
}
