// SPDX-License-Identifier: Apache-2.0
// Tests of streams that each engine takes: what is carried is not the same, what comes out is.
#pragma once
#include <gtest/gtest.h>

#include <cctype>
#include <string>

#include "support/engines.hpp"

namespace skerry::test {

class on_each_engine : public ::testing::TestWithParam<std::size_t> {
 protected:
  static engine& here() { return each_engine()[GetParam()].on; }
};

inline auto engine_numbers() { return ::testing::Range(std::size_t{0}, each_engine().size()); }

/// "cpu2threads"
inline std::string name_of_engine(const ::testing::TestParamInfo<std::size_t>& info) {
  std::string name = each_engine()[info.param].name;
  std::erase_if(name, [](unsigned char c) { return std::isalnum(c) == 0; });
  return name;
}

}  // namespace skerry::test
