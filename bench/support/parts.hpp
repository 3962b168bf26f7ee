// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace skerry::bench {

/// What stands between the commas of an option's value; one empty part if there is nothing.
inline std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(',', begin);
    parts.push_back(text.substr(begin, end - begin));
  }
  return parts;
}

}  // namespace skerry::bench
