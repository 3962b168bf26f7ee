// SPDX-License-Identifier: Apache-2.0
// Fuzzes how options read numbers. An input is the text of one.
//
// Promises: a decimal number is the double nearest to it, as strtod() has it, and nothing else is a number; CLI11 reads that
// double from what the validator leaves; whole numbers are digits, within their ends.
#include <CLI/CLI.hpp>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "cli/number.hpp"
#include "fuzz_input.hpp"

namespace {

using namespace skerry;
using fuzz::promise;

bool is_digit(char c) { return '0' <= c && c <= '9'; }

std::size_t digits_at(const std::string& text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - begin;
}

// [+-] digits [. digits] [e [+-] digits], with a digit before or behind the point.
bool is_decimal(const std::string& text) {
  std::size_t at = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  const std::size_t whole = digits_at(text, at);
  at += whole;
  std::size_t fraction = 0;
  if (at < text.size() && text[at] == '.') {
    fraction = digits_at(text, at + 1);
    at += 1 + fraction;
  }
  if (whole + fraction == 0) return false;
  if (at == text.size()) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  ++at;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  const std::size_t exponent = digits_at(text, at);
  return exponent > 0 && at + exponent == text.size();
}

bool is_infinity(std::string text) {
  if (text.starts_with('+') || text.starts_with('-')) text.erase(0, 1);
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text == "inf" || text == "infinity";
}

void check_number(const std::string& text) {
  const std::optional<double> value = cli::number_of(text);
  errno = 0;
  const double nearest = std::strtod(text.c_str(), nullptr);
  const bool held = errno != ERANGE || (std::isfinite(nearest) && nearest != 0);
  const bool expected = is_infinity(text) || (is_decimal(text) && held);
  promise(value.has_value() == expected, expected ? "a number is read" : "other text is no number", text);
  if (value) promise(*value == nearest && std::signbit(*value) == std::signbit(nearest), "it is the nearest", text);

  std::string kept = text;
  const std::string complaint = cli::a_number()(kept);
  promise(complaint.empty() == expected, "the validator has the same opinion", text);
  if (expected) promise(static_cast<double>(std::strtold(kept.c_str(), nullptr)) == nearest, "CLI11 reads it", text);
}

// The value of digits, or the most that there is.
unsigned long long whole_value(const std::string& digits) {
  errno = 0;
  const unsigned long long value = std::strtoull(digits.c_str(), nullptr, 10);
  return errno == ERANGE ? std::numeric_limits<unsigned long long>::max() : value;
}

void check_whole(const std::string& text) {
  const bool digits = !text.empty() && digits_at(text, 0) == text.size();
  const unsigned long long value = digits ? whole_value(text) : 0;
  for (const int least : {0, 1}) {
    std::string kept = text;
    const bool accepted = cli::whole_number(least)(kept).empty();
    promise(accepted == (digits && (least == 0 || value > 0)), "a whole number is digits", text);
    if (!accepted) continue;
    promise(kept == "0" || !kept.starts_with('0'), "zeros in front are gone", text);
    promise(whole_value(kept) == value, "the value is as it was", text);
  }
  for (const int most : {7, 1024, 999'999'999}) {
    std::string kept = text;
    const bool inside = digits && value >= 2 && value <= static_cast<unsigned long long>(most);
    promise(cli::number_in(2, most)(kept).empty() == inside, "a number is in its range", text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(fuzz::input_bytes(bytes, size).text());
  check_number(text);
  check_whole(text);
  return 0;
}
