// SPDX-License-Identifier: Apache-2.0
#include "io/axes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace skerry::io {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string without_blanks(std::string_view text) {
  constexpr std::string_view blanks(" \t\r\n\0", 5);
  const std::size_t first = std::min(text.find_first_not_of(blanks), text.size());
  return std::string(text.substr(first, text.find_last_not_of(blanks) + 1 - first));
}

}  // namespace

std::string unit_name(std::string_view text) {
  constexpr std::size_t longest = 16;
  // The micro sign and the Greek letter in UTF-8, the sign in Latin-1, and as ImageJ escapes them.
  constexpr std::string_view micros[] = {"\xc2\xb5", "\xce\xbc", "\xb5", "\\u00B5", "\\u00b5", "\\u03BC", "\\u03bc"};
  constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"micron", "um"},     {"microns", "um"},   {"micrometer", "um"},     {"micrometre", "um"},
      {"nanometer", "nm"},  {"nanometre", "nm"}, {"millimeter", "mm"},     {"millimetre", "mm"},
      {"inch", "in"},       {"inches", "in"},    {"\xc3\x85", "angstrom"}, {"\xe2\x84\xab", "angstrom"},
      {"\xc5", "angstrom"}, {"pixel", ""},       {"pixels", ""},           {"voxel", ""}};
  std::string unit = without_blanks(text);
  for (const std::string_view micro : micros)
    if (unit.starts_with(micro)) unit.replace(0, micro.size(), "u");
  for (const auto& [written, name] : names)
    if (unit == written) return std::string(name);
  return unit.size() <= longest && std::all_of(unit.begin(), unit.end(), is_letter) ? unit : std::string();
}

double picometres_of(const std::string& unit) {
  constexpr std::pair<std::string_view, double> units[] = {
      {"km", 1e15}, {"m", 1e12}, {"dm", 1e11}, {"cm", 1e10},      {"mm", 1e9},
      {"um", 1e6},  {"nm", 1e3}, {"pm", 1},    {"angstrom", 100}, {"in", 2.54e10}};
  for (const auto& [name, picometres] : units)
    if (unit == name) return picometres;
  return 0;
}

pixel_spacing in_one_unit(const double (&sides)[3], const std::string (&units)[3]) {
  const std::string& unit = units[2];
  if (unit.empty() || !(sides[2] > 0)) return {0, 0, 0, {}};
  const auto converted = [&](std::size_t axis) {
    if (units[axis] == unit) return sides[axis];
    const double from = picometres_of(units[axis]), to = picometres_of(unit);
    if (from == 0 || to == 0) return 0.0;
    const double side = from > to ? sides[axis] * (from / to) : sides[axis] / (to / from);  // whole for powers of ten
    return std::isfinite(side) ? side : 0.0;
  };
  return {converted(0), converted(1), sides[2], unit};
}

std::int64_t whole_number_of(std::string_view text, std::int64_t least) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= least ? number : least - 1;
}

double length_of(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && number >= least_length && number <= greatest_length ? number : 0;
}

std::string text_of(const pixel_spacing& spacing, bool has_slices) {
  if (spacing.y == 0 && spacing.x == 0 && (spacing.z == 0 || !has_slices)) return {};
  const auto side = [](double length) { return length > 0 ? fmt::format("{}", length) : std::string("?"); };
  std::string text = has_slices ? side(spacing.z) + " x " : "";
  text += side(spacing.y) + " x " + side(spacing.x);
  return spacing.unit.empty() ? text : text + ' ' + spacing.unit;
}

std::string text_of(const stack_axes& axes) {
  std::vector<std::string> parts;
  if (axes.frames > 1) parts.push_back(fmt::format("T {}", axes.frames));
  if (axes.slices > 1) parts.push_back(fmt::format("Z {}", axes.slices));
  if (axes.channels > 1) parts.push_back(fmt::format("C {}", axes.channels));
  if (axes.channels > 1 && !axes.channel_names.empty())
    parts.back() += fmt::format(" ({})", fmt::join(axes.channel_names, ", "));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace skerry::io
