// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/instruction_set.hpp"

#include <hwy/highway.h>
#include <hwy/targets.h>

#include "skerry/error.hpp"

namespace skerry {
namespace {

// Highway numbers better sets with lower bits.
std::vector<std::int64_t> available_targets() {
  std::vector<std::int64_t> best_first = hwy::SupportedAndGeneratedTargets();
  if (best_first.empty()) best_first.push_back(HWY_STATIC_TARGET);  // a build for one set only
  return best_first;
}

}  // namespace

std::vector<std::string> available_instruction_sets() {
  std::vector<std::string> names;
  for (const std::int64_t target : available_targets()) names.emplace_back(hwy::TargetName(target));
  return names;
}

void choose_instruction_set() {
  if (!hwy::GetChosenTarget().IsInitialized()) hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

std::string instruction_set_in_use() {
  const std::int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  const std::int64_t best = usable & -usable;
  return hwy::TargetName(best != 0 ? best : HWY_STATIC_TARGET);
}

void force_instruction_set(std::string_view name) {
  // Found once: in a virtual machine, each question to the processor leaves it.
  static const std::vector<std::int64_t> targets = [] {
    hwy::SetSupportedTargetsForTest(0);
    return available_targets();
  }();
  std::int64_t wanted = 0;
  for (const std::int64_t target : targets)
    if (name == hwy::TargetName(target)) wanted = target;
  if (wanted == 0 && !name.empty())
    throw invalid_argument("instruction set " + std::string(name) + " is not available here");
  hwy::SetSupportedTargetsForTest(wanted);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace skerry
