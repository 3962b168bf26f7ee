// SPDX-License-Identifier: Apache-2.0
#include "cli/threshold_note.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "cli/threshold.hpp"
#include "core/pixel_type.hpp"
#include "io/half.hpp"

namespace skerry::cli {
namespace {

// Values as numbers that hold each of them: 64-bit integers do not fit doubles.
template <class Number>
struct census {
  std::int64_t pixels = 0, selected = 0;
  Number low = std::numeric_limits<Number>::infinity(), high = -low;  // of what is not NaN

  void add(Number value, const foreground& rule) {
    ++pixels;
    if (std::isnan(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
    if (rule.kind == foreground::rule::nonzero) {
      selected += value != 0 ? 1 : 0;
      return;
    }
    const bool above_low = rule.kind == foreground::rule::above ? value > rule.low : value >= rule.low;
    if (above_low && (rule.kind != foreground::rule::within || value <= rule.high)) ++selected;
  }
  // What is odd about it; nothing if some pixels are selected and some are not.
  [[nodiscard]] std::string text(const std::string& condition, const std::string& end_of_type) const {
    if (selected != 0 && selected != pixels) return {};
    const std::string values =
        low > high    ? "all values are NaN"
        : low == high ? fmt::format("all values are {}", static_cast<double>(low))
                      : fmt::format("values are {} to {}", static_cast<double>(low), static_cast<double>(high));
    return fmt::format("{} pixel is {}: {}{}", selected == 0 ? "no" : "every", condition, end_of_type, values);
  }
};

// "uint8 ends at 255; " where a bound of the rule is beyond what the type of the pixels holds. Infinite bounds are none.
template <class Number, class Pixel>
std::string end_of_type(dtype type, const foreground& rule) {
  using limits = std::numeric_limits<Pixel>;
  const Number least = limits::lowest(), most = type == dtype::boolean ? 1 : limits::max();
  for (const double bound : {rule.low, rule.kind == foreground::rule::within ? rule.high : rule.low}) {
    if (std::isinf(bound)) continue;
    if (bound > most) return fmt::format("{} ends at {}; ", name_of(type), static_cast<Pixel>(most));
    if (bound < least) return fmt::format("{} begins at {}; ", name_of(type), static_cast<Pixel>(least));
  }
  return {};
}

template <class Pixel>
std::string note_of(const picture& from, const foreground& rule, const std::string& condition) {
  using number = std::conditional_t<std::is_integral_v<Pixel> && sizeof(Pixel) == 8, long double, double>;
  census<number> seen;
  const auto* pixel = reinterpret_cast<const Pixel*>(from.pixels.bytes.get());
  for (std::int64_t i = 0; i < from.pixels.size.pixels(); ++i) {
    if constexpr (std::is_same_v<Pixel, float16_bits>) seen.add(io::from_half(pixel[i].bits), rule);
    else seen.add(static_cast<number>(pixel[i]), rule);
  }
  if (rule.kind == foreground::rule::nonzero && seen.low == seen.high) return {};  // a mask
  if constexpr (std::is_integral_v<Pixel>)
    return seen.text(condition, end_of_type<number, Pixel>(from.pixels.type, rule));
  else return seen.text(condition, {});
}

std::string note_of(const picture& from, const foreground& rule, const std::string& condition) {
  return with_pixel_type(from.pixels.type, [&]<class Pixel>(pixel_type<Pixel>) -> std::string {
    return note_of<Pixel>(from, rule, condition);
  });
}

bool is_chosen(const foreground_options& options) {
  return options.threshold || options.at_least || !options.range.empty();
}

// What a pixel of the foreground is, in the words of the options.
std::string condition_of(const foreground_options& options, const foreground_choice& choice) {
  if (!is_chosen(options)) return "foreground (not 0)";
  if (options.threshold)
    return fmt::format("{} {}", options.invert ? "at or below" : "above",
                       choice.otsu ? fmt::format("the otsu threshold {:.6g}", *choice.otsu) : *options.threshold);
  if (options.at_least)
    return options.invert ? fmt::format("below {}", *options.at_least) : fmt::format("{} or above", *options.at_least);
  return fmt::format("from {} to {}", options.range[0], options.range[1]);
}

}  // namespace

std::string threshold_note(const foreground_options& options, const joining& joins, const picture& from,
                           const components& found) {
  const bool chosen = is_chosen(options), otsu_of_each_frame = options.threshold == "otsu" && from.frames() > 1;
  const dtype type = from.pixels.type;
  if (!chosen && (options.invert || joins.kind != joining::rule::foreground || found.count == 0 || type == dtype::bit ||
                  type == dtype::boolean))
    return {};
  if (otsu_of_each_frame || found.count > static_cast<std::uint64_t>(from.frames())) return {};
  const foreground_choice choice = choose_foreground(options, from.frame(0), from.name);
  const std::string text = note_of(from, choice.rule, condition_of(options, choice));
  if (text.empty()) return {};
  return from.name + ": " + text + (chosen ? "" : "; select some with --threshold");
}

}  // namespace skerry::cli
