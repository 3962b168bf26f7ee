// SPDX-License-Identifier: Apache-2.0
#include "cli/number.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace skerry::cli {
namespace {

bool is_digits(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

void drop_leading_zeros(std::string& digits) {
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
}

}  // namespace

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const bool plus = text.starts_with('+') && !text.starts_with("+-");
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + (plus ? 1 : 0), end, value);
  if (error != std::errc{} || stop != end || std::isnan(value)) return std::nullopt;
  return value;
}

CLI::Validator a_number() {
  return {[](std::string& text) {
            const std::optional<double> value = number_of(text);
            if (!value) return "'" + text + "' is not a number";
            // 17 digits are never so near to the middle between two doubles that the long double between matters.
            if (static_cast<double>(std::strtold(text.c_str(), nullptr)) != *value)
              text = fmt::format("{:.17g}", *value);
            return std::string();
          },
          ""};
}

CLI::Validator number_in(double least, double most) {
  return {[least, most](std::string& text) {
            if (std::string problem = a_number()(text); !problem.empty()) return problem;
            const double value = *number_of(text);
            if (value >= least && value <= most && std::isfinite(value)) return std::string();
            return std::isinf(most) ? fmt::format("'{}' must be a number from {} up", text, least)
                                    : fmt::format("'{}' is not in {} to {}", text, least, most);
          },
          ""};
}

CLI::Validator whole_number(int least) {
  return {[least](std::string& text) {
            const bool right = is_digits(text) && (least == 0 || text.find_first_not_of('0') != std::string::npos);
            if (!right) return "'" + text + "' is not a whole number from " + std::to_string(least) + " up";
            drop_leading_zeros(text);
            return std::string();
          },
          ""};
}

CLI::Validator number_in(int least, int most) {
  return {[least, most](std::string& text) {
            bool right = is_digits(text);
            if (right) drop_leading_zeros(text);
            right = right && text.size() < 10 && std::stoi(text) >= least && std::stoi(text) <= most;
            return right ? std::string()
                         : "'" + text + "' is not in " + std::to_string(least) + " to " + std::to_string(most);
          },
          ""};
}

}  // namespace skerry::cli
