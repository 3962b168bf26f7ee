// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/exact_number.hpp"

namespace skerry {

wide_integer::operator double() const { return rounded(signed_from(*this)); }

std::string wide_integer::to_string() const {
  const wide value = signed_from(*this);
  std::string digits;
  unsigned_wide rest = magnitude_of(value);
  do {
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest != 0);
  if (value < 0) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace skerry
