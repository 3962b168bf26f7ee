// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace skerry::io {

/// Text for a line of a terminal. Names of files may hold control characters, which would break the line, or tell the terminal
/// to do something: they become \n, \t, \r, \x1b and so on, those of UTF-8 from U+0080 to U+009F too. Other bytes stay.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace skerry::io
