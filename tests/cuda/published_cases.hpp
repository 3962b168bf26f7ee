// SPDX-License-Identifier: Apache-2.0
// Published methods as parameters of tests.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "skerry/published.hpp"

namespace skerry {

// How a failed test names its parameter.
inline void PrintTo(const published::method& method, std::ostream* to) { *to << method.name; }

namespace test {

/// Those for images of rank 2.
inline std::vector<published::method> on_cuda(std::span<const published::method> methods) {
  std::vector<published::method> found;
  for (const published::method& method : methods)
    if (method.engines.front() == engine_kind::cuda && method.rank == 2) found.push_back(method);
  return found;
}

/// The method's name, as far as a test's name can hold it.
inline std::string name_of_case(const testing::TestParamInfo<published::method>& info) {
  std::string name(info.param.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace test
}  // namespace skerry
