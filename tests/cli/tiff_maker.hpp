// SPDX-License-Identifier: Apache-2.0
// TIFF files, tag by tag, so that tests can leave out or break what they want.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace skerry::test {

struct tiff_tag {
  std::uint16_t type = 4;  // 2 text, 3 u16, 4 u32
  std::vector<std::uint32_t> values;
  std::string text;
};

/// One page: its tags, and its pixels in one strip. StripOffsets and StripByteCounts are filled in.
struct tiff_page_recipe {
  std::map<std::uint16_t, tiff_tag> tags;
  std::string pixels;

  tiff_page_recipe& set(std::uint16_t tag, std::vector<std::uint32_t> values, std::uint16_t type = 4) {
    tags[tag] = {type, std::move(values), {}};
    return *this;
  }
  tiff_page_recipe& describe(std::string text) {
    tags[270] = {2, {}, std::move(text)};
    return *this;
  }
  tiff_page_recipe& without(std::uint16_t tag) {
    tags.erase(tag);
    return *this;
  }
};

/// An uncompressed grey page.
tiff_page_recipe grey_page(std::uint32_t width, std::uint32_t height, std::uint32_t bits, std::string pixels);

/// Interleaved red, green and blue, and alpha if there are four channels.
tiff_page_recipe colour_page(std::uint32_t width, std::uint32_t height, std::uint32_t bits, std::uint32_t channels,
                             std::string pixels);

enum class byte_order { little, big };

/// The file. The last page links to `last_link`: 0 is the end of the chain, 8 … the place of another page. Pixels are written as
/// they are given, in either order.
std::string tiff_bytes(const std::vector<tiff_page_recipe>& pages, std::uint32_t last_link = 0,
                       byte_order order = byte_order::little);

}  // namespace skerry::test
