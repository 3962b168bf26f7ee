// SPDX-License-Identifier: Apache-2.0
// Arguments that are refused by name.
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "skerry/error.hpp"

namespace skerry::test {

template <class Call>
void expect_refused(const std::string& name, Call call) {
  SCOPED_TRACE(name);
  try {
    call();
    ADD_FAILURE() << "was not refused";
  } catch (const invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, name.size() + 1), name + ":") << error.what();
  }
}

template <class Item>
Item* askew(Item* items, int bytes = 1) {
  return reinterpret_cast<Item*>(reinterpret_cast<std::uintptr_t>(items) + bytes);  // NOLINT: never followed
}

}  // namespace skerry::test
