// SPDX-License-Identifier: Apache-2.0
#include "core/function_ref.hpp"

#include <gtest/gtest.h>

#include <string>

namespace skerry {
namespace {

int call_with(int argument, function_ref<int(int)> function) { return function(argument); }

TEST(FunctionRef, CallsWhatItRefersTo) {
  int calls = 0;
  EXPECT_EQ(call_with(20, [&](int x) { return ++calls, x + 1; }), 21);
  EXPECT_EQ(call_with(5, [count = 0](int x) mutable { return ++count + x; }), 6);
  const auto twice = [](int x) { return 2 * x; };
  EXPECT_EQ(call_with(4, twice), 8);
  EXPECT_EQ(calls, 1);
}

TEST(FunctionRef, PassesReferencesThroughAndIsCopied) {
  std::string text;
  const auto append = [&](std::string& to, const std::string& what) { to += what; };
  const function_ref<void(std::string&, const std::string&)> first = append;
  const auto second = first;  // refers to the same function
  first(text, "a");
  second(text, "b");
  EXPECT_EQ(text, "ab");
}

}  // namespace
}  // namespace skerry
