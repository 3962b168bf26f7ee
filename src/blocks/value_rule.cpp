// SPDX-License-Identifier: Apache-2.0
#include "blocks/value_rule.hpp"

#include <limits>
#include <type_traits>

#include "core/near_values.hpp"
#include "core/order_key.hpp"
#include "core/pixel_type.hpp"

namespace skerry::blocks {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Keys of integers are as far apart as the integers.
bool are_integers_near(u64 a, u64 b, double delta) {
  const u64 difference = a > b ? a - b : b - a;
  constexpr double beyond = 0x1p64;
  return delta >= beyond || difference <= static_cast<u64>(delta);
}

template <class Real>
bool are_reals_near(u64 a, u64 b, double delta) {
  using key = key_of<Real>;
  const auto number = [](u64 of) {
    const Real value = value_of_key<Real>(static_cast<key>(of));
    if constexpr (std::is_same_v<Real, f16>) return static_cast<double>(number_of(value));
    else return static_cast<double>(value);
  };
  return delta == infinity || differ_by_at_most(number(a), number(b), delta);
}

}  // namespace

value_rule::value_rule(const question& asked)
    : within_(asked.has(question::within)), type_(asked.type), delta_(asked.delta) {}

bool value_rule::differ_by_at_most_delta(u64 a, u64 b) const {
  return with_pixel_type(type_, [&]<class Pixel>(pixel_type<Pixel>) {
    if constexpr (std::is_integral_v<Pixel>) return are_integers_near(a, b, delta_);
    else return are_reals_near<Pixel>(a, b, delta_);
  });
}

}  // namespace skerry::blocks
