// SPDX-License-Identifier: Apache-2.0
#include "tiff_maker.hpp"

namespace skerry::test {
namespace {

class numbers {
 public:
  explicit numbers(byte_order order) : big_(order == byte_order::big) {}
  void put(std::string& to, std::uint32_t value, int bytes) const {
    for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> (8 * (big_ ? bytes - 1 - i : i)));
  }
  void put_tag(std::string& entries, std::string& beyond, std::size_t beyond_at, std::uint16_t tag,
               const tiff_tag& value) const;

 private:
  bool big_;
};

void numbers::put_tag(std::string& entries, std::string& beyond, std::size_t beyond_at, std::uint16_t tag,
                      const tiff_tag& value) const {
  std::string content = value.text;
  if (value.type == 2) content += '\0';
  for (const std::uint32_t number : value.values) put(content, number, value.type == 3 ? 2 : 4);
  put(entries, tag, 2);
  put(entries, value.type, 2);
  put(entries,
      value.type == 2 ? static_cast<std::uint32_t>(content.size()) : static_cast<std::uint32_t>(value.values.size()),
      4);
  if (content.size() <= 4) {
    content.resize(4);
    entries += content;
  } else {
    put(entries, static_cast<std::uint32_t>(beyond_at + beyond.size()), 4);
    beyond += content;
    if (beyond.size() % 2 != 0) beyond += '\0';
  }
}

}  // namespace

tiff_page_recipe grey_page(std::uint32_t width, std::uint32_t height, std::uint32_t bits, std::string pixels) {
  tiff_page_recipe page;
  page.set(256, {width}).set(257, {height}).set(258, {bits}, 3).set(259, {1}, 3).set(262, {1}, 3);
  page.set(277, {1}, 3).set(278, {height});
  page.pixels = std::move(pixels);
  return page;
}

tiff_page_recipe colour_page(std::uint32_t width, std::uint32_t height, std::uint32_t bits, std::uint32_t channels,
                             std::string pixels) {
  tiff_page_recipe page = grey_page(width, height, bits, std::move(pixels));
  page.set(258, std::vector<std::uint32_t>(channels, bits), 3).set(262, {2}, 3).set(277, {channels}, 3);
  return page;
}

std::string tiff_bytes(const std::vector<tiff_page_recipe>& pages, std::uint32_t last_link, byte_order order) {
  const numbers as(order);
  std::string file(order == byte_order::big ? "MM" : "II");
  as.put(file, 42, 2);
  as.put(file, 8, 4);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    tiff_page_recipe page = pages[i];
    if (!page.tags.contains(273)) page.set(273, {0}).set(279, {static_cast<std::uint32_t>(page.pixels.size())});
    // Directory, long values, pixels, next directory.
    const std::size_t beyond_at = file.size() + 2 + 12 * page.tags.size() + 4;
    std::string entries, beyond;
    for (const auto& [tag, value] : page.tags) as.put_tag(entries, beyond, beyond_at, tag, value);
    const auto pixels_at = static_cast<std::uint32_t>(beyond_at + beyond.size());
    if (page.tags[273].values == std::vector<std::uint32_t>{0}) {
      page.set(273, {pixels_at});
      entries.clear();
      beyond.clear();
      for (const auto& [tag, value] : page.tags) as.put_tag(entries, beyond, beyond_at, tag, value);
    }
    std::string pixels = page.pixels;
    if (pixels.size() % 2 != 0) pixels += '\0';
    const auto next = static_cast<std::uint32_t>(pixels_at + pixels.size());
    as.put(file, static_cast<std::uint32_t>(page.tags.size()), 2);
    file += entries;
    as.put(file, i + 1 < pages.size() ? next : last_link, 4);
    file += beyond + pixels;
  }
  return file;
}

}  // namespace skerry::test
