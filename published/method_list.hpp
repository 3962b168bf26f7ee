// SPDX-License-Identifier: Apache-2.0
// What the lists of published methods share: looking up a name, and refusals that name the method.
#pragma once
#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "skerry/error.hpp"
#include "skerry/published.hpp"

namespace skerry::published {

[[noreturn]] inline void refuse(const method& which, const std::string& why) {
  throw invalid_argument("method " + std::string(which.name) + ": " + why);
}

/// "skerry, …": the library's own method and those of a list.
inline std::string names_of(std::span<const method> methods) {
  std::string names(own_method);
  for (const method& each : methods) names += ", " + std::string(each.name);
  return names;
}

/// Throws invalid_argument when the list has no such method.
inline const method& find_method(std::span<const method> methods, std::string_view name) {
  for (const method& each : methods)
    if (each.name == name) return each;
  throw invalid_argument("method: '" + std::string(name) + "' is not one of " + names_of(methods));
}

inline void check_engine(const method& which, engine_kind on) {
  if (on == engine_kind::automatic) return;
  if (std::find(which.engines.begin(), which.engines.end(), on) != which.engines.end()) return;
  std::string names;
  for (const engine_kind kind : which.engines) names.append(names.empty() ? "" : ", ").append(name_of(kind));
  refuse(which, "does not run on the engine " + std::string(name_of(on)) + ", but on " + names);
}

inline void check_connectivity(const method& which, int connectivity) {
  const std::span<const int> known = which.connectivities;
  if (std::find(known.begin(), known.end(), connectivity) == known.end())
    refuse(which, "does not know connectivity " + std::to_string(connectivity));
}

inline void check_options(const method& which, const method_options& how) {
  if (how.first_copy == 0) refuse(which, "first_copy: at least 1 object is copied at first, not 0");
}

}  // namespace skerry::published
