// SPDX-License-Identifier: Apache-2.0
// How many calls a figure of a bench is the median of.
#pragma once
#include <stdexcept>
#include <string>

namespace skerry::bench {

/// Every bench that prints medians refuses fewer: of one or two calls the median is one of them.
inline constexpr int least_repetitions = 3;

/// Returns the number; throws std::invalid_argument with a text that names the argument.
inline int enough_repetitions(int number, const std::string& argument) {
  if (number >= least_repetitions) return number;
  throw std::invalid_argument(argument + ": at least " + std::to_string(least_repetitions) +
                              ", since figures are medians");
}

}  // namespace skerry::bench
