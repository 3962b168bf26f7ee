// SPDX-License-Identifier: Apache-2.0
// One line of what the programs of tests/journey tell script/journey-pictures.
#pragma once
#include <iostream>
#include <string>

/// Prints "name: numbers".
template <class Numbers>
void print(const std::string& name, const Numbers& numbers) {
  std::cout << name << ":";
  for (const auto& number : numbers) std::cout << ' ' << +number;
  std::cout << '\n';
}
