// SPDX-License-Identifier: Apache-2.0
#include "cli/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace skerry::cli {

void profile::add(const engine& on, std::int64_t pixels) {
  for (const phase_time& phase : on.last_phases()) {
    const auto same = [&](const phase_time& other) { return other.name == phase.name; };
    const auto at = std::find_if(phases_.begin(), phases_.end(), same);
    if (at == phases_.end()) phases_.push_back(phase);
    else at->milliseconds += phase.milliseconds, at->times += phase.times;
    repeats_ = repeats_ || phase.times > 1;
  }
  pixels_ += pixels;
  const engine_choice choice = on.last_choice();
  const std::string line = fmt::format("engine {}: {}", name_of(choice.kind), choice.reason);
  if (std::find(engines_.begin(), engines_.end(), line) == engines_.end()) engines_.push_back(line);
}

void profile::print(std::ostream& to) const {
  double total = 0;
  std::size_t width = 8;
  for (const phase_time& phase : phases_) {
    total += phase.milliseconds;
    width = std::max(width, phase.name.size());
  }
  const auto head = width + 2;
  to << fmt::format("{:<{}}{:>12}{:>9}{}\n", "stage", head, "ms", "share", repeats_ ? "   times" : "");
  for (std::size_t i = 0; i < phases_.size(); ++i)
    to << fmt::format("{} {:<{}}{:>12.3f}{:>7.1f} %{}\n", i + 1, phases_[i].name, width, phases_[i].milliseconds,
                      total > 0 ? 100 * phases_[i].milliseconds / total : 0.0,
                      repeats_ ? fmt::format("{:>8}", phases_[i].times) : "");
  const double rate = total > 0 ? static_cast<double>(pixels_) / total * 1e-3 : 0;
  to << fmt::format("{:<{}}{:>12.3f}   {:.0f} million pixels/s\n", "in all", head, total, rate);
  to << fmt::format("{:<{}}{:>12.3f}\n{:<{}}{:>12.3f}\n", "reading", head, reading_, "writing", head, writing_);
  for (const std::string& line : engines_) to << line << '\n';
}

}  // namespace skerry::cli
