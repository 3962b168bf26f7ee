// SPDX-License-Identifier: Apache-2.0
// The list of methods on CUDA. A new one is a file with its function, and a line here and in published.cpp.
#include <algorithm>
#include <iterator>

#include "published/cuda/methods.hpp"

namespace skerry::published {
namespace {

struct named_method {
  std::string_view name;
  device_method method;
};

constexpr named_method methods[] = {
    {"naive", {.solve = naive, .has_features = true}},
    {"ha", {.solve = ha, .has_features = true, .measure = ha_of_labels}},
    {"ha-otf", {.solve = ha_on_the_fly, .has_features = true}},
    {"ha-cd", {.solve = ha_detecting, .has_features = true, .measure = ha_detecting_of_labels}},
    {"ha-compact", {.solve = ha_compact, .has_features = true, .waits = true}},
    {"flsl", {.solve = flsl, .has_features = true}},
    {"flsl-otf", {.solve = flsl_on_the_fly, .has_features = true}},
    {"flsl-cd", {.solve = flsl_detecting, .has_features = true}},
    {"flsl-cd-compact", {.solve = flsl_compact, .has_features = true, .waits = true}},
    {"flsl-3d", {.solve = flsl_volumes, .has_features = true}},
    {"playne-direct", {.solve = playne_direct}},
    {"playne-block", {.solve = playne_block}},
    {"tmk", {.solve = tree_merge, .has_features = true, .waits = true, .measure = tree_merge_of_labels}},
    {"jung", {.solve = jung, .waits = true}},
    {"block-fill", {.solve = block_fill}},
};

}  // namespace

device_method find_device_method(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(methods), std::end(methods), [&](const named_method& each) { return each.name == name; });
  return found != std::end(methods) ? found->method : device_method{};
}

}  // namespace skerry::published
