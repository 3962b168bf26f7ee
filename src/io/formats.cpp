// SPDX-License-Identifier: Apache-2.0
#include "io/formats.hpp"

#include <OpenImageIO/imageio.h>

#include <sstream>

namespace skerry::io {

std::string readable_formats() {
  std::istringstream list(OIIO::get_string_attribute("input_format_list"));
  std::string formats;
  for (std::string name; std::getline(list, name, ',');)
    if (name != "null" && name != "term") formats += (formats.empty() ? "" : " ") + name;
  return formats;
}

}  // namespace skerry::io
