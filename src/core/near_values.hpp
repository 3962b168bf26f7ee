// SPDX-License-Identifier: Apache-2.0
// Whether floats are near each other, as real numbers. The rule of joining::within(), on every engine.
#pragma once
#include "core/portable.hpp"

namespace skerry {

// Whether |a - b| <= limit as real numbers, of numbers that are not both the same infinity, and for a limit that is finite. A
// rounded difference that is below the limit, or above it, is so exactly, since rounding keeps order; one that is equal has an
// error that is known [Dekker1971].
SKERRY_BOTH inline bool differ_by_at_most(double a, double b, double limit) {
  const auto size_of_number = [](double number) { return number < 0 ? -number : number; };
  const bool is_b_larger = size_of_number(a) < size_of_number(b);
  const double larger = is_b_larger ? -b : a, smaller = is_b_larger ? a : -b;
  const double difference = larger + smaller;
  if (size_of_number(difference) != limit) return size_of_number(difference) < limit;
  const double error = smaller - (difference - larger);
  return difference < 0 ? error >= 0 : error <= 0;
}

}  // namespace skerry
