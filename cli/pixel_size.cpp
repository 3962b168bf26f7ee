// SPDX-License-Identifier: Apache-2.0
#include "cli/pixel_size.hpp"

#include <vector>

#include "cli/column_choice.hpp"
#include "io/axes.hpp"

namespace skerry::cli {

std::optional<pixel_size_choice> pixel_size_of(const std::string& text) {
  if (text == "none") return pixel_size_choice{true, {}};
  std::vector<std::string> parts = split_names(text);
  // What follows the digits of the last number is the unit; an exponent is part of a number.
  std::string& last = parts.back();
  std::size_t end = last.size();
  while (end > 0 && io::length_of(last.substr(0, end)) == 0) --end;
  const std::string unit = io::unit_name(last.substr(end));
  if (unit.empty() && last.find_first_not_of(' ', end) != std::string::npos) return {};
  last.resize(end);
  std::vector<double> sides;
  sides.reserve(parts.size());
  for (const std::string& part : parts) sides.push_back(io::length_of(part));
  for (const double side : sides)
    if (side == 0) return {};
  if (sides.size() == 1) return pixel_size_choice{true, pixel_spacing{sides[0], sides[0], sides[0], unit}};
  if (sides.size() == 2) return pixel_size_choice{true, pixel_spacing{0, sides[0], sides[1], unit}};
  if (sides.size() == 3) return pixel_size_choice{true, pixel_spacing{sides[0], sides[1], sides[2], unit}};
  return {};
}

}  // namespace skerry::cli
