// SPDX-License-Identifier: Apache-2.0
// What the lists of published methods share: looking up a name, and refusals that name the method.
#pragma once
#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "skerry/error.hpp"
#include "skerry/method.hpp"

namespace skerry::published {

[[noreturn]] inline void refuse(const published_method& method, const std::string& why) {
  throw invalid_argument("method " + std::string(method.name) + ": " + why);
}

/// "skerry, …": the library's own method and those of a list.
inline std::string names_of(std::span<const published_method> methods) {
  std::string names(own_method);
  for (const published_method& method : methods) names += ", " + std::string(method.name);
  return names;
}

/// Throws invalid_argument when the list has no such method.
inline const published_method& find_method(std::span<const published_method> methods, std::string_view name) {
  for (const published_method& method : methods)
    if (method.name == name) return method;
  throw invalid_argument("method: '" + std::string(name) + "' is not one of " + names_of(methods));
}

inline std::string name_of(engine_kind kind) {
  constexpr std::string_view names[] = {"reference", "cpu", "cuda"};
  return std::string(names[static_cast<int>(kind)]);
}

inline void check_engine(const published_method& method, engine_kind on) {
  if (std::find(method.engines.begin(), method.engines.end(), on) != method.engines.end()) return;
  std::string names;
  for (const engine_kind kind : method.engines) names += (names.empty() ? "" : ", ") + name_of(kind);
  refuse(method, "does not run on the engine " + name_of(on) + ", but on " + names);
}

inline void check_connectivity(const published_method& method, int connectivity) {
  const std::span<const int> known = method.connectivities;
  if (std::find(known.begin(), known.end(), connectivity) == known.end())
    refuse(method, "does not know connectivity " + std::to_string(connectivity));
}

}  // namespace skerry::published
