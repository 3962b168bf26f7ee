// SPDX-License-Identifier: Apache-2.0
#include "support/options.hpp"

#include <charconv>
#include <sstream>
#include <stdexcept>

#include "support/repetitions.hpp"

namespace skerry::bench {
namespace {

int number(const std::string& text, const std::string& argument, int low, int high) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high)
    throw std::invalid_argument(argument + ": \"" + text + "\" is not a number from " + std::to_string(low) + " to " +
                                std::to_string(high));
  return value;
}

std::vector<int> numbers(const std::string& text, const std::string& argument, int low, int high) {
  std::vector<int> values;
  std::istringstream list(text);
  for (std::string item; std::getline(list, item, ',');) values.push_back(number(item, argument, low, high));
  if (values.empty()) throw std::invalid_argument(argument + " needs a value");
  return values;
}

// True when the argument was one of ours.
bool take(const std::string& argument, options& wanted) {
  if (argument == "--quick") {
    wanted.sizes = {2048};
    wanted.densities = {10, 50, 90};
    wanted.repetitions = 5;
    return true;
  }
  if (argument == "--volumes") {
    wanted.volumes = true;
    wanted.sizes = {256};
    wanted.granularities = {4};
    wanted.densities = {10, 30, 50};
    wanted.connectivities = {6, 26};
    return true;
  }
  const auto equals = argument.find('=');
  const std::string name = argument.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
  if (name == "--sizes") return wanted.sizes = numbers(value, name, 1, 1 << 16), true;
  if (name == "--granularities") return wanted.granularities = numbers(value, name, 1, 1 << 16), true;
  if (name == "--densities") return wanted.densities = numbers(value, name, 0, 100), true;
  if (name == "--connectivities") return wanted.connectivities = numbers(value, name, 4, 26), true;
  if (name == "--threads") return wanted.threads = numbers(value, name, 1, 1024), true;
  if (name == "--repetitions") return wanted.repetitions = number(value, name, least_repetitions, 1000), true;
  if (name == "--other-repetitions")
    return wanted.other_repetitions = number(value, name, least_repetitions, 1000), true;
  if (name == "--seed") return wanted.seed = static_cast<std::uint32_t>(number(value, name, 0, 1 << 30)), true;
  return false;
}

}  // namespace

options read_options(std::vector<std::string>& arguments) {
  options wanted;
  std::vector<std::string> others;
  for (const std::string& argument : arguments)
    if (!take(argument, wanted)) others.push_back(argument);
  arguments = others;
  return wanted;
}

}  // namespace skerry::bench
