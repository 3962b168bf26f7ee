// SPDX-License-Identifier: Apache-2.0
#include "cli/profile.hpp"

#include <fmt/format.h>

#include <ostream>

namespace skerry::cli {

void profile::add(const engine& on, std::int64_t pixels) {
  const stage_times last = on.last_profile();
  for (int stage = 0; stage < 6; ++stage) stages_.milliseconds[stage] += last.milliseconds[stage];
  pixels_ += pixels;
}

void profile::print(std::ostream& to) const {
  double total = 0;
  for (const double stage : stages_.milliseconds) total += stage;
  to << fmt::format("{:<10}{:>12}{:>9}\n", "stage", "ms", "share");
  for (int stage = 0; stage < 6; ++stage)
    to << fmt::format("{} {:<8}{:>12.3f}{:>7.1f} %\n", stage + 1, stage_names[stage], stages_.milliseconds[stage],
                      total > 0 ? 100 * stages_.milliseconds[stage] / total : 0.0);
  const double rate = total > 0 ? static_cast<double>(pixels_) / total * 1e-3 : 0;
  to << fmt::format("{:<10}{:>12.3f}   {:.0f} million pixels/s\n", "in all", total, rate);
  to << fmt::format("{:<10}{:>12.3f}\n{:<10}{:>12.3f}\n", "reading", reading_, "writing", writing_);
}

}  // namespace skerry::cli
