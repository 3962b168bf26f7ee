// SPDX-License-Identifier: Apache-2.0
#include "io/printable.hpp"

#include <fmt/format.h>

#include <iterator>

namespace skerry::io {
namespace {

bool is_control(unsigned char byte) { return byte < 0x20 || byte == 0x7f; }

// U+0080 to U+009F are two bytes, of which the first begins others, too.
bool is_control(unsigned char first, unsigned char second) { return first == 0xc2 && second >= 0x80 && second < 0xa0; }

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (text[i] == '\n') {
      shown += "\\n";
    } else if (text[i] == '\t') {
      shown += "\\t";
    } else if (text[i] == '\r') {
      shown += "\\r";
    } else if (is_control(byte)) {
      fmt::format_to(std::back_inserter(shown), "\\x{:02x}", byte);
    } else if (i + 1 < text.size() && is_control(byte, static_cast<unsigned char>(text[i + 1]))) {
      fmt::format_to(std::back_inserter(shown), "\\x{:02x}\\x{:02x}", byte, static_cast<unsigned char>(text[++i]));
    } else {
      shown += text[i];
    }
  }
  return shown;
}

}  // namespace skerry::io
