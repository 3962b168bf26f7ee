// SPDX-License-Identifier: Apache-2.0
// The table of --profile, of phases that no engine has to have run.
#include "cli/profile.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "engine/engine_state.hpp"

namespace skerry::cli {
namespace {

std::string table_of(const std::vector<std::vector<phase_time>>& calls) {
  engine on = engine::cpu(1);
  profile all;
  for (const std::vector<phase_time>& phases : calls) {
    on.inside().clock.start(true, 1);
    for (const phase_time& phase : phases) on.inside().clock.add_phase(phase);
    all.add(on, 1000);
  }
  std::ostringstream text;
  all.print(text);
  return text.str().substr(0, text.str().find("in all"));
}

TEST(profile, sums_calls) {
  EXPECT_EQ(table_of({{{"Init", 1.0}, {"Link", 2.0}}, {{"Init", 2.0}, {"Link", 3.0}}}),
            "stage               ms    share\n"
            "1 Init           3.000   37.5 %\n"
            "2 Link           5.000   62.5 %\n");
}

TEST(profile, says_how_often_phases_ran_when_one_is_repeated) {
  EXPECT_EQ(table_of({{{"Init", 1.0}, {"Link", 2.0, 3}}, {{"Init", 2.0}, {"Link", 3.0, 1}}}),
            "stage               ms    share   times\n"
            "1 Init           3.000   37.5 %       2\n"
            "2 Link           5.000   62.5 %       4\n");
}

}  // namespace
}  // namespace skerry::cli
