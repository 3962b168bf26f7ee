// SPDX-License-Identifier: Apache-2.0
#include "cli/time_left.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ostream>

namespace skerry::cli {

using clock = std::chrono::steady_clock;

std::string text_of_time(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole < 100) return fmt::format("{} s", whole);
  const std::int64_t minutes = (whole + 59) / 60;
  return minutes < 60 ? fmt::format("{} min", minutes) : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

void time_left::begin(const std::string& verb, std::int64_t done) {
  verb_ = verb;
  begun_at_ = done;
  begun_ = clock::now();
  show(done);
}

void time_left::show(std::int64_t done) {
  constexpr auto pause = std::chrono::milliseconds(200);
  const auto now = clock::now();
  if (!wanted_ || (visible_ && now < shown_ + pause && done != total_)) return;
  const double spent = std::chrono::duration<double>(now - begun_).count();
  std::string line = fmt::format("{} {} %", verb_, 100 * done / total_);
  if (done > begun_at_)
    line += fmt::format(
        ", {} left", text_of_time(spent * static_cast<double>(total_ - done) / static_cast<double>(done - begun_at_)));
  to_.err << '\r' << line << "\x1b[K" << std::flush;
  visible_ = true;
  shown_ = now;
}

void time_left::clear() {
  if (visible_) to_.err << "\r\x1b[K" << std::flush;
  visible_ = false;
}

}  // namespace skerry::cli
