// SPDX-License-Identifier: Apache-2.0
#include "cli/memory_size.hpp"

#include <unistd.h>

#include <cmath>
#include <fstream>

#include "cli/number.hpp"

namespace skerry::cli {

std::optional<std::int64_t> memory_of(const std::string& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::optional<double> number = number_of(text.substr(0, digits));
  std::string unit = text.substr(digits);
  while (unit.starts_with(' ')) unit.erase(0, 1);
  int power = 0;
  if (!unit.empty()) {
    const std::size_t at = std::string("BKMGT").find(static_cast<char>(std::toupper(unit.front())));
    const std::string rest = unit.substr(1);
    if (at == std::string::npos || (at == 0 && !rest.empty())) return {};
    if (!rest.empty() && rest != "B" && rest != "iB") return {};
    power = static_cast<int>(at);
  }
  constexpr double most = 0x1p62;
  const double bytes = number ? std::ldexp(*number, 10 * power) : 0;
  if (!(bytes >= 1) || bytes > most) return {};
  return static_cast<std::int64_t>(bytes);
}

std::string text_of_memory(std::int64_t bytes) {
  constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
  return std::to_string((bytes + mebibyte - 1) / mebibyte) + "M";
}

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  if (!(file >> all >> resident)) return 0;
  return resident * ::sysconf(_SC_PAGESIZE);
}

}  // namespace skerry::cli
