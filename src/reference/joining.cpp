// SPDX-License-Identifier: Apache-2.0
// Which pixels join, by the definition of `joining`: values are real numbers, and their differences are not rounded.
#include <cmath>
#include <cstring>

#include "reference/steps.hpp"

namespace skerry::reference {
namespace {

__extension__ using wide = __int128;

wide whole_at(const image_view& image, const pixel_place& at) {
  if (image.type != dtype::u64 && image.type != dtype::i64) return static_cast<wide>(value_at(image, at.z, at.y, at.x));
  u64 bits = 0;
  std::memcpy(&bits,
              static_cast<const std::byte*>(image.data) + at.z * image.strides.z + at.y * image.strides.y +
                  at.x * image.strides.x,
              sizeof bits);
  return image.type == dtype::i64 ? wide{static_cast<i64>(bits)} : wide{bits};
}

// A sum of doubles, in units of the smallest of them, by digits of 32 bits.
class exact_sum {
 public:
  void add(double number) {
    int exponent = 0;
    const double fraction = std::frexp(std::fabs(number), &exponent);
    const auto whole = static_cast<u64>(std::ldexp(fraction, 53));
    for (int bit = 0; bit < 53; ++bit) {
      const int place = exponent - 53 + bit + lowest;
      if ((whole >> bit & 1) != 0) digits_[place / 32] += (number < 0 ? -1 : 1) * (i64{1} << place % 32);
    }
  }

  [[nodiscard]] bool is_positive() const {
    i64 carry = 0;
    bool any = false;
    for (const i64 digit : digits_) {
      const i64 sum = digit + carry;
      carry = sum >> 32;  // rounds down
      any = any || sum - (carry << 32) != 0;
    }
    return carry > 0 || (carry == 0 && any);
  }

 private:
  static constexpr int lowest = 1074;
  i64 digits_[(lowest + 1024 + 31) / 32] = {};
};

bool reals_join(double a, double b, double delta) {
  if (a == b || std::isinf(delta)) return true;
  if (std::isinf(a) || std::isinf(b)) return false;
  exact_sum beyond;  // |a - b| - delta
  beyond.add(std::fmax(a, b));
  beyond.add(-std::fmin(a, b));
  beyond.add(-delta);
  return !beyond.is_positive();
}

bool is_real(dtype type) { return type == dtype::f16 || type == dtype::f32 || type == dtype::f64; }

}  // namespace

bool pixels_join(const image_view& image, const joining& how, const pixel_place& a, const pixel_place& b) {
  if (how.kind == joining::rule::foreground) return true;
  const double delta = how.kind == joining::rule::within ? how.delta : 0;
  if (is_real(image.type)) return reals_join(value_at(image, a.z, a.y, a.x), value_at(image, b.z, b.y, b.x), delta);
  const wide first = whole_at(image, a), second = whole_at(image, b);
  const wide difference = first > second ? first - second : second - first;
  return delta >= 0x1p64 || difference <= static_cast<wide>(delta);
}

}  // namespace skerry::reference
